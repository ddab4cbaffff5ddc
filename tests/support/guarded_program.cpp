// A program that knows nothing of the guards: it frees null once, and asks for two locks, of which
// it gets one and waits 20 ms for the other.
#include <pthread.h>

#include <cstdlib>
#include <ctime>

int main() {
  void* volatile nothing = nullptr;
  std::free(nothing);
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  (void)pthread_mutex_lock(&mutex);
  timespec until{};
  (void)clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 20'000'000;
  if (until.tv_nsec >= 1'000'000'000) {
    until.tv_nsec -= 1'000'000'000;
    ++until.tv_sec;
  }
  (void)pthread_mutex_timedlock(&mutex, &until);
  return 0;
}

// SPDX-License-Identifier: Zlib
//
// A program without guards: frees null once and takes two locks, one at once and one after 20 ms.
// Like many programs (all of coreutils), it closes its streams at the end to check that everything
// was written. With an argument, it starts by closing all descriptors, as daemons do, and then
// opens that file repeatedly.
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

int main(int count, char** arguments) {
  (void)std::atexit([] {
    (void)std::fclose(stdout);
    (void)std::fclose(stderr);
  });
  if (count > 1) {
    const long most = sysconf(_SC_OPEN_MAX);
    for (int i = 0; i < most; ++i) (void)close(i);
    for (int i = 0; i < most; ++i) (void)open(arguments[1], O_WRONLY | O_CREAT | O_TRUNC, 0600);
  }
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

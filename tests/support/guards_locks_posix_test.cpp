// SPDX-License-Identifier: Zlib
//
// Every locking function of the C library is counted under its name.
#include <gtest/gtest.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include <atomic>
#include <ctime>
#include <string>
#include <thread>

#include "overture/base/guards.hpp"

namespace overture::guards_locks_posix_test {
namespace {

std::string locks_counted;  // the first call of the last scope

void remember_lock(const guard_report& seen) noexcept {
  locks_counted = std::string(seen.first).substr(0, std::string(seen.first).find(','));
}

// Only the call matters here, not its result.
class guards_of_locks : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(guards_active());
    pthread_spin_init(&spin_, PTHREAD_PROCESS_PRIVATE);
    mtx_init(&c11_, mtx_timed);
    sem_init(&semaphore_, 0, 100);
  }
  template <class Call>
  static std::string counts(Call call) {
    locks_counted.clear();
    {
      const no_lock_scope no_lock(remember_lock);
      call();
    }
    return locks_counted;
  }

  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_rwlock_t rwlock_ = PTHREAD_RWLOCK_INITIALIZER;
  pthread_cond_t condition_ = PTHREAD_COND_INITIALIZER;
  pthread_spinlock_t spin_{};
  mtx_t c11_{};
  sem_t semaphore_{};
  const timespec past_{};  // so that calls return at once
};

TEST_F(guards_of_locks, count_those_of_mutexes) {
  const auto unlock = [&] { pthread_mutex_unlock(&mutex_); };
  EXPECT_EQ(counts([&] { pthread_mutex_lock(&mutex_); }), "pthread_mutex_lock");
  unlock();
  EXPECT_EQ(counts([&] { pthread_mutex_trylock(&mutex_); }), "pthread_mutex_trylock");
  unlock();
  EXPECT_EQ(counts([&] { pthread_mutex_timedlock(&mutex_, &past_); }), "pthread_mutex_timedlock");
  unlock();
  EXPECT_EQ(counts([&] { pthread_mutex_clocklock(&mutex_, CLOCK_MONOTONIC, &past_); }),
            "pthread_mutex_clocklock");
  unlock();
  EXPECT_EQ(counts([&] { mtx_lock(&c11_); }), "mtx_lock");
  mtx_unlock(&c11_);
  EXPECT_EQ(counts([&] { mtx_trylock(&c11_); }), "mtx_trylock");
  mtx_unlock(&c11_);
  EXPECT_EQ(counts([&] { mtx_timedlock(&c11_, &past_); }), "mtx_timedlock");
}

TEST_F(guards_of_locks, count_those_of_readers_and_writers) {
  const auto unlock = [&] { pthread_rwlock_unlock(&rwlock_); };
  const auto by = [&](auto lock) {
    const std::string name = counts(lock);
    unlock();
    return name;
  };
  EXPECT_EQ(by([&] { pthread_rwlock_rdlock(&rwlock_); }), "pthread_rwlock_rdlock");
  EXPECT_EQ(by([&] { pthread_rwlock_tryrdlock(&rwlock_); }), "pthread_rwlock_tryrdlock");
  EXPECT_EQ(by([&] { pthread_rwlock_timedrdlock(&rwlock_, &past_); }),
            "pthread_rwlock_timedrdlock");
  EXPECT_EQ(by([&] { pthread_rwlock_clockrdlock(&rwlock_, CLOCK_MONOTONIC, &past_); }),
            "pthread_rwlock_clockrdlock");
  EXPECT_EQ(by([&] { pthread_rwlock_wrlock(&rwlock_); }), "pthread_rwlock_wrlock");
  EXPECT_EQ(by([&] { pthread_rwlock_trywrlock(&rwlock_); }), "pthread_rwlock_trywrlock");
  EXPECT_EQ(by([&] { pthread_rwlock_timedwrlock(&rwlock_, &past_); }),
            "pthread_rwlock_timedwrlock");
  EXPECT_EQ(by([&] { pthread_rwlock_clockwrlock(&rwlock_, CLOCK_MONOTONIC, &past_); }),
            "pthread_rwlock_clockwrlock");
}

TEST_F(guards_of_locks, count_those_of_others) {
  EXPECT_EQ(counts([&] { pthread_spin_lock(&spin_); }), "pthread_spin_lock");
  pthread_spin_unlock(&spin_);
  EXPECT_EQ(counts([&] { pthread_spin_trylock(&spin_); }), "pthread_spin_trylock");
  EXPECT_EQ(counts([&] { (void)sem_wait(&semaphore_); }), "sem_wait");
  EXPECT_EQ(counts([&] { (void)sem_trywait(&semaphore_); }), "sem_trywait");
  EXPECT_EQ(counts([&] { (void)sem_timedwait(&semaphore_, &past_); }), "sem_timedwait");
  EXPECT_EQ(counts([&] { (void)sem_clockwait(&semaphore_, CLOCK_MONOTONIC, &past_); }),
            "sem_clockwait");
  pthread_mutex_lock(&mutex_);
  EXPECT_EQ(counts([&] { pthread_cond_timedwait(&condition_, &mutex_, &past_); }),
            "pthread_cond_timedwait");
  EXPECT_EQ(counts([&] { pthread_cond_clockwait(&condition_, &mutex_, CLOCK_MONOTONIC, &past_); }),
            "pthread_cond_clockwait");
  pthread_mutex_unlock(&mutex_);
}

TEST_F(guards_of_locks, count_waiting_for_a_condition) {
  std::atomic<bool> waited{false};
  std::thread waking([&] {
    while (!waited.load()) {
      pthread_cond_signal(&condition_);
      std::this_thread::yield();
    }
  });
  pthread_mutex_lock(&mutex_);
  EXPECT_EQ(counts([&] { pthread_cond_wait(&condition_, &mutex_); }), "pthread_cond_wait");
  pthread_mutex_unlock(&mutex_);
  waited.store(true);
  waking.join();
}

}  // namespace
}  // namespace overture::guards_locks_posix_test

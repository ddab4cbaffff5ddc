// SPDX-License-Identifier: Zlib
#include "base/threads/thread_slot.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <thread>
#include <vector>

namespace overture {
using namespace base_detail;

namespace {

// The system calls it a second time for a value that it has set, after all other keys' functions.
struct late_asker {
  pthread_key_t key{};
  int calls = 0;
  std::uint32_t answer = 0;

  static void ask(void* raw) {
    auto* const self = static_cast<late_asker*>(raw);
    self->answer = thread_slot();
    if (++self->calls < 2) (void)pthread_setspecific(self->key, raw);
  }
};

TEST(thread_slot, of_a_thread_that_has_given_its_own_back_is_the_shared_one) {
  late_asker asker;
  ASSERT_EQ(pthread_key_create(&asker.key, late_asker::ask), 0);
  std::uint32_t before = 0;
  std::thread([&] {
    before = thread_slot();
    (void)pthread_setspecific(asker.key, &asker);
  }).join();
  (void)pthread_key_delete(asker.key);
  EXPECT_NE(before, shared_thread_slot);
  EXPECT_EQ(asker.calls, 2);
  EXPECT_EQ(asker.answer, shared_thread_slot);
}

TEST(thread_slot, stays_the_same_where_no_key_is_left) {
  std::vector<pthread_key_t> all;
  for (pthread_key_t key{}; pthread_key_create(&key, nullptr) == 0;) all.push_back(key);
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  std::thread([&] {
    first = thread_slot();
    second = thread_slot();
  }).join();
  for (const pthread_key_t key : all) (void)pthread_key_delete(key);
  EXPECT_EQ(first, second);
}

}  // namespace
}  // namespace overture

// SPDX-License-Identifier: Zlib
//
// Every test runs on both implementations of the wait layer.
#include "sync/wait.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <thread>
#include <vector>

#include "overture/base/thread.hpp"

namespace overture::wait_test {
namespace {

using namespace sync_detail;
struct native {
  static constexpr auto wait = native_wait::address_wait;
  static constexpr auto wake_one = native_wait::address_wake_one;
  static constexpr auto wake_all = native_wait::address_wake_all;
  static constexpr auto wake_relayed = native_wait::address_wake_relayed;
  static constexpr auto counts = native_wait::counts;
};

struct generic {
  static constexpr auto wait = generic_wait::address_wait;
  static constexpr auto wake_one = generic_wait::address_wake_one;
  static constexpr auto wake_all = generic_wait::address_wake_all;
  static constexpr auto wake_relayed = generic_wait::address_wake_relayed;
  static constexpr auto counts = generic_wait::counts;
};

template <class Layer>
class wait_layers : public testing::Test {
 protected:
  // Sleeps as callers do, until the word has a different value.
  static void wait_while(const atomic<std::uint32_t>& word, std::uint32_t value) {
    while (word.load() == value) (void)Layer::wait(word, value, 0);
  }
  // Returns once `count` more threads than at the start of the test sleep or are about to.
  void await_sleepers(std::uint64_t count) const {
    while (Layer::counts().waits - before_.waits < count) yield_thread();
  }
  const wait_counts before_ = Layer::counts();
};

using layers = testing::Types<native, generic>;
TYPED_TEST_SUITE(wait_layers, layers);

TYPED_TEST(wait_layers, do_not_sleep_when_the_word_has_changed_already) {
  const atomic<std::uint32_t> word{1};
  EXPECT_EQ(TypeParam::wait(word, 0, 0), wait_status::woken);
  EXPECT_EQ(TypeParam::counts().waits, this->before_.waits);
}

TYPED_TEST(wait_layers, wake_one_at_a_time) {
  atomic<std::uint32_t> word{0};
  atomic<int> returned{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      TestFixture::wait_while(word, 0);
      returned.fetch_add(1);
    });
  }
  this->await_sleepers(3);
  word.store(1);
  // A thread counted as a sleeper may not sleep yet, so keep waking until it returns.
  while (returned.load() < 3) TypeParam::wake_one(&word);
  for (auto& thread : threads) thread.join();
}

TYPED_TEST(wait_layers, wake_all_waiters_at_the_address) {
  atomic<std::uint32_t> word{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&word] { TestFixture::wait_while(word, 0); });
  }
  this->await_sleepers(8);
  word.store(1);
  TypeParam::wake_all(&word);
  for (auto& thread : threads) thread.join();
}

TYPED_TEST(wait_layers, relay_a_wake_to_all_waiters_at_the_address) {
  atomic<std::uint32_t> word{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 24; ++i) {
    threads.emplace_back([&word] { TestFixture::wait_while(word, 0); });
  }
  this->await_sleepers(24);
  word.store(1);
  TypeParam::wake_relayed(&word);
  for (auto& thread : threads) thread.join();
}

// The word has not changed, as if the wake was meant for an earlier object at this address: all
// wake and sleep again, and none is left where later wakes do not reach it.
TYPED_TEST(wait_layers, end_a_relay_among_threads_that_sleep_again) {
  atomic<std::uint32_t> word{0};
  atomic<int> came_back{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] {
      (void)TypeParam::wait(word, 0, 0);
      came_back.fetch_add(1);
      TestFixture::wait_while(word, 0);
    });
  }
  this->await_sleepers(6);
  // A thread counted as a sleeper may not sleep yet and miss the first wake.
  while (came_back.load() < 6) TypeParam::wake_relayed(&word);
  this->await_sleepers(12);
  word.store(1);
  TypeParam::wake_all(&word);
  for (auto& thread : threads) thread.join();
}

TYPED_TEST(wait_layers, keep_addresses_apart) {
  // More words than the generic layer has buckets, so some share one.
  std::deque<atomic<std::uint32_t>> words(100);
  std::vector<std::thread> threads;
  for (auto& word : words) {
    word.store(0);
    threads.emplace_back([&word] { TestFixture::wait_while(word, 0); });
  }
  this->await_sleepers(words.size());
  for (std::size_t i = words.size(); i-- > 0;) {
    words[i].store(1);
    TypeParam::wake_one(&words[i]);
    threads[i].join();
  }
}

TYPED_TEST(wait_layers, time_out_and_not_too_early) {
  const atomic<std::uint32_t> word{0};
  const std::uint64_t deadline_ns = now_ns() + 2'000'000;
  while (TypeParam::wait(word, 0, deadline_ns) != wait_status::timed_out) {
  }
  EXPECT_GE(now_ns(), deadline_ns);
}

TYPED_TEST(wait_layers, time_out_at_once_when_the_deadline_is_over) {
  const atomic<std::uint32_t> word{0};
  EXPECT_EQ(TypeParam::wait(word, 0, 1), wait_status::timed_out);
}

TYPED_TEST(wait_layers, take_the_farthest_deadline_there_is) {
  atomic<std::uint32_t> word{0};
  wait_status status = wait_status::timed_out;
  std::thread sleeper([&] {
    do {
      status = TypeParam::wait(word, 0, UINT64_MAX);
    } while (word.load() == 0 && status == wait_status::woken);
  });
  this->await_sleepers(1);
  word.store(1);
  TypeParam::wake_all(&word);
  sleeper.join();
  EXPECT_EQ(status, wait_status::woken);
}

TYPED_TEST(wait_layers, forget_a_sleeper_that_timed_out) {
  atomic<std::uint32_t> word{0};
  while (TypeParam::wait(word, 0, now_ns() + 100'000) != wait_status::timed_out) {
  }
  std::thread sleeper([&] { TestFixture::wait_while(word, 0); });
  this->await_sleepers(2);
  word.store(1);
  TypeParam::wake_one(&word);
  sleeper.join();
}

TYPED_TEST(wait_layers, survive_wakes_of_addresses_without_waiters) {
  // The first page is never mapped: an address is only a key and is never read.
  const void* const address = reinterpret_cast<const void*>(std::uintptr_t{64});
  TypeParam::wake_one(address);
  TypeParam::wake_all(address);
  TypeParam::wake_all(nullptr);
}

TYPED_TEST(wait_layers, lose_no_wake_between_two_threads) {
  constexpr std::uint32_t rounds = 5000;
  atomic<std::uint32_t> word{0};
  const auto take_turns = [&word](std::uint32_t first) {
    for (std::uint32_t turn = first; turn < rounds; turn += 2) {
      for (std::uint32_t seen = word.load(); seen != turn; seen = word.load()) {
        (void)TypeParam::wait(word, seen, 0);
      }
      word.store(turn + 1);
      TypeParam::wake_one(&word);
    }
  };
  std::thread other([&] { take_turns(1); });
  take_turns(0);
  other.join();
  EXPECT_EQ(word.load(), rounds);
}

}  // namespace
}  // namespace overture::wait_test

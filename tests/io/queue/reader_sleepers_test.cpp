// SPDX-License-Identifier: Zlib
//
// Which threads sleep, which is woken, and which is offered to submit().
#include "io/queue/reader_sleepers.hpp"

#include <gtest/gtest.h>

#include "io/queue/waiting_helpers.hpp"
#include "io/unpack/part_samples.hpp"

namespace overture::io_detail::reader_sleepers_test {
namespace {

class reader_sleepers_test : public testing::Test {
 protected:
  void add() {
    std::uint32_t seen = 0;
    ASSERT_TRUE(sleepers_.add(true, seen));
    EXPECT_EQ(seen, signal_.word.value());
  }
  // Whether submit() finds a sleeper to wake.
  bool submit() {
    std::uint32_t calls = 0;
    EXPECT_TRUE(inbox_.put({&request_, 1}, 1, calls));
    return calls == read_inbox::reader;
  }
  void take_all() {
    read_inbox::batch next;
    while (received_.take(next)) {
    }
  }

  read_request request_ = test::wanting(0);
  read_inbox inbox_;
  reader_signal signal_;
  read_inbox::receiver received_{inbox_};
  reader_sleepers sleepers_{signal_, received_};
};

TEST_F(reader_sleepers_test, without_sleepers_no_thread_is_woken) {
  EXPECT_FALSE(sleepers_.claim());
  EXPECT_FALSE(submit());
  EXPECT_EQ(sleepers_.claims(), 0u);
}

TEST_F(reader_sleepers_test, one_is_woken_at_a_time) {
  add();
  add();
  const std::uint32_t before = signal_.word.value();
  EXPECT_TRUE(sleepers_.claim());
  EXPECT_NE(signal_.word.value(), before) << "a thread that is about to sleep looks again";
  EXPECT_FALSE(sleepers_.claim()) << "the first is on its way";
  sleepers_.remove();
  EXPECT_TRUE(sleepers_.claim());
  EXPECT_EQ(sleepers_.claims(), 2u);
}

TEST_F(reader_sleepers_test, submit_wakes_the_sleeper_that_was_offered) {
  add();
  EXPECT_TRUE(submit());
  EXPECT_FALSE(submit()) << "once";
  EXPECT_FALSE(sleepers_.claim()) << "it is on its way";
  sleepers_.remove();
}

TEST_F(reader_sleepers_test, a_thread_that_would_miss_a_submit_is_not_added) {
  EXPECT_FALSE(submit());
  std::uint32_t seen = 0;
  EXPECT_FALSE(sleepers_.add(true, seen));
  take_all();
  EXPECT_TRUE(sleepers_.add(true, seen));
}

TEST_F(reader_sleepers_test, an_offer_is_taken_back_while_nothing_may_be_read) {
  add();
  EXPECT_TRUE(sleepers_.offer(false));
  EXPECT_FALSE(submit());
  take_all();
  EXPECT_TRUE(sleepers_.offer(true));
  EXPECT_TRUE(submit());
}

TEST_F(reader_sleepers_test, a_waker_is_called_instead_of_the_signal) {
  int woken = 0;
  sleepers_.set_waker([](void* count) noexcept { ++*static_cast<int*>(count); }, &woken);
  add();
  EXPECT_FALSE(sleepers_.claim());
  EXPECT_EQ(woken, 1);
  sleepers_.remove();
  sleepers_.set_waker(nullptr, nullptr);
  add();
  EXPECT_TRUE(sleepers_.claim());
  EXPECT_EQ(woken, 1);
}

TEST(waiting_helpers, know_which_of_them_wait_for_countdowns) {
  sleep_word word;
  waiting_helpers helpers(word);
  EXPECT_FALSE(helpers.any());
  const std::uint32_t seen = helpers.add(false);
  EXPECT_TRUE(helpers.any());
  EXPECT_FALSE(helpers.any_hears_countdowns());
  (void)helpers.add(true);
  EXPECT_TRUE(helpers.any_hears_countdowns());
  helpers.call();
  EXPECT_NE(word.value(), seen);
  helpers.remove(true);
  helpers.remove(false);
  EXPECT_FALSE(helpers.any());
  EXPECT_FALSE(helpers.any_hears_countdowns());
}

}  // namespace
}  // namespace overture::io_detail::reader_sleepers_test

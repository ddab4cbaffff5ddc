#include "jobs/job_rhythm.hpp"

#include <gtest/gtest.h>

namespace overture {
namespace {

constexpr std::uint64_t since_ns = 1'000'000'000;
constexpr std::uint64_t idle_ns = 200'000;

void come(job_rhythm& rhythm, unsigned times, std::uint64_t each_ns = idle_ns) {
  for (unsigned i = 0; i < times; ++i) rhythm.work_came(each_ns);
}

// The first one says how long, those behind it that it stays so.
constexpr unsigned enough = 1 + job_rhythm::times_least;

TEST(a_rhythm, is_work_that_comes_at_equal_distances) {
  job_rhythm rhythm;
  EXPECT_FALSE(rhythm.has_rhythm());
  come(rhythm, enough - 1);
  EXPECT_FALSE(rhythm.has_rhythm());
  come(rhythm, 1);
  EXPECT_TRUE(rhythm.has_rhythm());
}

TEST(a_rhythm, says_when_to_look_for_work) {
  job_rhythm rhythm;
  come(rhythm, enough);
  EXPECT_LT(rhythm.due_from_ns(since_ns), since_ns + idle_ns);
  EXPECT_GT(rhythm.due_from_ns(since_ns), since_ns + idle_ns / 2);
  EXPECT_GT(rhythm.due_until_ns(since_ns), since_ns + idle_ns);
  EXPECT_LT(rhythm.due_until_ns(since_ns), since_ns + idle_ns + idle_ns / 4);
}

TEST(a_rhythm, bears_small_differences_and_follows_them) {
  job_rhythm rhythm;
  std::uint64_t each_ns = idle_ns;
  for (int i = 0; i < 40; ++i, each_ns += each_ns / 128) come(rhythm, 1, each_ns);
  EXPECT_TRUE(rhythm.has_rhythm());
  EXPECT_LT(rhythm.due_from_ns(since_ns), since_ns + each_ns);
  EXPECT_GT(rhythm.due_until_ns(since_ns), since_ns + each_ns);
}

TEST(a_rhythm, is_none_where_distances_differ) {
  job_rhythm rhythm;
  for (int i = 0; i < 100; ++i) {
    come(rhythm, 1, i % 3 != 0 ? idle_ns : idle_ns * 4 / 5);
    EXPECT_FALSE(rhythm.has_rhythm());
  }
}

TEST(a_rhythm, is_none_of_long_distances) {
  job_rhythm rhythm;
  come(rhythm, 100, job_rhythm::longest_ns);
  EXPECT_TRUE(rhythm.has_rhythm());
  come(rhythm, 100, job_rhythm::longest_ns + 1);
  EXPECT_FALSE(rhythm.has_rhythm());
}

TEST(a_rhythm, that_was_wrong_takes_longer_to_be_believed) {
  job_rhythm rhythm;
  come(rhythm, enough);
  come(rhythm, 1, 2 * idle_ns);
  EXPECT_FALSE(rhythm.has_rhythm());
  come(rhythm, enough);
  EXPECT_FALSE(rhythm.has_rhythm());
  come(rhythm, job_rhythm::times_least);
  EXPECT_TRUE(rhythm.has_rhythm());

  // Right for long enough it is believed as soon as at first.
  come(rhythm, 2 * job_rhythm::times_least);
  come(rhythm, 1, 2 * idle_ns);
  come(rhythm, 1, idle_ns);
  come(rhythm, 2 * job_rhythm::times_least);
  EXPECT_TRUE(rhythm.has_rhythm());
  come(rhythm, 2 * job_rhythm::times_least);
  come(rhythm, 1, 2 * idle_ns);
  come(rhythm, 1 + 2 * job_rhythm::times_least);
  EXPECT_TRUE(rhythm.has_rhythm());
}

TEST(a_rhythm, that_is_wrong_again_and_again_is_tried_now_and_then) {
  job_rhythm rhythm;
  unsigned tried = 0;
  for (unsigned i = 0; i < 10'000; ++i) {
    come(rhythm, 1, rhythm.has_rhythm() ? 2 * idle_ns : idle_ns);
    tried += rhythm.has_rhythm() ? 1 : 0;
  }
  EXPECT_GE(tried, 10'000 / (job_rhythm::times_most + 2));
  EXPECT_LE(tried, 60u);
}

TEST(a_rhythm, begins_as_much_earlier_as_sleeps_end_late) {
  job_rhythm rhythm;
  come(rhythm, enough);
  for (int i = 0; i < 100; ++i) rhythm.woke_late(5'000);
  const std::uint64_t soon_ns = rhythm.due_from_ns(since_ns);
  rhythm.woke_late(15'000);
  EXPECT_EQ(rhythm.due_from_ns(since_ns), soon_ns - 10'000);
  rhythm.woke_late(3'600'000'000'000);
  EXPECT_GT(rhythm.due_from_ns(since_ns), since_ns);
  for (int i = 0; i < 100; ++i) rhythm.woke_late(5'000);
  EXPECT_EQ(rhythm.due_from_ns(since_ns), soon_ns);
}

}  // namespace
}  // namespace overture

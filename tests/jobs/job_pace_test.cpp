#include "jobs/job_pace.hpp"

#include <gtest/gtest.h>

namespace overture {
namespace {

constexpr std::uint64_t jobs = 32;
constexpr std::uint64_t short_enough = jobs * job_pace::short_job_ns;

TEST(the_pace_of_a_worker, tells_short_jobs_from_others) {
  job_pace pace;
  pace.begin(1000, 5);
  EXPECT_TRUE(pace.is_of_short_jobs(1000 + short_enough, 5 + jobs));
  EXPECT_FALSE(pace.is_of_short_jobs(1000 + short_enough + 1, 5 + jobs));
  pace.begin(1000 + short_enough, 5 + jobs);
  EXPECT_TRUE(pace.is_of_short_jobs(1000 + 2 * short_enough, 5 + 2 * jobs)) << "since then";
  EXPECT_FALSE(pace.is_of_short_jobs(1000 + 2 * short_enough + 1, 5 + 2 * jobs));
}

TEST(the_pace_of_a_worker, is_none_without_jobs) {
  job_pace pace;
  EXPECT_FALSE(pace.is_of_short_jobs(0, 0));
  pace.begin(1000, 5);
  EXPECT_FALSE(pace.is_of_short_jobs(1000, 5));
}

}  // namespace
}  // namespace overture

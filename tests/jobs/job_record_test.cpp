// SPDX-License-Identifier: Zlib
#include "jobs/queues/job_record.hpp"

#include <gtest/gtest.h>

namespace overture::jobs_detail::job_record_test {
namespace {

TEST(job_records, are_claimed_once) {
  job_record record;
  EXPECT_FALSE(record.claim());
  record.arm(job([] {}), nullptr, {}, job_record::usual);
  EXPECT_TRUE(record.claim());
  EXPECT_FALSE(record.claim());
  record.arm(job([] {}), nullptr, {}, job_record::usual);
  EXPECT_TRUE(record.claim());
}

TEST(job_records, keep_what_they_need_of_the_options) {
  job_record record;
  const cancellation token;
  record.arm(
      job([] {}), nullptr,
      job_options{.name = "name", .colour = zone_colour::blue, .token = &token, .always = true},
      job_record::usual);
  EXPECT_STREQ(record.given_terms().name, "name");
  EXPECT_EQ(record.given_terms().colour(), zone_colour::blue);
  EXPECT_EQ(record.given_terms().token, &token);
  EXPECT_NE(record.given_terms().bits & job_terms::always, 0u);
  ASSERT_TRUE(record.claim());

  // Nothing of it is left to the next one.
  record.arm(job([] {}), nullptr, {}, job_record::usual);
  EXPECT_EQ(record.given_terms().name, nullptr);
  EXPECT_EQ(record.given_terms().colour(), zone_colour::by_name);
  EXPECT_EQ(record.given_terms().token, nullptr);
  EXPECT_EQ(record.given_terms().bits & job_terms::always, 0u);
}

// A hint may be followed when the record holds another job by then.
TEST(job_records, are_not_claimed_by_a_search_for_another_kind) {
  job_record record;
  for (const std::uint32_t kind :
       {job_record::usual, job_record::urgent, job_record::background, job_record::of_main}) {
    record.arm(job([] {}), nullptr, {}, kind);
    for (const std::uint32_t other :
         {job_record::usual, job_record::urgent, job_record::background, job_record::of_main}) {
      if (other == kind) continue;
      EXPECT_FALSE(record.claim(other) || record.claim_of(nullptr, other));
    }
    EXPECT_TRUE(record.is_queued_as(kind));
    EXPECT_EQ(record.is_queued_as(job_record::usual), kind == job_record::usual);
    EXPECT_TRUE(record.claim(kind));
    EXPECT_TRUE(record.is_of(kind));
    EXPECT_FALSE(record.is_queued_as(kind));
  }
}

}  // namespace
}  // namespace overture::jobs_detail::job_record_test

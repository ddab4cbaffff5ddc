// SPDX-License-Identifier: Zlib
//
// A record that a stale hint leads to while it gets its next job.
#include "jobs/queues/job_record.hpp"

#include <gtest/gtest.h>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"

namespace overture::jobs_detail::job_record_test {
namespace {

using interleave::check;
using interleave::run;

TEST(a_job_record_in_all_interleavings, is_complete_where_a_stale_hint_claims_it) {
  interleave::expect_clean_nearby([] {
    job_record record;
    atomic<int> claims{0};
    int runs = 0;  // not atomic: only the thread that claims the record runs its job
    const auto run_it = [&](job_group* owner) {
      const bool mine = owner != nullptr ? record.claim_of(owner) : record.claim();
      if (!mine) return;
      claims.fetch_add(1);
      check(record.given_terms().colour() == zone_colour{3}, "the options of the job");
      record.work();
    };
    auto* const group = reinterpret_cast<job_group*>(&runs);  // only compared
    job_options options;
    options.colour = zone_colour{3};
    run({[&] {
           record.arm(job([&runs] { ++runs; }), group, options, job_record::usual);
           run_it(nullptr);
         },
         [&] { run_it(nullptr); },
         [&] {
           if (record.is_queued_as(job_record::usual)) run_it(group);
         }});
    check(claims.load() == 1 && runs == 1, "one thread has run it");
  });
}

TEST(a_job_record_in_all_interleavings, is_never_claimed_for_the_group_of_its_last_job) {
  interleave::expect_clean_nearby([] {
    job_record record;
    int groups[2] = {};  // only their addresses matter
    auto* const last = reinterpret_cast<job_group*>(&groups[0]);
    auto* const next = reinterpret_cast<job_group*>(&groups[1]);
    record.arm(job([] {}), last, {}, job_record::usual);
    check(record.claim(), "its last job");
    run({[&] { record.arm(job([] {}), next, {}, job_record::usual); },
         [&] { check(!record.claim_of(last), "a stale hint of the last group"); }});
    check(record.claim_of(next), "its next job is still there");
  });
}

TEST(a_job_record_in_all_interleavings, is_not_claimed_for_a_group_once_it_has_its_next_job) {
  interleave::expect_clean_nearby([] {
    job_record record;
    int groups[2] = {};  // only their addresses matter
    auto* const last = reinterpret_cast<job_group*>(&groups[0]);
    auto* const next = reinterpret_cast<job_group*>(&groups[1]);
    record.arm(job([] {}), last, {}, job_record::usual);
    bool ran = false;
    bool claimed = false;
    run({[&] {
           ran = record.claim();
           if (ran) record.arm(job([] {}), next, {}, job_record::usual);
         },
         [&] { claimed = record.claim_of(last); }});
    check(ran != claimed, "one of them has its last job");
    check(!ran || record.claim_of(next), "its next job is still there");
  });
}

TEST(a_job_record_in_all_interleavings, is_claimed_only_by_threads_that_may_run_its_kind) {
  job_record record;
  record.arm(job([] {}), nullptr, {}, job_record::of_main);
  EXPECT_FALSE(record.claim(job_record::usual));
  EXPECT_FALSE(record.claim(job_record::background));
  EXPECT_TRUE(record.claim(job_record::of_main));
}

// A thread that has claimed a record puts it back into a queue, as a full queue makes it do.
TEST(a_job_record_in_all_interleavings, shows_what_its_last_owner_did) {
  interleave::expect_clean_nearby([] {
    job_record record;
    int steps = 0;
    record.arm(job([&steps] { ++steps; }), nullptr, {}, job_record::usual);
    const auto work = [&] {
      if (!record.claim()) return;
      ++steps;
      if (steps == 1) {
        record.arm_again(nullptr, job_record::usual);
      } else {
        record.work();
      }
    };
    run({work, work});
    check(steps == 1 || steps == 3, "one after the other");
  });
}

}  // namespace
}  // namespace overture::jobs_detail::job_record_test

// SPDX-License-Identifier: Zlib
//
// What a worker without work does, step by step in virtual time.
#include "jobs/idle/idle.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace overture::jobs_detail::idle_test {
namespace {

constexpr idle_tuning tuning{.spin_ns = 2'000,
                             .spin_long_ns = 40'000,
                             .yield_ns = 5'000,
                             .warm_ns = 100'000,
                             .expected_lead_ns = 60'000,
                             .expected_slack_ns = 500'000};

constexpr auto starts = idle_event::starts;
constexpr auto nothing = idle_event::found_nothing;
constexpr auto woken = idle_event::woken;
constexpr auto ends = idle_event::ends;
constexpr auto ends_with_more = idle_event::ends_with_more;
constexpr auto look = idle_step::look;
constexpr auto yield = idle_step::yield;
constexpr auto sleep = idle_step::sleep;
constexpr auto wake_next = idle_step::wake_next;
constexpr auto go_on = idle_step::go_on;

struct row {
  idle_event event;
  idle_step expected;
};

class workers_without_work : public testing::Test {
 protected:
  void use(wake_policy policy) { pool_.policy.set_base(policy); }
  // What the worker does at each event.
  void expect_steps(idle_state& worker, const std::vector<row>& rows) {
    for (const row& each : rows) {
      const idle_step step = next(worker, pool_, each.event);
      EXPECT_EQ(step.what, each.expected.what) << "at " << each.event.at_ns;
      EXPECT_EQ(step.until_ns, each.expected.until_ns) << "at " << each.event.at_ns;
    }
  }

  idle_shared pool_{wake_policy::park, tuning};
  idle_state one_;
  idle_state other_;
};

TEST_F(workers_without_work, look_for_a_moment_and_sleep) {
  expect_steps(one_, {{{starts, 1'000'000}, {look}},
                      {{nothing, 1'001'000}, {look}},
                      {{nothing, 1'001'999}, {look}},
                      {{nothing, 1'002'000}, {sleep}}});
}

TEST_F(workers_without_work, look_anew_after_each_job) {
  expect_steps(one_, {{{starts, 1'000'000}, {look}},
                      {{ends}, {go_on}},
                      {{starts, 1'500'000}, {look}},
                      {{nothing, 1'501'999}, {look}},
                      {{nothing, 1'502'000}, {sleep}}});
}

TEST_F(workers_without_work, look_longer_after_a_sleep_shorter_than_a_wake_costs) {
  expect_steps(one_, {{{starts, 1'000'000}, {look}},
                      {{nothing, 1'002'000}, {sleep}},
                      {{woken, 1'070'000, 1'041'999}, {look}},
                      {{ends}, {go_on}},
                      {{starts, 1'080'000}, {look}},
                      {{nothing, 1'119'000}, {yield}},
                      {{nothing, 1'119'999}, {look}},
                      {{nothing, 1'120'000}, {sleep}},
                      {{woken, 1'200'000, 1'160'000}, {look}},
                      {{ends}, {go_on}},
                      {{starts, 1'210'000}, {look}},
                      {{nothing, 1'212'000}, {sleep}}});
}

TEST_F(workers_without_work, yield_now_and_then_while_they_look_for_long) {
  use(wake_policy::spin);
  expect_steps(one_, {{{starts, 1'000'000}, {look}},
                      {{nothing, 1'004'999}, {look}},
                      {{nothing, 1'005'000}, {yield}},
                      {{nothing, 1'006'000}, {look}},
                      {{nothing, 1'009'999}, {look}},
                      {{nothing, 1'010'000}, {yield}}});
}

TEST_F(workers_without_work, never_sleep_under_the_policy_spin) {
  use(wake_policy::spin);
  EXPECT_FALSE(may_sleep(pool_));
  expect_steps(one_, {{{starts, 1'000'000}, {look}}, {{nothing, 9'000'000'000}, {yield}}});
}

TEST_F(workers_without_work, wake_each_other_when_the_policy_becomes_spin) {
  expect_steps(one_, {{{starts, 1'000'000}, {look}}, {{nothing, 1'002'000}, {sleep}}});
  use(wake_policy::spin);
  expect_steps(one_, {{{woken, 2'000'000, 1'990'000}, {wake_next}}});
  use(wake_policy::park);
  EXPECT_TRUE(may_sleep(pool_));
}

TEST_F(workers_without_work, wake_the_next_one_for_work_beyond_their_own) {
  expect_steps(one_, {{{starts, 1'000'000}, {look}}, {{ends_with_more}, {wake_next}}});
  expect_steps(one_, {{{starts, 1'000'000}, {look}}, {{ends}, {go_on}}});
}

TEST_F(workers_without_work, keep_one_warm_for_its_budget) {
  use(wake_policy::warm);
  expect_steps(one_, {{{starts, 1'000'000}, {look}}, {{nothing, 1'002'000}, {look}}});
  expect_steps(other_, {{{starts, 1'000'000}, {look}}, {{nothing, 1'002'000}, {sleep}}});
  expect_steps(one_, {{{nothing, 1'099'999}, {yield}}, {{nothing, 1'100'000}, {sleep}}});
}

TEST_F(workers_without_work, hand_the_warm_role_on_with_the_first_job) {
  use(wake_policy::warm);
  expect_steps(one_,
               {{{starts, 1'000'000}, {look}}, {{nothing, 1'002'000}, {look}}, {{ends}, {go_on}}});
  expect_steps(other_, {{{starts, 1'000'000}, {look}}, {{nothing, 1'002'000}, {look}}});
}

TEST_F(workers_without_work, hand_the_warm_role_on_when_the_budget_is_used_up) {
  use(wake_policy::warm);
  expect_steps(one_, {{{starts, 1'000'000}, {look}},
                      {{nothing, 1'002'000}, {look}},
                      {{nothing, 1'100'000}, {sleep}}});
  expect_steps(other_, {{{starts, 1'100'000}, {look}}, {{nothing, 1'102'000}, {look}}});
}

TEST_F(workers_without_work, are_back_shortly_before_expected_work) {
  pool_.expected_ns.store(2'000'000);
  expect_steps(one_, {{{starts, 1'000'000}, {look}},
                      {{nothing, 1'002'000}, {sleep, 1'940'000}},
                      {{woken, 1'941'000, 1'940'500}, {look}},
                      {{nothing, 1'960'000}, {yield}},
                      {{nothing, 2'499'999}, {yield}},
                      {{nothing, 2'500'000}, {sleep}}});
}

TEST_F(workers_without_work, stay_awake_for_work_that_is_expected_soon) {
  pool_.expected_ns.store(1'050'000);
  expect_steps(one_, {{{starts, 1'000'000}, {look}},
                      {{nothing, 1'002'000}, {look}},
                      {{nothing, 1'549'999}, {yield}},
                      {{nothing, 1'550'000}, {sleep}}});
}

TEST_F(workers_without_work, leave_expected_work_to_one_of_them) {
  pool_.expected_ns.store(2'000'000);
  expect_steps(one_, {{{starts, 1'000'000}, {look}}, {{nothing, 1'002'000}, {sleep, 1'940'000}}});
  expect_steps(other_, {{{starts, 1'000'000}, {look}}, {{nothing, 1'002'000}, {sleep}}});
  expect_steps(one_, {{{woken, 1'940'000, 1'940'000}, {look}}, {{nothing, 1'945'000}, {yield}}});
  expect_steps(other_, {{{woken, 1'950'000, 1'950'000}, {look}}, {{nothing, 1'952'000}, {sleep}}});
}

// A main thread that is late names the time of its next frame before it submits this one's jobs.
TEST_F(workers_without_work, still_look_for_expected_work_when_the_next_time_is_named) {
  pool_.expected_ns.store(2'000'000);
  expect_steps(one_, {{{starts, 1'000'000}, {look}}, {{nothing, 1'002'000}, {sleep, 1'940'000}}});
  pool_.expected_ns.store(20'000'000);
  expect_steps(one_, {{{woken, 1'941'000, 1'941'000}, {look}},
                      {{nothing, 2'499'000}, {yield}},
                      {{nothing, 2'500'000}, {sleep, 19'940'000}}});
}

TEST_F(workers_without_work, go_back_to_sleep_when_woken_early_for_nothing) {
  pool_.expected_ns.store(2'000'000);
  expect_steps(one_, {{{starts, 1'000'000}, {look}},
                      {{nothing, 1'002'000}, {sleep, 1'940'000}},
                      {{woken, 1'500'000, 1'490'000}, {look}},
                      {{nothing, 1'502'000}, {sleep, 1'940'000}}});
}

TEST_F(workers_without_work, expect_nothing_when_it_was_taken_back) {
  pool_.expected_ns.store(2'000'000);
  pool_.expected_ns.store(0);
  expect_steps(one_, {{{starts, 1'000'000}, {look}}, {{nothing, 1'002'000}, {sleep}}});
}

// One sleeps until the time named; the other has run the jobs and is the warm one.
TEST_F(workers_without_work, keep_one_warm_while_another_sleeps_until_expected_work) {
  use(wake_policy::warm);
  pool_.expected_ns.store(900'000'000);
  expect_steps(one_, {{{starts, 1'000'000}, {look}},
                      {{nothing, 1'002'000}, {look}},
                      {{nothing, 1'100'000}, {sleep, 899'940'000}}});
  expect_steps(other_, {{{starts, 1'100'000}, {look}},
                        {{nothing, 1'150'000}, {yield}},
                        {{nothing, 1'200'000}, {sleep}}});
}

}  // namespace
}  // namespace overture::jobs_detail::idle_test

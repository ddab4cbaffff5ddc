// SPDX-License-Identifier: Zlib
#include "jobs/idle/idle.hpp"

namespace overture::jobs_detail {
namespace {

void give_up_warm_role(idle_state& own, idle_shared& pool) noexcept {
  if (!own.is_warm) return;
  own.is_warm = false;
  pool.warm.give_back();
}

bool keeps_looking(idle_state& own, idle_shared& pool, std::uint64_t at_ns) noexcept {
  const idle_tuning& tuned = pool.tuning;
  const std::uint64_t looked_ns = at_ns - own.since_ns;
  // Where jobs come faster than a thread can sleep and wake, sleeping costs more than looking.
  if (looked_ns < (own.jobs_come_fast ? tuned.spin_long_ns : tuned.spin_ns)) return true;
  const wake_policy policy = pool.policy.now();
  if (policy == wake_policy::spin) return true;
  const std::uint64_t expected_ns = pool.expected_ns.load(std::memory_order_relaxed);
  if (expected_ns != 0 && at_ns + tuned.expected_lead_ns >= expected_ns) {
    own.look_until_ns = expected_ns + tuned.expected_slack_ns;
  }
  const bool is_expected = at_ns < own.look_until_ns;
  const bool is_within_budget = policy == wake_policy::warm && looked_ns < tuned.warm_ns;
  if (!is_expected && !is_within_budget) return false;
  own.is_warm = own.is_warm || pool.warm.try_take();
  return own.is_warm;
}

idle_step fall_asleep(idle_state& own, idle_shared& pool, std::uint64_t at_ns) noexcept {
  give_up_warm_role(own, pool);
  own.asleep_ns = at_ns;
  const std::uint64_t expected_ns = pool.expected_ns.load(std::memory_order_relaxed);
  const std::uint64_t lead_ns = pool.tuning.expected_lead_ns;
  if (expected_ns > at_ns + lead_ns && pool.alarm.try_take()) own.alarm_ns = expected_ns - lead_ns;
  return {idle_step::sleep, own.alarm_ns};
}

idle_step look_or_sleep(idle_state& own, idle_shared& pool, std::uint64_t at_ns) noexcept {
  if (!keeps_looking(own, pool, at_ns)) return fall_asleep(own, pool, at_ns);
  // A yield takes half a microsecond in which no job starts. But this worker may have been woken on
  // the processor of the thread that submits, and must not keep it from running.
  if (at_ns - own.since_ns < pool.tuning.spin_ns || at_ns - own.yielded_ns < pool.tuning.yield_ns) {
    return {idle_step::look};
  }
  own.yielded_ns = at_ns;
  return {idle_step::yield};
}

idle_step wake_up(idle_state& own, idle_shared& pool, const idle_event& event) noexcept {
  const idle_tuning& tuned = pool.tuning;
  own.since_ns = own.yielded_ns = event.at_ns;
  // Up to the signal: a machine that is slow to wake says nothing about how fast jobs come.
  own.jobs_come_fast = event.signalled_ns < own.asleep_ns + tuned.spin_long_ns;
  if (own.alarm_ns != 0) {
    pool.alarm.give_back();
    // The host may have named the next time by now, but the work this worker was woken for is still
    // due.
    if (event.at_ns >= own.alarm_ns) {
      own.look_until_ns = own.alarm_ns + tuned.expected_lead_ns + tuned.expected_slack_ns;
    }
    own.alarm_ns = 0;
  }
  // Under `spin` all workers must be awake. Each wakes one, so no thread pays for all of them.
  return {may_sleep(pool) ? idle_step::look : idle_step::wake_next};
}

}  // namespace

idle_step next(idle_state& own, idle_shared& pool, const idle_event& event) noexcept {
  switch (event.what) {
    case idle_event::starts:
      own.since_ns = own.yielded_ns = event.at_ns;
      return look_or_sleep(own, pool, event.at_ns);
    case idle_event::found_nothing:
      return look_or_sleep(own, pool, event.at_ns);
    case idle_event::woken:
      return wake_up(own, pool, event);
    case idle_event::ends:
    case idle_event::ends_with_more:
      break;
  }
  give_up_warm_role(own, pool);
  own.look_until_ns = 0;
  // A submit wakes one worker at most; a worker that finds work while there is more wakes the next.
  return {event.what == idle_event::ends_with_more ? idle_step::wake_next : idle_step::go_on};
}

}  // namespace overture::jobs_detail

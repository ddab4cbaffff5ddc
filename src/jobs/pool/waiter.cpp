// SPDX-License-Identifier: Zlib
#include "jobs/pool/waiter.hpp"

#include <utility>

#include "overture/jobs/job_batch.hpp"
#include "overture/sync/wait_observer.hpp"
#include "sync/ladder.hpp"

namespace overture::jobs_detail {
namespace {

constexpr std::uint32_t counted_at_once = 32;

}  // namespace

waiter::waiter(pool_state& pool, job_group& group, std::uint64_t deadline_ns) noexcept
    : pool_(pool),
      slot_(pool.slots.of_this_thread()),
      is_borrowed_(slot_ == nullptr && (slot_ = pool.slots.borrow_usual_guest()) != nullptr),
      group_(group),
      deadline_ns_(deadline_ns),
      wanted_{&group, pool.is_main_thread(), job_place::from_word(group.begin())},
      ended_(pool.runner) {
  if (is_borrowed_) pool_slots::enter(*slot_);
  ended_.begin(&group);
}

waiter::~waiter() {
  if (slot_ != nullptr) pool_.queues.tidy_own(*slot_);
  if (is_borrowed_) pool_slots::leave(*slot_, pool_.slab);
}

bool waiter::wait(pool_state& pool, job_group& group, std::uint64_t deadline_ns) noexcept {
  if (refuse_wait(pool.runner.reports, group)) return false;
  waiter self(pool, group, deadline_ns);
  while (!self.has_ended()) {
    // Help first, then look at the clock: calls that allow no time still make progress.
    const bool helped = self.help();
    if (deadline_ns != 0 && now_ns() >= deadline_ns) {
      self.ended_.count_down();
      self.pass_wake_on();
      return group.pending() == 0;
    }
    if (helped) continue;
    self.idle();
  }
  return true;
}

bool waiter::has_ended() noexcept {
  if (group_.pending() != ended_.count()) return false;
  ended_.count_down();
  return true;
}

bool waiter::help() noexcept {
  // Behind thousands of other jobs a full look takes longer than the group needs to end.
  const found_work found = find(sizes::glance);
  if (found) {
    if (std::exchange(was_woken_, false)) wake_others();
    run(found);
    return true;
  }
  ended_.count_down();
  if (was_woken_) pool_.futile_wakes_of_waiters.fetch_add(1, std::memory_order_relaxed);
  return false;
}

found_work waiter::find(std::uint64_t most) noexcept {
  found_work found{pool_.queues.find_of(slot_, wanted_, most), nullptr};
  if (!found) found.half = pool_.queues.find_fork_of(slot_, &group_);
  return found;
}

void waiter::run(const found_work& found) noexcept {
  if (found.half != nullptr) return pool_.runner.run_half(slot_, *found.half);
  pool_.runner.run_uncounted(slot_, *found.record);
  pool_.sleepers.tell_helpers();
  ended_.add();
  if (ended_.count() == counted_at_once) ended_.count_down();
}

void waiter::idle() noexcept {
  found_work found;
  {
    // A job that waits for its own group does not lack what the pool lacks.
    const bool in_job = this_thread_jobs().innermost != nullptr;
    std::optional<idle_wait> waits(std::in_place, in_job ? nullptr : &pool_.idle_reasons,
                                   wait_reasons::group);
    if (sync_detail::climb_ladder([this]() noexcept { return group_.pending() == 0; })) return;
    flush_corks();
    found = sleep(waits);
  }
  if (!found) return;
  pass_wake_on();
  run(found);
}

found_work waiter::sleep(std::optional<idle_wait>& waits) noexcept {
  parking& sleepers = pool_.sleepers;
  const unsigned seat = slot_ != nullptr ? slot_->number : sleepers.take_seat();
  if (seat == parking::no_seat) {
    waits.reset();  // the crowd reports its waits itself
    return sleep_in_crowd();
  }
  sleepers.announce_waiter(seat, &group_);
  const found_work found = find();
  if (found || group_.pending() == 0) {
    was_woken_ = sleepers.withdraw_waiter(seat);
  } else {
    was_woken_ = sleepers.sleep_waiter(seat, deadline_ns_);
  }
  if (slot_ == nullptr) sleepers.leave_seat(seat);
  return found;
}

// As sleep(), but no wake is for this thread alone, so it owes none to others.
found_work waiter::sleep_in_crowd() noexcept {
  parking& sleepers = pool_.sleepers;
  const event_count::key_type key = sleepers.join_crowd();
  const found_work found = find();
  if (found || group_.pending() == 0) {
    sleepers.leave_crowd();
  } else {
    sleepers.sleep_in_crowd(key, deadline_ns_);
  }
  return found;
}

void waiter::wake_others() noexcept {
  pool_.sleepers.wake_waiters(&group_);
  if (pool_.queues.work_visible()) pool_.sleepers.work_added(nullptr);
}

void waiter::pass_wake_on() noexcept {
  if (std::exchange(was_woken_, false)) pool_.sleepers.work_added(&group_);
}

}  // namespace overture::jobs_detail

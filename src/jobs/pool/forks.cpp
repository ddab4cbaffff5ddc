// SPDX-License-Identifier: Zlib
#include "jobs/pool/forks.hpp"

#include "overture/jobs/job_batch.hpp"
#include "overture/sync/wait_observer.hpp"
#include "sync/ladder.hpp"

namespace overture::jobs_detail {
namespace {

// True if the half is the newest and was taken back.
bool take_back(pool_state& pool, pool_slot& self, fork_half& half) noexcept {
  // No job from outside lies above a fork.
  while (self.deque.has_own()) {
    const job_hint newest = self.deque.pop();
    if (!newest) return false;
    if (newest.half() == &half) return true;
    // A job that the first half has submitted and not waited for. It is not for this thread, unless
    // there is no memory to put it elsewhere.
    job_record* const other = newest.record();
    if (other == nullptr || !other->claim() || pool.intake.add_again(*other)) continue;
    pool.runner.run(&self, *other);
  }
  return false;
}

bool is_done(const fork_half& half) noexcept {
  return half.state.load(std::memory_order_seq_cst) == fork_half::done;
}

// What the thread that has taken the half forks from it.
fork_half* find_fork_of(const fork_half& half) noexcept {
  auto* const thief = static_cast<pool_slot*>(half.thief.load(std::memory_order_acquire));
  if (thief == nullptr) return nullptr;
  return thief->deque.steal_fork(thief->forks_start, [thief, &half]() noexcept {
    return thief->runs.load(std::memory_order_acquire) == &half;
  });
}

// Sleeps unless it finds a fork or the half is done.
fork_half* wait_for_half(pool_state& pool, const pool_slot& self, const fork_half& half) noexcept {
  flush_corks();
  pool.sleepers.announce_waiter(self.number, &half);
  fork_half* const found = find_fork_of(half);
  if (found != nullptr || is_done(half)) {
    (void)pool.sleepers.withdraw_waiter(self.number);
  } else {
    const observed_wait waits(wait_reasons::group);
    (void)pool.sleepers.sleep_waiter(self.number, 0);
  }
  return found;
}

void join_stolen(pool_state& pool, pool_slot& self, const fork_half& half) noexcept {
  while (!is_done(half)) {
    fork_half* found = nullptr;
    const bool ready = sync_detail::climb_ladder([&half, &found]() noexcept {
      found = find_fork_of(half);
      return found != nullptr || is_done(half);
    });
    if (!ready) found = wait_for_half(pool, self, half);
    if (found == nullptr) continue;
    self.jobs_stolen.add(1);
    pool.runner.run_half(&self, *found);
  }
}

}  // namespace

void fork(pool_state& pool, fork_half& half) noexcept {
  pool_slot* self = pool.slots.of_this_thread();
  if (self == nullptr) {
    self = pool.slots.borrow_any_guest();
    if (self == nullptr) return;
    pool_slots::enter(*self);
    half.slot_borrowed = true;
  }
  if (!self->deque.make_room()) {
    if (half.slot_borrowed) pool_slots::leave(*self, pool.slab);
    return;
  }
  half.slot = self;
  half.below = this_thread_jobs().innermost;
  if (half.slot_borrowed) self->forks_open = 1;
  self->deque.push_fork(half);
  pool.sleepers.fork_added(self->runs.load(std::memory_order_relaxed));
}

void join(pool_state& pool, fork_half& half) noexcept {
  auto& self = *static_cast<pool_slot*>(half.slot);
  if (take_back(pool, self, half)) {
    half.run(half);
  } else if (half.state.load(std::memory_order_acquire) != fork_half::done) {
    join_stolen(pool, self, half);
  }
  if (!half.slot_borrowed) return;
  self.forks_open = 0;
  pool_slots::leave(self, pool.slab);
}

}  // namespace overture::jobs_detail

// SPDX-License-Identifier: Zlib
#include "jobs/queues/job_queues.hpp"

#include <algorithm>
#include <array>

namespace overture::jobs_detail {
namespace {

static_assert(sizes::taken_at_once <= job_deque::first_capacity,
              "a worker takes them with an empty deque");
static_assert(limits::pool_workers_max < 4000, "numbers of slots fit into a job_place");

}  // namespace

// -- adding --

shared_queue& job_queues::of(job_priority priority) noexcept {
  switch (priority) {
    case job_priority::high:
      return urgent_;
    case job_priority::low:
      return background_;
    case job_priority::normal:
      break;
  }
  return overflow_;
}

void job_queues::added_to(const shared_queue& queue, const job_group* group) noexcept {
  if (&queue != &of_main_ && (&queue != &background_ || background_has_room())) {
    return sleepers_.work_added(group);
  }
  // No worker may take it now, but a waiter may, and only one of them may be the main thread.
  sleepers_.tell_helpers();
  if (group != nullptr) sleepers_.wake_waiters(group);
}

// -- for a worker --

job_record* job_queues::take_own(pool_slot& self) noexcept {
  job_deque& deque = self.deque;
  while (!deque.empty()) {
    // What this worker's jobs have submitted runs newest first, while its data is in the cache.
    // What came from outside runs in the order it came.
    if (!deque.has_own()) return deque.claim_arrival();
    job_record* const newest = deque.pop().record();
    if (newest != nullptr && newest->claim()) return newest;
  }
  return nullptr;
}

job_record* job_queues::take_background() noexcept {
  if (background_.empty()) return nullptr;
  if (background_now_.fetch_add(1, std::memory_order_seq_cst) <
      background_max_.load(std::memory_order_relaxed)) {
    if (job_record* const taken = background_.take()) return taken;
  }
  background_ended();
  return nullptr;
}

found_work job_queues::steal(pool_slot& self, submitter_rotation& rotation, unsigned any) noexcept {
  const unsigned count = slots_.size();
  const unsigned first = rotation.first(count, any % count);
  for (unsigned i = 0; i < count; ++i) {
    const unsigned number = (first + i) % count;
    pool_slot& victim = slots_[number];
    if (&victim == &self) continue;
    while (const job_hint hint = victim.deque.steal()) {
      if (!hint.is_half() && !hint.record()->claim()) continue;
      self.jobs_stolen.add(1);
      if (hint.record() != nullptr && number >= slots_.first_guest()) {
        rotation.took_from(number, victim.deque);
        take_more(self, victim.deque, rotation.left());
      }
      return {hint.record(), hint.half()};
    }
  }
  return {};
}

// Jobs of a host thread: several at once, so that not each of them is searched for.
void job_queues::take_more(pool_slot& self, job_deque& from, std::uint64_t most) noexcept {
  std::array<job_record*, sizes::taken_at_once> taken;
  const std::size_t count = from.steal_arrivals(
      std::span(taken).first(std::min<std::uint64_t>(sizes::taken_at_once, most)));
  if (count == 0) return;
  for (std::size_t i = 0; i < count; ++i) fetch_line(taken[i]);
  self.deque.push_all({taken.data(), count});
  self.deque.mark_arrivals();
  // They were hidden for a moment. Their lines are still on the way, so their groups are read only
  // if there are waiters. A record that has run since belongs to a group that needs no help.
  if (!sleepers_.has_waiters()) return;
  group_set groups;
  for (std::size_t i = 0; i < count; ++i) {
    groups.add(taken[i]->group.load(std::memory_order_relaxed));
  }
  groups.wake_waiters(sleepers_);
}

bool job_queues::host_work_visible() const noexcept {
  return !overflow_.empty() || !urgent_.empty() ||
         std::any_of(slots_.guests(), slots_.end(),
                     [](const pool_slot& each) noexcept { return !each.deque.empty(); });
}

bool job_queues::work_visible() const noexcept {
  return !overflow_.empty() || !urgent_.empty() ||
         (!background_.empty() && background_has_room()) ||
         std::any_of(slots_.begin(), slots_.end(),
                     [](const pool_slot& each) noexcept { return !each.deque.empty(); });
}

// -- for a thread that waits, or helps --

job_record* job_queues::find_of(pool_slot* self, group_search& wanted,
                                std::uint64_t most) noexcept {
  const job_group* const group = wanted.group;
  if (self != nullptr) {
    if (job_record* const found = claim_at_end_of_own(*self, group)) return found;
  }
  if (job_record* const found = take_where_it_began(self, wanted, most)) return found;
  if (self != nullptr) {
    job_deque& own = self->deque;
    const std::uint64_t most_own = wanted.from.queue != job_place::none ? most : everything;
    if (job_record* const found = own.claim_of(group, own.has_own(), most_own)) {
      own.left_one_inside();
      return found;
    }
  }
  for (shared_queue* const each : {&urgent_, &overflow_}) {
    if (job_record* const found = each->take_of(group, most)) return found;
  }
  for (pool_slot& each : slots_) {
    if (&each == self) continue;
    if (job_record* const found = each.deque.take_of(group, most)) return found;
  }
  if (job_record* const found = background_.take_of(group, most)) return found;
  return wanted.is_main_thread ? of_main_.take_of(group, most) : nullptr;
}

shared_queue& job_queues::with_kind(std::uint32_t kind) noexcept {
  switch (kind) {
    case job_record::urgent:
      return urgent_;
    case job_record::background:
      return background_;
    case job_record::of_main:
      return of_main_;
    default:
      return overflow_;
  }
}

job_record* job_queues::take_where_it_began(pool_slot* self, group_search& wanted,
                                            std::uint64_t most) noexcept {
  const std::uint32_t queue = wanted.from.queue;
  if (queue == job_place::none) return nullptr;
  if (queue < first_slot) {
    shared_queue& began_in = with_kind(queue - 1);
    if (&began_in == &of_main_ && !wanted.is_main_thread) return nullptr;
    return began_in.take_next_of(wanted.group, wanted.from.position, most);
  }
  const std::uint32_t number = queue - first_slot;
  if (number >= slots_.size()) return nullptr;
  pool_slot& slot = slots_[number];
  const bool is_own = &slot == self;
  job_record* const found =
      slot.deque.claim_next_of(wanted.group, wanted.from.position, is_own ? everything : most);
  if (is_own && found != nullptr) slot.deque.left_one_inside();
  return found;
}

job_record* job_queues::claim_at_end_of_own(pool_slot& self, const job_group* group) noexcept {
  while (self.deque.has_own()) {
    const job_hint newest = self.deque.peek();
    if (!newest) return nullptr;
    job_record* const top = newest.record();
    // On top lies a fork of this thread, or a job of another group. It stays there.
    if (top == nullptr || (top->is_queued_as(job_record::usual) &&
                           top->group.load(std::memory_order_relaxed) != group)) {
      return nullptr;
    }
    // A job of the group, or a hint that is no longer needed: either way it comes off.
    job_record* const taken = self.deque.pop().record();
    if (taken != nullptr && taken->claim_of(group)) return taken;
  }
  // From outside: in the order they came.
  return self.deque.claim_arrival_of(group);
}

void job_queues::tidy_own(pool_slot& self) noexcept {
  // The position of a fork matters, so while there may be one nothing moves.
  const bool may_have_forks =
      self.runs.load(std::memory_order_relaxed) != nullptr || self.forks_open != 0;
  if (!may_have_forks) self.deque.tidy(sleepers_);
}

fork_half* job_queues::find_fork_of(const pool_slot* self, const void* work) noexcept {
  for (pool_slot& other : slots_) {
    const auto runs_it = [&other, work]() noexcept {
      return other.runs.load(std::memory_order_acquire) == work;
    };
    if (&other == self || !runs_it()) continue;
    if (fork_half* const found = other.deque.steal_fork(other.forks_start, runs_it)) return found;
  }
  return nullptr;
}

found_work job_queues::take_any() noexcept {
  for (shared_queue* const each : {&urgent_, &overflow_}) {
    if (job_record* const taken = each->take()) return {taken, nullptr};
  }
  for (pool_slot& each : slots_) {
    while (const job_hint hint = each.deque.steal()) {
      if (hint.is_half() || hint.record()->claim()) return {hint.record(), hint.half()};
    }
  }
  return {background_.take(), nullptr};
}

}  // namespace overture::jobs_detail

// SPDX-License-Identifier: Zlib
#include "jobs/queues/job_deque.hpp"

#include <algorithm>
#include <new>

namespace overture::jobs_detail {
namespace {

constexpr std::size_t array_bytes(std::uint64_t capacity) noexcept {
  return 2 * sizeof(void*) + capacity * sizeof(atomic<job_hint>);
}

}  // namespace

job_deque::~job_deque() {
  array* current = array_.load(std::memory_order_relaxed);
  while (current != nullptr) {
    array* const older = current->outgrown;
    memory_->deallocate(current, array_bytes(current->capacity), alignof(array), memory_tag::jobs);
    current = older;
  }
}

job_deque::array* job_deque::make_array(std::uint64_t capacity) noexcept {
  static_assert(sizeof(array) == 2 * sizeof(void*));
  void* const memory = memory_->allocate(array_bytes(capacity), alignof(array), memory_tag::jobs);
  if (memory == nullptr) return nullptr;
  auto* const made = ::new (memory) array{capacity, nullptr};
  for (std::uint64_t i = 0; i < capacity; ++i) {
    ::new (static_cast<void*>(made->slots() + i)) atomic<job_hint>(job_hint());
  }
  return made;
}

bool job_deque::initialise(allocator& memory) noexcept {
  memory_ = &memory;
  array* const first = make_array(first_capacity);
  own_array_ = first;
  array_.store(first, std::memory_order_release);
  return first != nullptr;
}

bool job_deque::make_room(std::uint64_t count) noexcept {
  const std::uint64_t bottom = own_bottom_;
  array* const old = own_array_;
  // The top only rises, and thieves write its line: the one seen last does while there is room.
  if (bottom - top_seen_ + count <= old->capacity) return true;
  const std::uint64_t top = top_seen_ = top_.load(std::memory_order_acquire);
  if (bottom - top + count <= old->capacity) return true;
  std::uint64_t capacity = old->capacity * 2;
  while (capacity < bottom - top + count) capacity *= 2;
  array* const wider = make_array(capacity);
  if (wider == nullptr) return false;
  for (std::uint64_t i = top; i != bottom; ++i) {
    wider->slot(i).store(old->slot(i).load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
  wider->outgrown = old;
  own_array_ = wider;
  array_.store(wider, std::memory_order_release);
  return true;
}

void job_deque::push_all(std::span<job_record* const> records) noexcept {
  std::uint64_t bottom = own_bottom_;
  array& hints = *own_array_;
  // Read once: as far as the compiler knows each store may change it.
  atomic<job_hint>* const slots = hints.slots();
  const std::uint64_t mask = hints.capacity - 1;
  for (job_record* const each : records) {
    slots[bottom++ & mask].store(*each, std::memory_order_relaxed);
  }
  own_bottom_ = bottom;
  // An exchange rather than a store: the owner then looks for sleepers, which look at this word
  // before they sleep. One of the two must see the other.
  bottom_.exchange(bottom, std::memory_order_seq_cst);
}

void job_deque::push_fork(fork_half& half) noexcept {
  const std::uint64_t bottom = own_bottom_++;
  own_array_->slot(bottom).store(half, std::memory_order_relaxed);
  bottom_.store(bottom + 1, std::memory_order_release);
}

job_hint job_deque::peek() const noexcept {
  const std::uint64_t bottom = own_bottom_;
  if (bottom <= top_.load(std::memory_order_relaxed)) return {};
  return own_array_->slot(bottom - 1).load(std::memory_order_relaxed);
}

job_hint job_deque::pop() noexcept {
  const std::uint64_t old_bottom = own_bottom_;
  if (old_bottom <= top_.load(std::memory_order_relaxed)) return {};
  const std::uint64_t bottom = old_bottom - 1;
  // Thieves must see the lower bottom before this thread looks at the top.
  own_bottom_ = bottom;
  bottom_.exchange(bottom, std::memory_order_seq_cst);
  const std::uint64_t top = top_.load(std::memory_order_seq_cst);
  job_hint taken;
  if (top <= bottom) {
    taken = own_array_->slot(bottom).load(std::memory_order_relaxed);
    if (top < bottom) return taken;
    // The last one: a thief may be after it too.
    if (!move_top(top, top + 1)) taken = {};
  }
  own_bottom_ = old_bottom;
  bottom_.store(old_bottom, std::memory_order_release);
  return taken;
}

job_hint job_deque::steal() noexcept {
  const std::uint64_t top = top_.load(std::memory_order_seq_cst);
  if (bottom_.load(std::memory_order_seq_cst) <= top) return {};
  const job_hint taken =
      array_.load(std::memory_order_acquire)->slot(top).load(std::memory_order_relaxed);
  return move_top(top, top + 1) ? taken : job_hint();
}

template <class Claim>
job_record* job_deque::walk_arrivals(Claim claim) noexcept {
  std::uint64_t top = top_.load(std::memory_order_acquire);
  const std::uint64_t end = own_arrivals_;
  array& hints = *own_array_;
  std::uint64_t next = std::max(top, walked_to_);
  job_record* found = nullptr;
  while (found == nullptr && next < end) {
    job_record* const seen = hints.slot(next).load(std::memory_order_relaxed).record();
    const claim_result result = claim(*seen);
    if (result == claim_result::not_wanted) break;
    ++next;
    if (result == claim_result::claimed) found = seen;
  }
  walked_to_ = next;
  // The hints up to here are no longer needed. If no other is left the queue must look empty.
  if (found == nullptr || next >= end || next - top >= sizes::hints_removed_at_once) {
    while (top < next && !top_.compare_exchange_weak(top, next, std::memory_order_seq_cst,
                                                     std::memory_order_relaxed)) {
    }
  }
  return found;
}

job_record* job_deque::claim_arrival() noexcept {
  return walk_arrivals([this](job_record& record) noexcept {
    return record.claim(kind_) ? claim_result::claimed : claim_result::gone;
  });
}

job_record* job_deque::claim_arrival_of(const job_group* group) noexcept {
  return walk_arrivals([this, group](job_record& record) noexcept {
    // As in take_of().
    if (!record.is_queued_as(kind_)) return claim_result::gone;
    if (record.group.load(std::memory_order_relaxed) != group) return claim_result::not_wanted;
    return record.claim_of(group, kind_) ? claim_result::claimed : claim_result::gone;
  });
}

std::size_t job_deque::steal_arrivals(std::span<job_record*> into) noexcept {
  const std::uint64_t top = top_.load(std::memory_order_seq_cst);
  const std::uint64_t end = arrivals_end_.load(std::memory_order_acquire);
  if (end <= top) return 0;
  array& hints = *array_.load(std::memory_order_acquire);
  const std::size_t count = std::min<std::uint64_t>(end - top, into.size());
  for (std::size_t i = 0; i < count; ++i) {
    into[i] = hints.slot(top + i).load(std::memory_order_relaxed).record();
    if (into[i] == nullptr) return 0;  // the top has moved, and this is a fork
  }
  // As long as the top does not move, what is there stays.
  return count != 0 && move_top(top, top + count) ? count : 0;
}

job_record* job_deque::take_of(const job_group* group, std::uint64_t most,
                               std::uint64_t* dead) noexcept {
  for (;;) {
    const std::uint64_t top = top_.load(std::memory_order_seq_cst);
    if (bottom_.load(std::memory_order_seq_cst) <= top) return nullptr;
    array& hints = *array_.load(std::memory_order_acquire);
    job_record* const oldest = hints.slot(top).load(std::memory_order_relaxed).record();
    if (oldest == nullptr) break;
    // A hint whose record is not queued never leads to that life of it again, and stays at the top
    // until the top moves. One that leads to another life is not the only one to it.
    if (oldest->is_queued_as(kind_) && oldest->group.load(std::memory_order_relaxed) != group)
      break;
    if (move_top(top, top + 1) && oldest->claim_of(group, kind_)) return oldest;
  }
  return claim_of(group, false, most, dead);
}

job_record* job_deque::claim_of(const job_group* group, bool newest_first, std::uint64_t most,
                                std::uint64_t* dead) noexcept {
  const std::uint64_t top = top_.load(std::memory_order_seq_cst);
  const std::uint64_t bottom = bottom_.load(std::memory_order_seq_cst);
  if (bottom <= top) return nullptr;
  array* const hints = array_.load(std::memory_order_acquire);
  const std::uint64_t count = std::min({bottom - top, hints->capacity, most});
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t position = newest_first ? bottom - 1 - i : top + i;
    job_record* const record = hints->slot(position).load(std::memory_order_relaxed).record();
    if (record == nullptr) continue;
    if (record->claim_of(group, kind_)) return record;
    if (dead != nullptr && !record->is_queued_as(kind_)) ++*dead;
  }
  return nullptr;
}

job_record* job_deque::claim_next_of(const job_group* group, std::uint64_t& next,
                                     std::uint64_t most) noexcept {
  const std::uint64_t bottom = bottom_.load(std::memory_order_acquire);
  const std::uint64_t begin = std::max(oldest(), next);
  if (bottom <= begin) return nullptr;
  array* const hints = array_.load(std::memory_order_acquire);
  const std::uint64_t end = begin + std::min({bottom - begin, hints->capacity, most});
  job_record* found = nullptr;
  for (next = begin; found == nullptr && next != end; ++next) {
    job_record* const record = hints->slot(next).load(std::memory_order_relaxed).record();
    if (record != nullptr && record->claim_of(group, kind_)) found = record;
  }
  return found;
}

void job_deque::tidy(parking& sleepers) noexcept {
  if (!has_many_dead(left_inside_)) return;
  left_inside_ = 0;
  // Thieves have passed some of them, and the records of others are queued again.
  std::uint64_t dead = 0;
  for (std::uint64_t at = oldest(); at < own_bottom_; ++at) {
    job_record* const record = own_array_->slot(at).load(std::memory_order_relaxed).record();
    if (record != nullptr && !record->is_queued_as(kind_)) ++dead;
  }
  if (has_many_dead(dead)) remove_dead(sleepers);
}

void job_deque::remove_dead(parking& sleepers) noexcept {
  group_set groups;
  // Each hint is taken from the top and, if it is still needed, goes back in at the bottom.
  for (std::uint64_t left = size(); left != 0; --left) {
    job_record* const oldest = steal().record();
    if (oldest == nullptr || !oldest->is_queued_as(kind_)) continue;
    groups.add(oldest->group.load(std::memory_order_relaxed));
    push(*oldest);
  }
  mark_arrivals();
  groups.wake_waiters(sleepers);
  sleepers.work_added(nullptr);
}

}  // namespace overture::jobs_detail

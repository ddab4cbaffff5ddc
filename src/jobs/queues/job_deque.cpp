#include "jobs/queues/job_deque.hpp"

#include <algorithm>
#include <new>

namespace overture::jobs_detail {
namespace {

constexpr std::uint64_t fetched_ahead = 6;

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

void job_deque::push(job_record& record) noexcept {
  const std::uint64_t bottom = own_bottom_++;
  own_array_->slot(bottom).store(record, std::memory_order_relaxed);
  // An exchange rather than a store: behind it the owner looks for sleepers, who look at this word
  // before they sleep. One of the two must see the other.
  bottom_.exchange(bottom + 1, std::memory_order_seq_cst);
}

void job_deque::push_all(std::span<job_record* const> records) noexcept {
  std::uint64_t bottom = own_bottom_;
  array& hints = *own_array_;
  // Not asked for again behind each store, which as far as the compiler knows may change it.
  atomic<job_hint>* const slots = hints.slots();
  const std::uint64_t mask = hints.capacity - 1;
  for (job_record* const each : records) {
    slots[bottom++ & mask].store(*each, std::memory_order_relaxed);
  }
  own_bottom_ = bottom;
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
  std::uint64_t top = top_.load(std::memory_order_seq_cst);
  job_hint taken;
  if (top <= bottom) {
    taken = own_array_->slot(bottom).load(std::memory_order_relaxed);
    if (top < bottom) return taken;
    // The last one: a thief may be after it too.
    if (!top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst,
                                      std::memory_order_relaxed)) {
      taken = {};
    }
  }
  own_bottom_ = old_bottom;
  bottom_.store(old_bottom, std::memory_order_release);
  return taken;
}

job_hint job_deque::steal() noexcept {
  std::uint64_t top = top_.load(std::memory_order_seq_cst);
  if (bottom_.load(std::memory_order_seq_cst) <= top) return {};
  const job_hint taken =
      array_.load(std::memory_order_acquire)->slot(top).load(std::memory_order_relaxed);
  return top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst,
                                      std::memory_order_relaxed)
             ? taken
             : job_hint();
}

job_record* job_deque::steal_record() noexcept {
  std::uint64_t top = top_.load(std::memory_order_seq_cst);
  if (bottom_.load(std::memory_order_seq_cst) <= top) return nullptr;
  job_record* const taken =
      array_.load(std::memory_order_acquire)->slot(top).load(std::memory_order_relaxed).record();
  return taken != nullptr && top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst,
                                                          std::memory_order_relaxed)
             ? taken
             : nullptr;
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
  // Nobody needs those any more. Where nothing else is left an empty queue must look empty.
  if (found == nullptr || next >= end || next - top >= sizes::hints_thrown_away) {
    while (top < next && !top_.compare_exchange_weak(top, next, std::memory_order_seq_cst,
                                                     std::memory_order_relaxed)) {
    }
  }
  return found;
}

job_record* job_deque::claim_arrival() noexcept {
  return walk_arrivals([](job_record& record) noexcept {
    return record.claim() ? claim_result::claimed : claim_result::gone;
  });
}

job_record* job_deque::claim_arrival_of(const job_group* group) noexcept {
  return walk_arrivals([group](job_record& record) noexcept {
    // As in steal_of().
    if (!record.is_hinted()) return claim_result::gone;
    if (record.group.load(std::memory_order_relaxed) != group) return claim_result::not_wanted;
    return record.claim_of(group) ? claim_result::claimed : claim_result::gone;
  });
}

job_record* job_deque::steal_of(const job_group* group) noexcept {
  for (;;) {
    std::uint64_t top = top_.load(std::memory_order_seq_cst);
    if (bottom_.load(std::memory_order_seq_cst) <= top) return nullptr;
    array& hints = *array_.load(std::memory_order_acquire);
    job_record* const oldest = hints.slot(top).load(std::memory_order_relaxed).record();
    if (oldest == nullptr) return nullptr;
    // Who takes one takes those behind it too, and each is looked at before it is taken.
    fetch_line(hints.slot(top + fetched_ahead).load(std::memory_order_relaxed).record());
    // A hint whose record is not queued never leads to that life of it again, and stays at the top
    // until somebody moves the top. One that leads to another life is not the only one to it.
    const bool hinted = oldest->is_hinted();
    if (hinted && oldest->group.load(std::memory_order_relaxed) != group) return nullptr;
    if (!top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst,
                                      std::memory_order_relaxed)) {
      continue;
    }
    if (hinted) return oldest;
  }
}

template <class Keep>
std::size_t job_deque::steal_several(std::span<job_record*> into, Keep keep) noexcept {
  std::uint64_t top = top_.load(std::memory_order_seq_cst);
  const std::uint64_t end = arrivals_end_.load(std::memory_order_acquire);
  if (end <= top) return 0;
  array& hints = *array_.load(std::memory_order_acquire);
  std::size_t count = 0;
  std::uint64_t next = top;
  for (; next != end && count < into.size(); ++next) {
    job_record* const seen = hints.slot(next).load(std::memory_order_relaxed).record();
    const sort found = seen != nullptr ? keep(*seen) : sort::last;
    if (found == sort::last) break;
    if (found == sort::taken) into[count++] = seen;
  }
  // As long as nobody moves the top, what lies there stays.
  return next != top && top_.compare_exchange_strong(top, next, std::memory_order_seq_cst,
                                                     std::memory_order_relaxed)
             ? count
             : 0;
}

std::size_t job_deque::steal_arrivals(std::span<job_record*> into) noexcept {
  return steal_several(into, [](const job_record&) noexcept { return sort::taken; });
}

std::size_t job_deque::steal_arrivals_of(const job_group* group,
                                         std::span<job_record*> into) noexcept {
  return steal_several(into, [group](const job_record& record) noexcept {
    if (!record.is_hinted()) return sort::dropped;  // as in steal_of()
    return record.group.load(std::memory_order_relaxed) == group ? sort::taken : sort::last;
  });
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
    if (record->claim_of(group)) return record;
    if (dead != nullptr && !record->is_hinted()) ++*dead;
  }
  return nullptr;
}

}  // namespace overture::jobs_detail

#include "jobs/parking.hpp"

#include "overture/spin.hpp"
#include "overture/thread.hpp"
#include "overture/wait_observer.hpp"

namespace overture {

bool parking::end_search() noexcept {
  const std::uint64_t before = counts_.fetch_sub(searching_one, std::memory_order_seq_cst);
  return searching(before) == 1 && parked(before) != 0;
}

void parking::announce_worker(unsigned seat) noexcept {
  // The bit first: whoever counts a parked worker down must find a bit.
  parked_.set(seat);
  counts_.fetch_add(parked_one - searching_one, std::memory_order_seq_cst);
}

void parking::wake_worker(unsigned preferred, bool always) noexcept {
  std::uint64_t seen = counts_.load(std::memory_order_seq_cst);
  do {
    if (parked(seen) == 0 || (searching(seen) != 0 && !always)) return;
  } while (!counts_.compare_exchange_weak(seen, seen - parked_one + searching_one,
                                          std::memory_order_seq_cst, std::memory_order_seq_cst));
  // One of the bits is this call's now; others may take the one it looks at, but not all.
  unsigned seat = preferred;
  if (seat == no_seat || !parked_.clear(seat)) {
    const auto take = [this, &seat](std::size_t bit) noexcept {
      seat = static_cast<unsigned>(bit);
      return parked_.clear(bit);
    };
    while (!parked_.find(take)) spin_hint();
  }
  wake(seat);
}

unsigned parking::take_seat() noexcept {
  for (unsigned i = 0; i < helpers_; ++i) {
    if (!taken_.test(i) && taken_.set(i)) return places_ + i;
  }
  return no_seat;
}

void parking::announce_waiter(unsigned seat, const void* group) noexcept {
  seats_[seat].group.store(group, std::memory_order_relaxed);
  // The count first: whoever looks at the bits has seen it. It is no promise of a bit.
  counts_.fetch_add(waiting_one, std::memory_order_seq_cst);
  waiting_.set(seat);
}

bool parking::withdraw_waiter(unsigned seat) noexcept {
  if (waiting_.clear(seat)) {
    counts_.fetch_sub(waiting_one, std::memory_order_seq_cst);
    return false;
  }
  // Somebody has taken the bit and will write to the seat, which must not be used again before.
  seat_type& own = seats_[seat];
  while (own.word.load(std::memory_order_acquire) != woken) yield_thread();
  own.word.store(awake, std::memory_order_relaxed);
  return true;
}

bool parking::sleep(unsigned seat, std::uint64_t deadline_ns, const char* reason) noexcept {
  seat_type& own = seats_[seat];
  std::uint32_t expected = awake;
  if (own.word.compare_exchange_strong(expected, asleep, std::memory_order_acq_rel,
                                       std::memory_order_acquire)) {
    const observed_wait observed(reason);
    while (own.word.load(std::memory_order_acquire) == asleep) {
      if (address_wait(own.word, asleep, deadline_ns) != wait_status::timed_out) continue;
      expected = asleep;
      if (own.word.compare_exchange_strong(expected, awake, std::memory_order_acq_rel,
                                           std::memory_order_acquire)) {
        return false;
      }
    }
  }
  own.word.store(awake, std::memory_order_relaxed);
  return true;
}

bool parking::sleep_waiter(unsigned seat, std::uint64_t deadline_ns, const char* reason) noexcept {
  return sleep(seat, deadline_ns, reason) || withdraw_waiter(seat);
}

void parking::sleep_worker(unsigned seat, std::uint64_t deadline_ns, const char* reason) noexcept {
  if (sleep(seat, deadline_ns, reason)) return;
  // It wakes itself. If its bit is gone somebody else is about to, and then this wakes another one
  // in its place, for nothing; a count without a bit would let a waker search for ever.
  wake_worker(seat, true);
  (void)sleep(seat, 0, reason);
}

void parking::work_added(const void* group) noexcept {
  const std::uint64_t seen = counts_.load(std::memory_order_seq_cst);
  if (group != nullptr && waiting(seen) != 0) {
    const auto wake_first = [this, group](std::size_t bit) noexcept {
      return wake_waiter(static_cast<unsigned>(bit), group);
    };
    if (waiting_.find(wake_first)) return;
  }
  if (parked(seen) != 0 && searching(seen) == 0) wake_worker();
}

void parking::wake_waiters(const void* group) noexcept {
  if (!has_waiters()) return;
  waiting_.find([this, group](std::size_t bit) noexcept {
    wake_waiter(static_cast<unsigned>(bit), group);
    return false;
  });
}

bool parking::wake_waiter(unsigned seat, const void* group) noexcept {
  const auto fits = [this, seat, group]() noexcept {
    return group == nullptr || seats_[seat].group.load(std::memory_order_relaxed) == group;
  };
  if (!fits() || !waiting_.clear(seat)) return false;
  counts_.fetch_sub(waiting_one, std::memory_order_seq_cst);
  // The seat may have changed hands in between; then this wake is one for nothing, which its new
  // owner survives, and the search goes on.
  const bool right = fits();
  wake(seat);
  return right;
}

void parking::wake(unsigned seat) noexcept {
  atomic<std::uint32_t>& word = seats_[seat].word;
  if (word.exchange(woken, std::memory_order_seq_cst) != asleep) return;
  wakes_.fetch_add(1, std::memory_order_relaxed);
  address_wake_one(&word);
}

}  // namespace overture

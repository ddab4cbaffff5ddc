// SPDX-License-Identifier: Zlib
#include "jobs/sleep/parking.hpp"

#include <bit>
#include <new>

#include "jobs/sleep/this_thread.hpp"
#include "overture/base/spin.hpp"
#include "overture/base/thread.hpp"
#include "overture/sync/wait_observer.hpp"
#include "overture/trace/timeline.hpp"
#include "sync/wait.hpp"

namespace overture::jobs_detail {
parking::parking(allocator& memory, unsigned slots, unsigned helpers) noexcept
    : memory_(memory), slots_(slots), helpers_(helpers) {
  const std::size_t count = slots + helpers;
  seats_ = static_cast<seat_type*>(
      memory.allocate(sizeof(seat_type) * count, alignof(seat_type), memory_tag::jobs));
  for (std::size_t i = 0; seats_ != nullptr && i < count; ++i) {
    ::new (static_cast<void*>(seats_ + i)) seat_type;
  }
}

parking::~parking() {
  if (seats_ == nullptr) return;
  const std::size_t count = slots_ + helpers_;
  for (std::size_t i = 0; i < count; ++i) seats_[i].~seat_type();
  memory_.deallocate(seats_, sizeof(seat_type) * count, alignof(seat_type), memory_tag::jobs);
}

bool parking::end_search() noexcept {
  const std::uint64_t before = counts_.fetch_sub(searching_one, std::memory_order_seq_cst);
  return searching(before) == 1 && parked(before) != 0;
}

void parking::announce_worker(unsigned seat) noexcept {
  // The bit first: a thread that counts a parked worker down must find a bit.
  parked_.set(seat);
  counts_.fetch_add(parked_one - searching_one, std::memory_order_seq_cst);
}

void parking::wake_worker(unsigned preferred, bool always) noexcept {
  std::uint64_t seen = counts_.load(std::memory_order_seq_cst);
  do {
    if (parked(seen) == 0 || (searching(seen) != 0 && !always)) return;
  } while (!counts_.compare_exchange_weak(seen, seen - parked_one + searching_one,
                                          std::memory_order_seq_cst, std::memory_order_seq_cst));
  wake(preferred != no_seat && parked_.clear(preferred) ? preferred : take_parked());
}

unsigned parking::take_parked() noexcept {
  unsigned seat = no_seat;
  const auto take = [this, &seat](std::size_t bit) noexcept {
    seat = static_cast<unsigned>(bit);
    return parked_.clear(bit);
  };
  // One of the bits belongs to this call; others may take those it looks at, but not all of them.
  while (!parked_.find(take)) spin_hint();
  return seat;
}

unsigned parking::take_seat() noexcept {
  for (unsigned i = 0; i < helpers_; ++i) {
    if (!taken_.test(i) && taken_.set(i)) return slots_ + i;
  }
  return no_seat;
}

void parking::announce_waiter(unsigned seat, const void* group) noexcept {
  seats_[seat].group.store(group, std::memory_order_relaxed);
  // The count first: threads look at the bits only after they have seen it.
  counts_.fetch_add(waiting_one, std::memory_order_seq_cst);
  waiting_.set(seat);
}

bool parking::withdraw_waiter(unsigned seat) noexcept {
  if (waiting_.clear(seat)) {
    counts_.fetch_sub(waiting_one, std::memory_order_seq_cst);
    return false;
  }
  // The thread that has taken the bit will write to the seat, which must not be used before that.
  seat_type& own = seats_[seat];
  while (own.word.load(std::memory_order_acquire) != woken) yield_thread();
  own.word.store(awake, std::memory_order_relaxed);
  return true;
}

bool parking::sleep(unsigned seat, std::uint64_t deadline_ns) noexcept {
  seat_type& own = seats_[seat];
  std::uint32_t expected = awake;
  if (own.word.compare_exchange_strong(expected, asleep, std::memory_order_acq_rel,
                                       std::memory_order_acquire)) {
    while (own.word.load(std::memory_order_acquire) == asleep) {
      if (sync_detail::address_wait(own.word, asleep, deadline_ns) !=
          sync_detail::wait_status::timed_out)
        continue;
      expected = asleep;
      if (own.word.compare_exchange_strong(expected, awake, std::memory_order_acq_rel,
                                           std::memory_order_acquire)) {
        return false;
      }
    }
    note_wake(own);
  }
  own.word.store(awake, std::memory_order_relaxed);
  return true;
}

bool parking::sleep_waiter(unsigned seat, std::uint64_t deadline_ns) noexcept {
  const bool woken_up = sleep(seat, deadline_ns);
  // Chains of wakes are those of searching workers.
  this_thread_jobs().wake_depth = 0;
  return woken_up || withdraw_waiter(seat);
}

void parking::sleep_in_crowd(event_count::key_type key, std::uint64_t deadline_ns) noexcept {
  const wait_options shown{.reason = wait_reasons::group, .spin = spin_policy::none()};
  if (deadline_ns == 0) {
    crowd_.wait(key, shown);
  } else {
    const std::uint64_t now = now_ns();
    const std::uint64_t left_ns = deadline_ns > now ? deadline_ns - now : 0;
    (void)crowd_.wait_for(key, std::chrono::nanoseconds(left_ns), shown);
  }
  counts_.fetch_sub(crowd_one, std::memory_order_seq_cst);
  this_thread_jobs().wake_depth = 0;
}

void parking::sleep_worker(unsigned seat, std::uint64_t deadline_ns) noexcept {
  if (sleep(seat, deadline_ns)) return;
  // It wakes itself. If its bit is gone another thread is about to wake it, and this call wakes
  // some other worker in vain; a count without a bit would make a waker search for ever.
  wake_worker(seat, true);
  (void)sleep(seat, 0);
}

void parking::wake_crowd() noexcept {
  // A read-modify-write, so that a thread that joins the crowd after it sees what was done before.
  if (crowd(counts_.fetch_add(0, std::memory_order_seq_cst)) != 0) crowd_.notify_all();
}

void parking::work_added(const void* group) noexcept {
  const std::uint64_t seen = counts_.load(std::memory_order_seq_cst);
  if (helping_ && crowd(seen) != 0) crowd_.notify_all();
  if (group != nullptr && any_waits(seen)) {
    const auto wake_first = [this, group](std::size_t bit) noexcept {
      return wake_waiter(static_cast<unsigned>(bit), group);
    };
    if (waiting_.find(wake_first)) return;
    if (crowd(seen) != 0) crowd_.notify_all();
  }
  if (parked(seen) != 0 && searching(seen) == 0) wake_worker();
}

void parking::wake_waiters(const void* group) noexcept {
  const std::uint64_t seen = counts_.load(std::memory_order_seq_cst);
  if (!any_waits(seen)) return;
  if (crowd(seen) != 0) crowd_.notify_all();
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
  // The seat may have changed hands in between. Then this wake is a futile one for its new owner,
  // and the search goes on.
  const bool right = fits();
  wake(seat);
  return right;
}

void parking::wake(unsigned seat) noexcept {
  const jobs_of_thread& here = this_thread_jobs();
  seat_type& sleeper = seats_[seat];
  sleeper.signal_ns.store(now_ns(), std::memory_order_relaxed);
  sleeper.depth.store(here.wake_depth + 1, std::memory_order_relaxed);
  if (sleeper.word.exchange(woken, std::memory_order_seq_cst) != asleep) return;
  atomic<std::uint64_t>& payer = here.slot == nullptr        ? paid_by_host_
                                 : here.innermost != nullptr ? paid_by_jobs_
                                                             : paid_by_searchers_;
  payer.fetch_add(1, std::memory_order_relaxed);
  sync_detail::address_wake_one(&sleeper.word);
}

void parking::note_wake(const seat_type& own) noexcept {
  const std::uint64_t signal_ns = own.signal_ns.load(std::memory_order_relaxed);
  const std::uint64_t now = now_ns();
  const std::uint64_t taken_ns = now > signal_ns ? now - signal_ns : 0;
  const auto bucket = static_cast<std::size_t>(std::bit_width(taken_ns >> 8));
  signal_to_run_[bucket < wake_profile::buckets ? bucket : wake_profile::buckets - 1].fetch_add(
      1, std::memory_order_relaxed);
  const std::uint32_t depth = own.depth.load(std::memory_order_relaxed);
  chain_depth_[depth <= wake_profile::depths ? depth - 1 : wake_profile::depths - 1].fetch_add(
      1, std::memory_order_relaxed);
  this_thread_jobs().wake_depth = depth;
  count("wake_ns", taken_ns);
}

wake_profile parking::profile() const noexcept {
  wake_profile read;
  for (std::size_t i = 0; i < wake_profile::buckets; ++i) {
    read.signal_to_run[i] = signal_to_run_[i].load(std::memory_order_relaxed);
  }
  for (std::size_t i = 0; i < wake_profile::depths; ++i) {
    read.chain_depth[i] = chain_depth_[i].load(std::memory_order_relaxed);
  }
  read.paid_by_host = paid_by_host_.load(std::memory_order_relaxed);
  read.paid_by_jobs = paid_by_jobs_.load(std::memory_order_relaxed);
  read.paid_by_searchers = paid_by_searchers_.load(std::memory_order_relaxed);
  return read;
}

}  // namespace overture::jobs_detail

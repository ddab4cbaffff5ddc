// SPDX-License-Identifier: Zlib
//
// Which threads sleep, and which is woken for what.
//
// There are two kinds of sleepers. A worker parks when it has found no work at all. A waiter (a
// host thread, or a worker inside a job) waits for one group. Each sleeps on a word of its own, in
// a seat of its own. If more host threads wait at once than there are seats, the rest are a crowd:
// they sleep together, and all of them wake when any group ends or one of theirs might have work.
//
// No work is left while all threads sleep, by one rule on both sides: a thread that adds work makes
// it visible first and then looks for sleepers; a thread that wants to sleep announces itself first
// and then looks for work. Making visible and announcing are sequentially consistent
// read-modify-writes, so one of the two sees the other. A searching worker counts as awake, and
// threads that add work rely on it, so the last worker to end its search must look once more
// (end_search() says so). Forks are the exception: fork_added() may miss a worker that is about to
// sleep, and the thread that forked then does the work itself.
//
// The thread that takes a sleeper's bit out of its set owes that sleeper a wake; no other thread
// may wake it.
#pragma once

#include <cstdint>

#include "jobs/sleep/bit_set.hpp"
#include "overture/base/allocator.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/detail/compiler.hpp"
#include "overture/base/limits.hpp"
#include "overture/jobs/wake_profile.hpp"
#include "overture/sync/event_count.hpp"

namespace overture::jobs_detail {

class parking {
 public:
  static constexpr unsigned no_seat = ~0u;
  static constexpr unsigned seats_max = limits::pool_workers_max + limits::pool_helpers_max;

  enum seat_state : std::uint32_t { awake, asleep, woken };
  struct alignas(detail::line_bytes) seat_type {
    atomic<std::uint32_t> word{awake};
    atomic<const void*> group{nullptr};
    // Written before the word, by the thread that owes the wake.
    atomic<std::uint64_t> signal_ns{0};
    atomic<std::uint32_t> depth{0};  // length of the chain of wakes that led here
  };

  // Seats for the slots of the pool, which come first, and for host threads without a slot.
  parking(allocator& memory, unsigned slots, unsigned helpers) noexcept;
  ~parking();
  parking(const parking&) = delete;
  parking& operator=(const parking&) = delete;
  // False if memory was refused; then no other function may be called.
  [[nodiscard]] bool has_seats() const noexcept { return seats_ != nullptr; }

  // -- workers, whose seat is their number --

  void begin_search() noexcept { counts_.fetch_add(searching_one, std::memory_order_seq_cst); }
  // True if the caller must look for more work and wake a worker if there is some.
  [[nodiscard]] bool end_search() noexcept;
  // From searching to parked. The caller then looks for work once more, wakes a worker if there is
  // some (itself, most likely), and sleeps.
  void announce_worker(unsigned seat) noexcept;
  // Returns when this worker is woken or time is up (deadline_ns 0 = never). It counts as searching
  // from then on.
  void sleep_worker(unsigned seat, std::uint64_t deadline_ns) noexcept;
  // Wakes one parked worker, `preferred` if it is among them. Wakes none while another one
  // searches, unless `always` is set.
  void wake_worker(unsigned preferred = no_seat, bool always = false) noexcept;

  // -- waiters --

  // A seat for a host thread without a slot; no_seat if all are taken.
  [[nodiscard]] unsigned take_seat() noexcept;
  void leave_seat(unsigned seat) noexcept { taken_.clear(seat - slots_); }
  void announce_waiter(unsigned seat, const void* group) noexcept;
  // Takes announce_waiter() back. True if a wake was on its way; this call has used it up.
  [[nodiscard]] bool withdraw_waiter(unsigned seat) noexcept;
  // True when this waiter is woken, false when time is up (deadline_ns 0 = never).
  [[nodiscard]] bool sleep_waiter(unsigned seat, std::uint64_t deadline_ns) noexcept;

  // -- waiters without a seat --

  // Look for work after this, then call leave_crowd() or sleep_in_crowd().
  [[nodiscard]] event_count::key_type join_crowd() noexcept {
    counts_.fetch_add(crowd_one, std::memory_order_seq_cst);
    return crowd_.prepare_wait();
  }
  void leave_crowd() noexcept {
    crowd_.cancel_wait();
    counts_.fetch_sub(crowd_one, std::memory_order_seq_cst);
  }
  // Of a pool without workers: the crowd are threads that help with any job, see tell_helpers().
  // Before any thread uses this.
  void set_helping() noexcept { helping_ = true; }
  // Returns when there is something to look at, or when time is up (deadline_ns 0 = never).
  void sleep_in_crowd(event_count::key_type key, std::uint64_t deadline_ns) noexcept;

  // -- threads that add and end work --

  // After a job of `group` (null for none) was made visible: wakes at most one thread, and the
  // crowd.
  void work_added(const void* group) noexcept;
  // After jobs were briefly in no queue, or the last one has ended: wakes all threads that wait for
  // the group, or for any group if it is null.
  void wake_waiters(const void* group) noexcept;
  // After a job has run in a pool without workers, or was added where none may take it: the threads
  // that help look again.
  void tell_helpers() noexcept {
    if (helping_) wake_crowd();
  }
  // After a fork was pushed. `waited_for` is what its owner runs; threads that wait for it may
  // help.
  void fork_added(const void* waited_for) noexcept {
    const std::uint64_t seen = counts_.load(std::memory_order_seq_cst);
    if (parked(seen) == 0 && !any_waits(seen)) return;
    work_added(waited_for);
  }
  [[nodiscard]] bool has_waiters() const noexcept {
    return any_waits(counts_.load(std::memory_order_seq_cst));
  }

  [[nodiscard]] unsigned parked_workers() const noexcept {
    return static_cast<unsigned>(parked(counts_.load(std::memory_order_seq_cst)));
  }
  // When the thread in this seat was last signalled. Only for that thread.
  [[nodiscard]] std::uint64_t signalled_ns(unsigned seat) const noexcept {
    return seats_[seat].signal_ns.load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_parked(unsigned seat) const noexcept { return parked_.test(seat); }
  // System calls that woke a thread: how long they took, and which threads made them.
  [[nodiscard]] wake_profile profile() const noexcept;

 private:
  // Four counts in one word, so adding work costs one load while no thread sleeps.
  static constexpr std::uint64_t parked_one = 1;
  static constexpr std::uint64_t searching_one = 1 << 16;
  static constexpr std::uint64_t waiting_one = std::uint64_t{1} << 32;
  static constexpr std::uint64_t parked(std::uint64_t counts) noexcept { return counts & 0xFFFF; }
  static constexpr std::uint64_t searching(std::uint64_t counts) noexcept {
    return counts >> 16 & 0xFFFF;
  }
  static constexpr std::uint64_t crowd_one = std::uint64_t{1} << 48;
  static constexpr std::uint64_t waiting(std::uint64_t counts) noexcept {
    return counts >> 32 & 0xFFFF;
  }
  static constexpr std::uint64_t crowd(std::uint64_t counts) noexcept { return counts >> 48; }
  static constexpr bool any_waits(std::uint64_t counts) noexcept { return counts >> 32 != 0; }

  // True if a waiter for this very group was woken. Null is any group.
  bool wake_waiter(unsigned seat, const void* group) noexcept;
  void wake(unsigned seat) noexcept;
  void wake_crowd() noexcept;
  // After counting one down: the seat of a parked worker, which the caller owes a wake.
  [[nodiscard]] unsigned take_parked() noexcept;
  // False if time ran out before this seat was woken.
  bool sleep(unsigned seat, std::uint64_t deadline_ns) noexcept;
  // After a sleep that a wake has ended.
  void note_wake(const seat_type& own) noexcept;

  alignas(detail::line_bytes) atomic<std::uint64_t> counts_{0};
  bit_set<seats_max> parked_;  // as many bits as parked workers and wakes on their way, never fewer
  bit_set<seats_max> waiting_;
  bit_set<limits::pool_helpers_max> taken_;
  event_count crowd_;
  // Written only around system calls.
  alignas(detail::line_bytes) atomic<std::uint64_t> signal_to_run_[wake_profile::buckets]{};
  atomic<std::uint64_t> chain_depth_[wake_profile::depths]{};
  atomic<std::uint64_t> paid_by_host_{0};
  atomic<std::uint64_t> paid_by_jobs_{0};
  atomic<std::uint64_t> paid_by_searchers_{0};
  allocator& memory_;
  seat_type* seats_;
  const unsigned slots_;
  const unsigned helpers_;
  bool helping_ = false;
};

}  // namespace overture::jobs_detail

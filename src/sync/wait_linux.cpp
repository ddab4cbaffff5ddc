// SPDX-License-Identifier: Zlib
//
// The futex. Relayed wakes use its requeue operation: all sleepers of a word move at once, under
// the kernel's own locks, to a queue where no thread ever goes to sleep directly. One of them is
// woken, and every woken thread wakes some more from the queue that belongs to its address
// (sync/relay.hpp says why no sleeper is forgotten). Words that share a queue do each other's work,
// which is harmless.
//
// A relayed wake may come late, when another object lives at the address. It then wakes that
// object's sleepers for nothing. That object's own wakes may meanwhile find no sleepers, but only
// because the threads they are meant for are already being woken and will check. This ends, because
// a woken thread that sleeps again does so on its word: queues only drain.
//
// Which sleeper to wake first: one that went to sleep on another processor. The kernel prefers to
// wake a thread where it last ran, and a thread woken on the waker's processor preempts the waker
// in the middle of its call. So a sleeper leaves its processor number with the kernel, in the bits
// that a wake can select by. If the kernel still wakes it on the waker's processor, it yields once
// before it wakes others.
#include <linux/futex.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <ctime>

#include "base/threads/processor.hpp"
#include "overture/base/detail/compiler.hpp"
#include "overture/base/thread.hpp"
#include "sync/futex_linux.hpp"
#include "sync/relay.hpp"
#include "sync/wait.hpp"

namespace overture::sync_detail::native_wait {
using namespace base_detail;

namespace {

// Each on its own cache line, so that wakers do not fetch what sleepers have written.
alignas(detail::line_bytes) atomic<std::uint64_t> wait_count{0};
alignas(detail::line_bytes) atomic<std::uint64_t> pass_count{0};

// The address of each one serves as a queue.
constexpr unsigned relay_bits = 6;
constinit relay_count relays[1u << relay_bits] = {};
// The processor (+ 1) of a thread that is moving sleepers to this queue; 0 = none.
constinit atomic<std::uint32_t> lowering_on[1u << relay_bits] = {};

// How many threads a woken thread wakes. Measured: with fewer, the last one runs later; with more,
// the first waker is interrupted more often.
constexpr std::uint32_t passed_on_max = 8;

std::size_t relay_index(const void* address) noexcept {
  // Fibonacci hashing: the upper bits of the product depend on all bits of the address.
  const auto key = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(address));
  return (key * 0x9E3779B97F4A7C15u) >> (64 - relay_bits);
}

void wake(const void* address, std::uint32_t threads) noexcept {
  futex_call(address, FUTEX_WAKE_PRIVATE, threads);
}

std::uint32_t bit_of_this_processor() noexcept {
  constexpr unsigned bits = 32;
  return 1u << (this_processor() % bits);
}

// Wakes up to `threads` from the queue, those of other processors first.
void wake_relayed(const relay_count& relay, std::uint32_t threads) noexcept {
  const long returned = futex_call(&relay, FUTEX_WAKE_BITSET_PRIVATE, threads, nullptr, nullptr,
                                   ~bit_of_this_processor());
  const auto woken = static_cast<std::uint32_t>(std::max(returned, 0L));
  if (woken < threads) futex_call(&relay, FUTEX_WAKE_PRIVATE, threads - woken);
}

void pass_on(const void* address) noexcept {
  const std::size_t index = relay_index(address);
  relay_count& relay = relays[index];
  // If this thread has preempted the waker, let that finish its call first.
  if (lowering_on[index].load(std::memory_order_relaxed) == this_processor() + 1) yield_thread();
  const std::uint32_t threads = relay.take(passed_on_max);
  if (threads == 0) return;
  pass_count.fetch_add(1, std::memory_order_relaxed);
  wake_relayed(relay, threads);
}

}  // namespace

wait_status address_wait(const atomic<std::uint32_t>& word, std::uint32_t expected,
                         std::uint64_t deadline_ns) noexcept {
  static_assert(sizeof(word) == sizeof(std::uint32_t), "the kernel reads the word itself");
  if (word.load(std::memory_order_seq_cst) != expected) return wait_status::woken;
  wait_count.fetch_add(1, std::memory_order_relaxed);
  constexpr std::uint64_t second_ns = 1'000'000'000;
  timespec deadline{};
  deadline.tv_sec = static_cast<time_t>(deadline_ns / second_ns);
  deadline.tv_nsec = static_cast<long>(deadline_ns % second_ns);
  // The bitset form takes an absolute time on CLOCK_MONOTONIC, so repeated waits do not drift.
  const long returned =
      futex_call(&word, FUTEX_WAIT_BITSET_PRIVATE, expected, deadline_ns != 0 ? &deadline : nullptr,
                 nullptr, bit_of_this_processor());
  if (returned == 0) pass_on(&word);
  if (returned == -ETIMEDOUT) return wait_status::timed_out;
  return wait_status::woken;  // also EAGAIN (the word differs) and EINTR: the caller checks again
}

void address_wake_one(const void* address) noexcept {
  wake(address, 1);
}

// Hot, see barricade::wake().
[[gnu::hot]] void address_wake_all(const void* address) noexcept {
  wake(address, INT_MAX);
}

void address_wake_relayed(const void* address) noexcept {
  const std::size_t index = relay_index(address);
  relay_count& relay = relays[index];
  lowering_on[index].store(this_processor() + 1, std::memory_order_relaxed);
  constexpr std::uint32_t woken = 0;
  // The fourth argument, which other operations use for a timeout.
  const void* const moved_max = reinterpret_cast<const void*>(std::intptr_t{INT_MAX});
  const long moved = futex_call(address, FUTEX_REQUEUE_PRIVATE, woken, moved_max, &relay);
  if (moved > 0) {
    relay.add_all_but_one(static_cast<std::uint32_t>(moved));
    wake_relayed(relay, 1);
  }
  lowering_on[index].store(0, std::memory_order_relaxed);
}

wait_counts counts() noexcept {
  return {wait_count.load(std::memory_order_relaxed), pass_count.load(std::memory_order_relaxed)};
}

}  // namespace overture::sync_detail::native_wait

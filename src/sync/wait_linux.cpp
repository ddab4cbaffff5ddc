// The futex. Wakes that are relayed use its requeue: the sleepers of a word move, all at once and
// under the kernel's own locks, to a queue where nobody ever goes to sleep by himself. One of them
// is woken instead, and every thread that is woken takes two more from the queue that its address
// belongs to. Two things follow:
//
// - Nobody is forgotten. While somebody is in such a queue, somebody else who was woken has yet to
//   pass it on: moving and the first wake are one step, and every wake from the queue makes one
//   more who passes on. Who gives up (a time-out, a signal) only leaves the queue. Words that share
//   a queue do each other's work, which harms nobody. A relayed wake that comes late, when another
//   object lives at the address, wakes all who sleep there for nothing; a wake that this object
//   makes meanwhile may find nobody, but those it is meant for are about to wake and look.
// - It ends. Who was woken and sleeps again does so on its word, so queues only drain.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstddef>
#include <ctime>

#include "sync/wait.hpp"

namespace overture::native_wait {
namespace {

// Each on its own line, so that who wakes does not fetch what those who sleep have written.
alignas(64) atomic<std::uint64_t> wait_count{0};
alignas(64) atomic<std::uint64_t> wake_count{0};
alignas(64) atomic<std::uint64_t> pass_count{0};

// The addresses of these words are the queues; one that has never been used is 0, so that most who
// wake have nothing to pass on.
constexpr unsigned relay_bits = 6;
constinit atomic<std::uint32_t> relays[1u << relay_bits] = {};

atomic<std::uint32_t>& relay_of(const void* address) noexcept {
  // Fibonacci hashing: the upper bits of the product depend on all bits of the address.
  const auto key = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(address));
  return relays[(key * 0x9E3779B97F4A7C15u) >> (64 - relay_bits)];
}

void wake(const void* address, int threads) noexcept {
  wake_count.fetch_add(1, std::memory_order_relaxed);
  syscall(SYS_futex, address, FUTEX_WAKE_PRIVATE, threads, nullptr, nullptr, 0);
}

void pass_on(const void* address) noexcept {
  const atomic<std::uint32_t>& relay = relay_of(address);
  if (relay.load(std::memory_order_seq_cst) == 0) return;
  pass_count.fetch_add(1, std::memory_order_relaxed);
  constexpr int woken = 2;
  syscall(SYS_futex, &relay, FUTEX_WAKE_PRIVATE, woken, nullptr, nullptr, 0);
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
  // The bitset form takes an absolute time on CLOCK_MONOTONIC, so a wait that is repeated after an
  // early return does not drift.
  const long returned =
      syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, expected,
              deadline_ns != 0 ? &deadline : nullptr, nullptr, FUTEX_BITSET_MATCH_ANY);
  if (returned == 0) pass_on(&word);
  if (returned == -1 && errno == ETIMEDOUT) return wait_status::timed_out;
  return wait_status::woken;  // EAGAIN (the word differs) and EINTR too: the caller looks again
}

void address_wake_one(const void* address) noexcept {
  wake(address, 1);
}

void address_wake_all(const void* address) noexcept {
  wake(address, INT_MAX);
}

void address_wake_relayed(const void* address) noexcept {
  wake_count.fetch_add(1, std::memory_order_relaxed);
  atomic<std::uint32_t>& relay = relay_of(address);
  // Before anybody is moved there: who is woken must see it.
  if (relay.load(std::memory_order_relaxed) == 0) relay.store(1, std::memory_order_seq_cst);
  constexpr int woken = 1;
  constexpr long moved = INT_MAX;  // stands where other calls have a time
  syscall(SYS_futex, address, FUTEX_REQUEUE_PRIVATE, woken, moved, &relay, 0);
}

wait_counts counts() noexcept {
  return {wait_count.load(std::memory_order_relaxed), wake_count.load(std::memory_order_relaxed),
          pass_count.load(std::memory_order_relaxed)};
}

}  // namespace overture::native_wait

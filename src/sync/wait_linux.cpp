#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <ctime>

#include "sync/wait.hpp"

namespace overture::native_wait {
namespace {

atomic<std::uint64_t> wait_count{0};
atomic<std::uint64_t> wake_count{0};

void wake(const void* address, int threads) noexcept {
  wake_count.fetch_add(1, std::memory_order_relaxed);
  syscall(SYS_futex, address, FUTEX_WAKE_PRIVATE, threads, nullptr, nullptr, 0);
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
  if (returned == -1 && errno == ETIMEDOUT) return wait_status::timed_out;
  return wait_status::woken;  // EAGAIN (the word differs) and EINTR too: the caller looks again
}

void address_wake_one(const void* address) noexcept {
  wake(address, 1);
}

void address_wake_all(const void* address) noexcept {
  wake(address, INT_MAX);
}

wait_counts counts() noexcept {
  return {wait_count.load(std::memory_order_relaxed), wake_count.load(std::memory_order_relaxed)};
}

}  // namespace overture::native_wait

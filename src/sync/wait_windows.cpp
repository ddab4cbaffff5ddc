// SPDX-License-Identifier: Zlib
//
// WaitOnAddress and WakeByAddress. The system keeps sleepers in lists by address, in the process
// itself: a wake that finds none makes no system call. It cannot move sleepers from one word to
// another, so relayed means all.
#include <algorithm>

#include "base/system/paths_windows.hpp"
#include "overture/base/thread.hpp"
#include "sync/wait.hpp"

namespace overture::sync_detail::native_wait {
namespace {

alignas(64) atomic<std::uint64_t> wait_count{0};

// The functions take pointers to what they may change, but only compare and look up.
void* key_of(const void* address) noexcept {
  return const_cast<void*>(address);
}

// How long to wait until a deadline, rounded up so that no wait ends before it.
DWORD milliseconds_until(std::uint64_t deadline_ns, std::uint64_t now) noexcept {
  constexpr std::uint64_t millisecond_ns = 1'000'000;
  constexpr std::uint64_t longest = 86'400'000;  // a day; callers check and wait again
  const std::uint64_t left = (deadline_ns - now + millisecond_ns - 1) / millisecond_ns;
  return static_cast<DWORD>(std::min(left, longest));
}

}  // namespace

wait_status address_wait(const atomic<std::uint32_t>& word, std::uint32_t expected,
                         std::uint64_t deadline_ns) noexcept {
  static_assert(sizeof(word) == sizeof(std::uint32_t), "the system reads the word itself");
  if (word.load(std::memory_order_seq_cst) != expected) return wait_status::woken;
  DWORD longest = INFINITE;
  if (deadline_ns != 0) {
    const std::uint64_t now = now_ns();
    if (now >= deadline_ns) return wait_status::timed_out;
    longest = milliseconds_until(deadline_ns, now);
  }
  wait_count.fetch_add(1, std::memory_order_relaxed);
  auto* const address = const_cast<atomic<std::uint32_t>*>(&word);
  if (WaitOnAddress(address, &expected, sizeof expected, longest)) return wait_status::woken;
  const bool late = GetLastError() == ERROR_TIMEOUT && now_ns() >= deadline_ns;
  return late ? wait_status::timed_out : wait_status::woken;
}

void address_wake_one(const void* address) noexcept {
  WakeByAddressSingle(key_of(address));
}

void address_wake_all(const void* address) noexcept {
  WakeByAddressAll(key_of(address));
}

void address_wake_relayed(const void* address) noexcept {
  WakeByAddressAll(key_of(address));
}

wait_counts counts() noexcept {
  return {wait_count.load(std::memory_order_relaxed), 0};
}

}  // namespace overture::sync_detail::native_wait

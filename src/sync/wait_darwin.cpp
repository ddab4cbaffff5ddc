// SPDX-License-Identifier: Zlib
//
// os_sync_wait_on_address and os_sync_wake_by_address, of macOS 14.4 and later. Compiled but never
// run: no Mac was at hand. The system cannot move sleepers from one word to another, so
// relayed means all.
#include <cerrno>
#include <cstddef>

#include "overture/base/thread.hpp"
#include "sync/wait.hpp"

// From <os/os_sync_wait_on_address.h>, which not every kit of headers has.
extern "C" {
int os_sync_wait_on_address(void* address, std::uint64_t value, std::size_t size,
                            std::uint32_t flags);
int os_sync_wait_on_address_with_timeout(void* address, std::uint64_t value, std::size_t size,
                                         std::uint32_t flags, std::uint32_t clock,
                                         std::uint64_t timeout_ns);
int os_sync_wake_by_address_any(void* address, std::size_t size, std::uint32_t flags);
int os_sync_wake_by_address_all(void* address, std::size_t size, std::uint32_t flags);
}

namespace overture::sync_detail::native_wait {
namespace {

constexpr std::size_t word_size = sizeof(std::uint32_t);
constexpr std::uint32_t no_flags = 0;
constexpr std::uint32_t mach_absolute_time = 32;

alignas(64) atomic<std::uint64_t> wait_count{0};

// The functions take pointers to what they may change, but only compare and look up.
void* key_of(const void* address) noexcept {
  return const_cast<void*>(address);
}

}  // namespace

wait_status address_wait(const atomic<std::uint32_t>& word, std::uint32_t expected,
                         std::uint64_t deadline_ns) noexcept {
  static_assert(sizeof(word) == word_size, "the system reads the word itself");
  if (word.load(std::memory_order_seq_cst) != expected) return wait_status::woken;
  if (deadline_ns == 0) {
    wait_count.fetch_add(1, std::memory_order_relaxed);
    os_sync_wait_on_address(key_of(&word), expected, word_size, no_flags);
    return wait_status::woken;
  }
  const std::uint64_t now = now_ns();
  if (now >= deadline_ns) return wait_status::timed_out;
  wait_count.fetch_add(1, std::memory_order_relaxed);
  const int left = os_sync_wait_on_address_with_timeout(
      key_of(&word), expected, word_size, no_flags, mach_absolute_time, deadline_ns - now);
  const bool late = left < 0 && errno == ETIMEDOUT && now_ns() >= deadline_ns;
  return late ? wait_status::timed_out : wait_status::woken;
}

void address_wake_one(const void* address) noexcept {
  os_sync_wake_by_address_any(key_of(address), word_size, no_flags);
}

void address_wake_all(const void* address) noexcept {
  os_sync_wake_by_address_all(key_of(address), word_size, no_flags);
}

void address_wake_relayed(const void* address) noexcept {
  address_wake_all(address);
}

wait_counts counts() noexcept {
  return {wait_count.load(std::memory_order_relaxed), 0};
}

}  // namespace overture::sync_detail::native_wait

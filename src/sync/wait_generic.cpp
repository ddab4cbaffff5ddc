// SPDX-License-Identifier: Zlib
//
// A parking table: sleepers are in lists by hash of their address, each list behind its own mutex.
// The value is compared under that mutex, and wakes take it too. So a wake that follows a change of
// the word finds the sleeper in the list, or the sleeper sees the new value.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "overture/base/detail/compiler.hpp"
#include "overture/base/thread.hpp"
#include "sync/wait.hpp"

namespace overture::sync_detail::generic_wait {
namespace {

atomic<std::uint64_t> wait_count{0};

// One sleeping thread, on its own stack. Guarded by the mutex of its bucket.
struct sleeper {
  const void* address = nullptr;
  sleeper* next = nullptr;
  bool woken = false;
  std::condition_variable wake;
};

struct alignas(detail::line_bytes) bucket {
  std::mutex lock;
  sleeper* first = nullptr;

  void append(sleeper& added) noexcept {
    sleeper** link = &first;
    while (*link != nullptr) link = &(*link)->next;
    *link = &added;
  }
  void remove(const sleeper& removed) noexcept {
    sleeper** link = &first;
    while (*link != &removed) link = &(*link)->next;
    *link = removed.next;
  }
};

constexpr unsigned bucket_bits = 6;
constinit bucket buckets[1u << bucket_bits];

bucket& bucket_of(const void* address) noexcept {
  // Fibonacci hashing: the upper bits of the product depend on all bits of the address.
  const auto key = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(address));
  return buckets[(key * 0x9E3779B97F4A7C15u) >> (64 - bucket_bits)];
}

void wake(const void* address, bool all) noexcept {
  bucket& home = bucket_of(address);
  const std::lock_guard hold(home.lock);
  sleeper** link = &home.first;
  while (*link != nullptr) {
    sleeper& candidate = **link;
    if (candidate.address != address) {
      link = &candidate.next;
      continue;
    }
    *link = candidate.next;
    candidate.woken = true;
    candidate.wake.notify_one();  // under the mutex: afterwards the sleeper may be gone
    if (!all) return;
  }
}

}  // namespace

wait_status address_wait(const atomic<std::uint32_t>& word, std::uint32_t expected,
                         std::uint64_t deadline_ns) noexcept {
  bucket& home = bucket_of(&word);
  std::unique_lock hold(home.lock);
  if (word.load(std::memory_order_seq_cst) != expected) return wait_status::woken;
  wait_count.fetch_add(1, std::memory_order_relaxed);
  sleeper self;
  self.address = &word;
  home.append(self);
  while (!self.woken) {
    if (deadline_ns == 0) {
      self.wake.wait(hold);
      continue;
    }
    const std::uint64_t now = now_ns();
    if (now >= deadline_ns) {
      home.remove(self);
      return wait_status::timed_out;
    }
    // At most a day at a time, so that no clock of the standard library overflows.
    constexpr std::uint64_t day_ns = 86'400'000'000'000;
    self.wake.wait_for(hold, std::chrono::nanoseconds(std::min(deadline_ns - now, day_ns)));
  }
  return wait_status::woken;
}

void address_wake_one(const void* address) noexcept {
  wake(address, false);
}

void address_wake_all(const void* address) noexcept {
  wake(address, true);
}

// Relaying is pointless here: each woken thread would need the lock that this wake holds.
void address_wake_relayed(const void* address) noexcept {
  wake(address, true);
}

wait_counts counts() noexcept {
  return {wait_count.load(std::memory_order_relaxed), 0};
}

}  // namespace overture::sync_detail::generic_wait

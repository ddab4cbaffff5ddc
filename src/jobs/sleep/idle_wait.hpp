// SPDX-License-Identifier: Zlib
//
// What threads without work wait for. The host may say so at any time, while they sleep too
// (job_system::set_idle_reason), so a wait is divided among the reasons that held during it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "overture/base/atomic.hpp"
#include "overture/base/thread.hpp"
#include "overture/sync/wait_observer.hpp"
#include "overture/trace/timeline.hpp"

namespace overture::jobs_detail {

// For how long each reason has held. Any thread; takes no lock.
//
// A thread that changes the reason adds the time of the old one a moment later. A snapshot in
// between lacks that time, and the next one has it: nothing is lost, but a part may be longer than
// the time between two snapshots.
class reason_clock {
 public:
  static constexpr std::size_t reasons_max = 8;  // further ones count as the last
  using times = std::array<std::uint64_t, reasons_max>;

  void set(const char* reason) noexcept {
    const std::uint64_t next = index_of(reason);
    std::uint64_t seen = state_.load(std::memory_order_relaxed);
    if ((seen & index_mask) == next) return;
    const std::uint64_t now = now_ns();
    std::uint64_t since = 0;
    do {
      if ((seen & index_mask) == next) return;
      since = seen >> index_bits;
    } while (!state_.compare_exchange_weak(seen, std::max(now, since) << index_bits | next,
                                           std::memory_order_relaxed));
    held_ns_[seen & index_mask].fetch_add(std::max(now, since) - since, std::memory_order_relaxed);
  }
  // Null until the first set(), and after set(nullptr).
  [[nodiscard]] const char* now() const noexcept {
    return name(state_.load(std::memory_order_relaxed) & index_mask);
  }
  [[nodiscard]] const char* name(std::size_t index) const noexcept {
    return names_[index].load(std::memory_order_relaxed);
  }
  // How long each reason has held until `at_ns`, which is about now.
  [[nodiscard]] times until(std::uint64_t at_ns) const noexcept {
    times sum{};
    std::uint64_t seen = state_.load(std::memory_order_relaxed);
    for (;;) {
      for (std::size_t i = 0; i < reasons_max; ++i) {
        sum[i] = held_ns_[i].load(std::memory_order_relaxed);
      }
      const std::uint64_t again = state_.load(std::memory_order_relaxed);
      if (again == seen) break;
      seen = again;
    }
    const std::uint64_t since = seen >> index_bits;
    if (at_ns > since) sum[seen & index_mask] += at_ns - since;
    return sum;
  }

 private:
  static constexpr unsigned index_bits = 3;
  static constexpr std::uint64_t index_mask = reasons_max - 1;
  static_assert(std::size_t{1} << index_bits == reasons_max);

  std::size_t index_of(const char* reason) noexcept {
    if (reason == nullptr) return 0;
    for (std::size_t i = 1; i < reasons_max; ++i) {
      const char* known = names_[i].load(std::memory_order_relaxed);
      if (known == reason) return i;
      if (known != nullptr) continue;
      if (names_[i].compare_exchange_strong(known, reason, std::memory_order_relaxed)) return i;
      if (known == reason) return i;
    }
    return reasons_max - 1;
  }

  atomic<std::uint64_t> state_{0};            // since when, and the index of the reason
  atomic<const char*> names_[reasons_max]{};  // the first stays null
  atomic<std::uint64_t> held_ns_[reasons_max]{};
};

// Reports the wait of a thread without work, from construction to destruction: all the time, also
// that in which it looks for work before it sleeps.
class idle_wait {
 public:
  // `usual` is the reason while the clock has none. Without a clock it is the reason all the time.
  idle_wait(const reason_clock* reasons, const char* usual) noexcept
      : reasons_(reasons), usual_(usual), observer_(current_wait_observer()) {
    if (observer_ == nullptr) return;
    begun_for_ = name_or_usual(reasons_ != nullptr ? reasons_->now() : nullptr);
    observer_->wait_begins(begun_for_);
    if (reasons_ != nullptr) before_ = reasons_->until(now_ns());
  }
  ~idle_wait() {
    if (observer_ == nullptr) return;
    if (reasons_ != nullptr) divide();
    observer_->wait_ends();
  }
  idle_wait(const idle_wait&) = delete;
  idle_wait& operator=(const idle_wait&) = delete;

 private:
  void divide() const noexcept {
    const reason_clock::times after = reasons_->until(now_ns());
    for (std::size_t i = 0; i < reason_clock::reasons_max; ++i) {
      const char* const reason = name_or_usual(reasons_->name(i));
      if (after[i] <= before_[i] || reason == begun_for_) continue;
      observer_->wait_was_for(reason, after[i] - before_[i]);
    }
  }
  [[nodiscard]] const char* name_or_usual(const char* reason) const noexcept {
    return reason != nullptr ? reason : usual_;
  }

  const reason_clock* const reasons_;
  const char* const usual_;
  wait_observer* const observer_;
  const char* begun_for_ = nullptr;
  reason_clock::times before_{};
};

}  // namespace overture::jobs_detail

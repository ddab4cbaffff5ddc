// SPDX-License-Identifier: Zlib
//
// Waits until n things have happened: a count over a barricade, which is lowered when it reaches
// zero.
//
//   countdown loaded{3};
//   for (auto& level : levels) jobs.submit([&] { level.load(); loaded.done(); });
//   loaded.wait();
//
// A thread that starts more work calls add() before its own done(), so that the count cannot reach
// zero in between. At zero it stays: do not call add() again before reset().
//
// Cost: done() is one read-modify-write; the last done() is two, plus one system call if a thread
// sleeps. is_done(), and wait() after zero, are one load. Everything written before any done() is
// visible after wait().
//
// It may be destroyed once every wait() has returned, even if the last done() has not.
#pragma once

#include <chrono>
#include <cstdint>

#include "overture/base/atomic.hpp"
#include "overture/base/contracts.hpp"
#include "overture/sync/barricade.hpp"

namespace overture {

class countdown {
 public:
  explicit constexpr countdown(std::uint32_t count) noexcept
      : left_(count), zero_(count == 0 ? barricade::lowered : barricade::raised) {}

  // Adds to the count, which must not be zero. Any thread.
  template <bool Contracts = detail::contracts>
  void add(std::uint32_t count = 1) noexcept {
    [[maybe_unused]] const std::uint32_t left = left_.fetch_add(count, std::memory_order_relaxed);
    if constexpr (Contracts) {
      detail::expects(left != 0 || count == 0,
                      "countdown::add() was called at zero, when waiters may have gone on: call it "
                      "before the last done(), or reset() first");
    }
  }
  // Subtracts from the count, which must not go below zero. True for the call that reaches zero.
  // Any thread, never blocks.
  template <bool Contracts = detail::contracts>
  bool done(std::uint32_t count = 1) noexcept {
    // Only the call that reaches zero may touch the object after this: waiters may have destroyed
    // it.
    const std::uint32_t left = left_.fetch_sub(count, std::memory_order_acq_rel);
    if constexpr (Contracts) {
      detail::expects(left >= count,
                      "countdown::done() went below zero: call add() for what else is to be done, "
                      "before the count is at zero");
    }
    if (left != count) return false;
    zero_.lower();
    return true;
  }

  // Any thread.
  [[nodiscard]] bool is_done() const noexcept { return zero_.is_lowered(); }
  // The current count; may be out of date on return. Any thread.
  [[nodiscard]] std::uint32_t left() const noexcept {
    return left_.load(std::memory_order_relaxed);
  }

  // Returns once the count has reached zero. Any thread.
  void wait(const wait_options& options = {}) noexcept {
    if (!zero_.is_lowered()) zero_.wait(named(options));
  }
  // As wait(), but return false if the time runs out first. Any thread.
  [[nodiscard]] bool wait_for(std::chrono::nanoseconds duration,
                              const wait_options& options = {}) noexcept {
    return zero_.wait_for(duration, named(options));
  }
  [[nodiscard]] bool wait_until(std::chrono::steady_clock::time_point deadline,
                                const wait_options& options = {}) noexcept {
    return zero_.wait_until(deadline, named(options));
  }

  // The barricade that is lowered at zero, for APIs that wait on one (on_lowered(), a gated read).
  // Do not raise or lower it yourself. Any thread.
  [[nodiscard]] barricade& at_zero() noexcept { return zero_; }

  // Starts again from `count`. No other call may be in progress.
  void reset(std::uint32_t count) noexcept {
    left_.store(count, std::memory_order_relaxed);
    if (count != 0) {
      zero_.raise();
    } else {
      zero_.lower();
    }
  }

 private:
  static wait_options named(const wait_options& options) noexcept {
    return {options.reason ? options.reason : wait_reasons::countdown, options.spin};
  }

  atomic<std::uint32_t> left_;
  barricade zero_;
};

static_assert(sizeof(countdown) == 8);

}  // namespace overture

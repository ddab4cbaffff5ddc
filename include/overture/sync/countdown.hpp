// Something that happens when n others have: a barricade that the last one lowers.
//
//   countdown loaded{3};
//   for (auto& level : levels) jobs.submit([&] { level.load(); loaded.done(); });
//   loaded.wait();
//
// A thread that starts work on behalf of others adds to it before it counts down its own share, so
// that the count cannot come to zero in between. At zero it stays: add() has no effect on those who
// have gone through, and must not be called any more until reset().
//
// What it costs: done() is one read-modify-write, the last one two, and one system call if somebody
// sleeps. is_done() and wait() behind zero are one load. What was written before any done() is seen
// behind wait().
//
// It may be destroyed as soon as every wait() has returned, even if the last done() has not.
#pragma once

#include <chrono>
#include <cstdint>

#include "overture/base/atomic.hpp"
#include "overture/sync/barricade.hpp"

namespace overture {

class countdown {
 public:
  explicit constexpr countdown(std::uint32_t count) noexcept
      : left_(count), zero_(count == 0 ? barricade::lowered : barricade::raised) {}

  // More to wait for. Any thread that knows that the count is not zero.
  void add(std::uint32_t count = 1) noexcept { left_.fetch_add(count, std::memory_order_relaxed); }
  // One less, or several; true for the call that brought it to zero. Any thread, never blocks.
  // Altogether no more than was added.
  bool done(std::uint32_t count = 1) noexcept {
    // Behind this line only who brings it to zero may touch it: others may be through already.
    if (left_.fetch_sub(count, std::memory_order_acq_rel) != count) return false;
    zero_.lower();
    return true;
  }

  // Any thread.
  [[nodiscard]] bool is_done() const noexcept { return zero_.is_lowered(); }
  // How many are left; old by the time it returns. Any thread.
  [[nodiscard]] std::uint32_t left() const noexcept {
    return left_.load(std::memory_order_relaxed);
  }

  // Returns once the count has come to zero. Any thread.
  void wait(const wait_options& options = {}) noexcept {
    if (!zero_.is_lowered()) zero_.wait(named(options));
  }
  // As wait(), but gives up: false if time ran out first. Any thread.
  [[nodiscard]] bool wait_for(std::chrono::nanoseconds duration,
                              const wait_options& options = {}) noexcept {
    return zero_.wait_for(duration, named(options));
  }
  [[nodiscard]] bool wait_until(std::chrono::steady_clock::time_point deadline,
                                const wait_options& options = {}) noexcept {
    return zero_.wait_until(deadline, named(options));
  }

  // What is lowered at zero, for those who wait for barricades (on_lowered(), a gated read): not to
  // be raised or lowered by others. Any thread.
  [[nodiscard]] barricade& at_zero() noexcept { return zero_; }

  // Begins anew. While no other call is under way.
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

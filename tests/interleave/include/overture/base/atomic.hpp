// SPDX-License-Identifier: Zlib
//
// The explorer's overture::atomic. It replaces include/overture/base/atomic.hpp by coming first on
// the include path. The library's sources are unchanged, and an atomic is as large as a shipped
// one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "interleave/steps.hpp"

// What the explorer does itself is not watched for races (watch.cpp).
#define OVERTURE_UNWATCHED __attribute__((no_sanitize("thread")))

namespace overture {

template <class T>
class atomic {
 public:
  using value_type = T;

  constexpr atomic() noexcept : atomic(T{}) {}
  // NOLINTNEXTLINE(google-explicit-constructor): as std::atomic
  OVERTURE_UNWATCHED constexpr atomic(T value) noexcept : value_(value) {
    if (!std::is_constant_evaluated()) interleave::begin_life(this);
  }
  OVERTURE_UNWATCHED constexpr ~atomic() {
    if (!std::is_constant_evaluated()) interleave::end_life(this);
  }
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  OVERTURE_UNWATCHED T load(std::memory_order order = std::memory_order_seq_cst) const noexcept {
    if (!interleave::exploring()) return value_;
    interleave::step(this, bits(value_), "load");
    return value(interleave::load(this, order));
  }
  OVERTURE_UNWATCHED void store(T fresh,
                                std::memory_order order = std::memory_order_seq_cst) noexcept {
    if (interleave::exploring()) {
      interleave::step(this, bits(value_), "store");
      interleave::store(this, bits(fresh), order);
    }
    value_ = fresh;
  }
  T exchange(T fresh, std::memory_order order = std::memory_order_seq_cst) noexcept {
    return modify(order, "exchange", [fresh](T) { return fresh; });
  }
  T fetch_add(T added, std::memory_order order = std::memory_order_seq_cst) noexcept {
    return modify(order, "add", [added](T old) { return static_cast<T>(old + added); });
  }
  T fetch_sub(T taken, std::memory_order order = std::memory_order_seq_cst) noexcept {
    return modify(order, "subtract", [taken](T old) { return static_cast<T>(old - taken); });
  }
  T fetch_and(T mask, std::memory_order order = std::memory_order_seq_cst) noexcept {
    return modify(order, "and", [mask](T old) { return static_cast<T>(old & mask); });
  }
  T fetch_or(T mask, std::memory_order order = std::memory_order_seq_cst) noexcept {
    return modify(order, "or", [mask](T old) { return static_cast<T>(old | mask); });
  }
  bool compare_exchange_strong(T& expected, T fresh, std::memory_order success,
                               std::memory_order failure) noexcept {
    return compare_exchange(expected, fresh, success, failure, false);
  }
  bool compare_exchange_strong(T& expected, T fresh,
                               std::memory_order order = std::memory_order_seq_cst) noexcept {
    return compare_exchange(expected, fresh, order, without_release(order), false);
  }
  bool compare_exchange_weak(T& expected, T fresh, std::memory_order success,
                             std::memory_order failure) noexcept {
    return compare_exchange(expected, fresh, success, failure, true);
  }
  bool compare_exchange_weak(T& expected, T fresh,
                             std::memory_order order = std::memory_order_seq_cst) noexcept {
    return compare_exchange(expected, fresh, order, without_release(order), true);
  }

  // For the wait layer, which compares like the kernel: with the latest value.
  [[nodiscard]] OVERTURE_UNWATCHED T latest() const noexcept { return value_; }

 private:
  OVERTURE_UNWATCHED static std::uint64_t bits(T value) noexcept {
    static_assert(sizeof(T) <= sizeof(std::uint64_t) && std::is_trivially_copyable_v<T>);
    std::uint64_t all = 0;
    std::memcpy(&all, static_cast<const void*>(&value), sizeof value);
    return all;
  }
  OVERTURE_UNWATCHED static T value(std::uint64_t all) noexcept {
    T value;
    std::memcpy(static_cast<void*>(&value), &all, sizeof value);
    return value;
  }
  static std::memory_order without_release(std::memory_order order) noexcept {
    if (order == std::memory_order_acq_rel) return std::memory_order_acquire;
    return order == std::memory_order_release ? std::memory_order_relaxed : order;
  }
  OVERTURE_UNWATCHED bool compare_exchange(T& expected, T fresh, std::memory_order success,
                                           std::memory_order failure, bool weak) noexcept {
    bool done = value_ == expected;
    T seen = value_;
    if (interleave::exploring()) {
      interleave::step(this, bits(value_), "compare-exchange");
      const interleave::exchanged what =
          interleave::compare_exchange(this, bits(expected), bits(fresh), success, failure, weak);
      done = what.done;
      seen = value(what.seen);
    }
    (done ? value_ : expected) = done ? fresh : seen;
    return done;
  }
  template <class F>
  OVERTURE_UNWATCHED T modify(std::memory_order order, const char* what, F next) noexcept {
    if (interleave::exploring()) interleave::step(this, bits(value_), what);
    const T old = value_;
    value_ = next(old);
    if (interleave::exploring()) interleave::read_modify_write(this, bits(value_), order);
    return old;
  }

  T value_;
};

}  // namespace overture

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

namespace overture {

template <class T>
class atomic {
 public:
  using value_type = T;

  constexpr atomic() noexcept : atomic(T{}) {}
  // NOLINTNEXTLINE(google-explicit-constructor): as std::atomic
  constexpr atomic(T value) noexcept : value_(value) {
    if (!std::is_constant_evaluated()) interleave::begin_life(this);
  }
  constexpr ~atomic() {
    if (!std::is_constant_evaluated()) interleave::end_life(this);
  }
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  T load(std::memory_order order = std::memory_order_seq_cst) const noexcept {
    if (!interleave::exploring()) return value_;
    interleave::step(this, bits(value_), "load");
    return value(interleave::load(this, order));
  }
  void store(T fresh, std::memory_order order = std::memory_order_seq_cst) noexcept {
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
    if (interleave::exploring()) {
      interleave::step(this, bits(value_), "compare-exchange");
      if (value_ == expected) {
        interleave::read_modify_write(this, bits(fresh), success);
      } else {
        interleave::failed_exchange(this, failure);
      }
    }
    const bool same = value_ == expected;
    (same ? value_ : expected) = same ? fresh : value_;
    return same;
  }
  bool compare_exchange_strong(T& expected, T fresh,
                               std::memory_order order = std::memory_order_seq_cst) noexcept {
    return compare_exchange_strong(expected, fresh, order, order);
  }
  bool compare_exchange_weak(T& expected, T fresh, std::memory_order success,
                             std::memory_order failure) noexcept {
    return compare_exchange_strong(expected, fresh, success, failure);
  }
  bool compare_exchange_weak(T& expected, T fresh,
                             std::memory_order order = std::memory_order_seq_cst) noexcept {
    return compare_exchange_strong(expected, fresh, order, order);
  }

  // For the wait layer, which compares like the kernel: with the latest value.
  [[nodiscard]] T latest() const noexcept { return value_; }

 private:
  static std::uint64_t bits(T value) noexcept {
    static_assert(sizeof(T) <= sizeof(std::uint64_t) && std::is_trivially_copyable_v<T>);
    std::uint64_t all = 0;
    std::memcpy(&all, static_cast<const void*>(&value), sizeof value);
    return all;
  }
  static T value(std::uint64_t all) noexcept {
    T value;
    std::memcpy(static_cast<void*>(&value), &all, sizeof value);
    return value;
  }
  template <class F>
  T modify(std::memory_order order, const char* what, F next) noexcept {
    if (interleave::exploring()) interleave::step(this, bits(value_), what);
    const T old = value_;
    value_ = next(old);
    if (interleave::exploring()) interleave::read_modify_write(this, bits(value_), order);
    return old;
  }

  T value_;
};

}  // namespace overture

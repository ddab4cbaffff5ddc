// SPDX-License-Identifier: Zlib
//
// The overture::atomic of test binaries that count. It replaces include/overture/base/atomic.hpp by
// coming first on the include path; the sources of the library are the same.
//
//   counting::recording seen;                // counts what this thread does from here
//   door.is_lowered();
//   EXPECT_EQ(seen.of(door).loads, 1u);      // by object ...
//   EXPECT_EQ(seen.total().stores, 0u);      // ... or in total
//
// An atomic has the same size and offset as in shipped programs.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace overture {
namespace counting {

struct operations {
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;
  std::uint64_t read_modify_writes = 0;

  [[nodiscard]] std::uint64_t writes() const noexcept { return stores + read_modify_writes; }
  operations& operator+=(const operations& other) noexcept {
    loads += other.loads;
    stores += other.stores;
    read_modify_writes += other.read_modify_writes;
    return *this;
  }
};

// Counts one thread's atomic operations, by object. Recordings may nest; only the innermost counts.
class recording {
 public:
  struct entry {
    const void* object = nullptr;
    operations done;
  };

  recording() noexcept : outer_(current) { current = this; }
  ~recording() { current = outer_; }
  recording(const recording&) = delete;
  recording& operator=(const recording&) = delete;

  // All operations on atomics inside the object.
  template <class T>
  [[nodiscard]] operations of(const T& object) const noexcept {
    const auto* const first = reinterpret_cast<const std::byte*>(&object);
    operations sum;
    for (const entry& known : *this) {
      const auto* const at = static_cast<const std::byte*>(known.object);
      if (at >= first && at < first + sizeof(T)) sum += known.done;
    }
    return sum;
  }
  [[nodiscard]] operations total() const noexcept {
    operations sum;
    for (const entry& known : *this) sum += known.done;
    return sum;
  }
  // In order of first use.
  [[nodiscard]] const entry* begin() const noexcept { return entries_; }
  [[nodiscard]] const entry* end() const noexcept { return entries_ + used_; }

  static void load(const void* object) noexcept {
    if (current != nullptr) ++current->find(object).loads;
  }
  static void store(const void* object) noexcept {
    if (current != nullptr) ++current->find(object).stores;
  }
  static void read_modify_write(const void* object) noexcept {
    if (current != nullptr) ++current->find(object).read_modify_writes;
  }

 private:
  operations& find(const void* object) noexcept {
    for (std::size_t i = 0; i < used_; ++i) {
      if (entries_[i].object == object) return entries_[i].done;
    }
    // The rest is counted together, so that the total stays right.
    const std::size_t index = used_ < objects_max ? used_++ : objects_max - 1;
    entries_[index].object = object;
    return entries_[index].done;
  }

  static constexpr std::size_t objects_max = 256;
  inline static thread_local recording* current = nullptr;

  recording* const outer_;
  std::size_t used_ = 0;
  entry entries_[objects_max];
};

}  // namespace counting

template <class T>
class atomic {
 public:
  static constexpr bool is_always_lock_free = std::atomic<T>::is_always_lock_free;
  using value_type = T;

  constexpr atomic() noexcept = default;
  // NOLINTNEXTLINE(google-explicit-constructor): like std::atomic
  constexpr atomic(T value) noexcept : value_(value) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  T load(std::memory_order order = std::memory_order_seq_cst) const noexcept {
    counting::recording::load(this);
    return value_.load(order);
  }
  void store(T value, std::memory_order order = std::memory_order_seq_cst) noexcept {
    counting::recording::store(this);
    value_.store(value, order);
  }
  T exchange(T value, std::memory_order order = std::memory_order_seq_cst) noexcept {
    counting::recording::read_modify_write(this);
    return value_.exchange(value, order);
  }
  bool compare_exchange_weak(T& expected, T desired, std::memory_order success,
                             std::memory_order failure) noexcept {
    counting::recording::read_modify_write(this);
    return value_.compare_exchange_weak(expected, desired, success, failure);
  }
  bool compare_exchange_weak(T& expected, T desired,
                             std::memory_order order = std::memory_order_seq_cst) noexcept {
    counting::recording::read_modify_write(this);
    return value_.compare_exchange_weak(expected, desired, order);
  }
  bool compare_exchange_strong(T& expected, T desired, std::memory_order success,
                               std::memory_order failure) noexcept {
    counting::recording::read_modify_write(this);
    return value_.compare_exchange_strong(expected, desired, success, failure);
  }
  bool compare_exchange_strong(T& expected, T desired,
                               std::memory_order order = std::memory_order_seq_cst) noexcept {
    counting::recording::read_modify_write(this);
    return value_.compare_exchange_strong(expected, desired, order);
  }
  template <class U>
  T fetch_add(U value, std::memory_order order = std::memory_order_seq_cst) noexcept {
    counting::recording::read_modify_write(this);
    return value_.fetch_add(static_cast<difference>(value), order);
  }
  template <class U>
  T fetch_sub(U value, std::memory_order order = std::memory_order_seq_cst) noexcept {
    counting::recording::read_modify_write(this);
    return value_.fetch_sub(static_cast<difference>(value), order);
  }
  T fetch_and(T value, std::memory_order order = std::memory_order_seq_cst) noexcept
    requires std::is_integral_v<T>
  {
    counting::recording::read_modify_write(this);
    return value_.fetch_and(value, order);
  }
  T fetch_or(T value, std::memory_order order = std::memory_order_seq_cst) noexcept
    requires std::is_integral_v<T>
  {
    counting::recording::read_modify_write(this);
    return value_.fetch_or(value, order);
  }

 private:
  // The operand of fetch_add: a number, or a distance for pointers.
  using difference = std::conditional_t<std::is_integral_v<T>, T, std::ptrdiff_t>;

  std::atomic<T> value_{};
};

}  // namespace overture

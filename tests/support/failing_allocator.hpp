// SPDX-License-Identifier: Zlib
//
// An allocator that refuses chosen calls, to test running out of memory.
#pragma once

#include <atomic>
#include <cstdint>

#include "overture/base/allocator.hpp"

namespace overture {

class failing_allocator final : public allocator {
 public:
  // Refuses call number `refused` (from 0), and with `and_after` every later one.
  explicit failing_allocator(std::uint64_t refused, bool and_after = false)
      : refused_(refused), and_after_(and_after) {}

  void* allocate(std::size_t bytes, std::size_t alignment, memory_tag tag) noexcept override {
    const std::uint64_t call = calls_.fetch_add(1);
    if (call == refused_ || (and_after_ && call > refused_)) {
      refusals_.fetch_add(1);
      return nullptr;
    }
    void* const memory = default_allocator().allocate(bytes, alignment, tag);
    if (memory) live_.fetch_add(static_cast<std::int64_t>(bytes));
    return memory;
  }
  void deallocate(void* memory, std::size_t bytes, std::size_t alignment,
                  memory_tag tag) noexcept override {
    if (memory) live_.fetch_sub(static_cast<std::int64_t>(bytes));
    default_allocator().deallocate(memory, bytes, alignment, tag);
  }

  // Every call from now on is refused.
  void refuse_from_now() {
    and_after_ = true;
    refused_ = calls_.load();
  }

  [[nodiscard]] std::uint64_t calls() const { return calls_; }
  [[nodiscard]] std::uint64_t refusals() const { return refusals_; }
  [[nodiscard]] std::int64_t live_bytes() const { return live_; }

 private:
  std::atomic<std::uint64_t> refused_;
  std::atomic<bool> and_after_;
  std::atomic<std::uint64_t> calls_{0};
  std::atomic<std::uint64_t> refusals_{0};
  std::atomic<std::int64_t> live_{0};
};

}  // namespace overture

// SPDX-License-Identifier: Zlib
//
// An allocator that counts.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "overture/base/allocator.hpp"

namespace overture::test {

// Counts what is allocated.
class counted_memory final : public allocator {
 public:
  void* allocate(std::size_t bytes, std::size_t alignment, memory_tag tag) noexcept override {
    ++allocations_;
    const std::uint64_t sum = now_ += bytes;
    std::uint64_t most = peak_;
    while (sum > most && !peak_.compare_exchange_weak(most, sum)) {
    }
    return default_allocator().allocate(bytes, alignment, tag);
  }
  void deallocate(void* place, std::size_t bytes, std::size_t alignment,
                  memory_tag tag) noexcept override {
    if (place != nullptr) now_ -= bytes;
    default_allocator().deallocate(place, bytes, alignment, tag);
  }
  [[nodiscard]] std::uint64_t now() const noexcept { return now_; }
  [[nodiscard]] std::uint64_t peak() const noexcept { return peak_; }
  [[nodiscard]] std::uint64_t allocations() const noexcept { return allocations_; }

 private:
  std::atomic<std::uint64_t> now_{0};
  std::atomic<std::uint64_t> peak_{0};
  std::atomic<std::uint64_t> allocations_{0};
};

}  // namespace overture::test

// SPDX-License-Identifier: Zlib
//
// For libraries that do not look whether an allocation was refused, which ends the process:
//
//   const library_memory room(bytes);
//   if (!room) return fail(errc::out_of_memory, ...);
//
// Asks the process for what the library is going to take, and for what it may still take in other
// threads. It is no promise: what else takes memory meanwhile is not counted.
#pragma once

#include <cstddef>
#include <cstdint>

#include "overture/base/allocator.hpp"
#include "overture/base/atomic.hpp"

namespace overture::decoders_detail {

class library_memory {
 public:
  explicit library_memory(std::uint64_t bytes) noexcept : bytes_(bytes) {
    constexpr std::uint64_t others = 16u << 20;
    constexpr std::size_t alignment = alignof(std::max_align_t);
    const auto size = static_cast<std::size_t>(in_use.fetch_add(bytes) + bytes + others);
    void* const room = default_allocator().allocate(size, alignment, memory_tag::decode);
    granted_ = room != nullptr;
    default_allocator().deallocate(room, size, alignment, memory_tag::decode);
  }
  ~library_memory() { in_use.fetch_sub(bytes_); }
  library_memory(const library_memory&) = delete;
  library_memory& operator=(const library_memory&) = delete;
  [[nodiscard]] explicit operator bool() const noexcept { return granted_; }

 private:
  inline static atomic<std::uint64_t> in_use{0};

  std::uint64_t bytes_;
  bool granted_ = false;
};

}  // namespace overture::decoders_detail

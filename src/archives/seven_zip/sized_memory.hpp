// SPDX-License-Identifier: Zlib
//
// Memory for libraries that free it without passing its size: the size is stored in front.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "overture/base/allocator.hpp"

namespace overture::archives_detail {

inline constexpr std::size_t sized_front_bytes = alignof(std::max_align_t);

// `memory` is an allocator.
inline void* allocate_sized(void* memory, std::size_t count, std::size_t size) noexcept {
  if (size != 0 && count > (SIZE_MAX - sized_front_bytes) / size) return nullptr;
  const std::size_t bytes = count * size + sized_front_bytes;
  auto* const from = static_cast<allocator*>(memory);
  auto* const whole =
      static_cast<std::byte*>(from->allocate(bytes, sized_front_bytes, memory_tag::vfs));
  if (!whole) return nullptr;
  std::memcpy(whole, &bytes, sizeof bytes);
  return whole + sized_front_bytes;
}

inline void deallocate_sized(void* memory, void* piece) noexcept {
  if (!piece) return;
  auto* const whole = static_cast<std::byte*>(piece) - sized_front_bytes;
  std::size_t bytes = 0;
  std::memcpy(&bytes, whole, sizeof bytes);
  static_cast<allocator*>(memory)->deallocate(whole, bytes, sized_front_bytes, memory_tag::vfs);
}

}  // namespace overture::archives_detail

// SPDX-License-Identifier: Zlib
//
// Portable aligned malloc: an over-aligned block stores malloc's address just before itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace overture::base_detail {

inline void* allocate_aligned(std::size_t bytes, std::size_t alignment) noexcept {
  if (alignment <= alignof(std::max_align_t)) return std::malloc(bytes);
  const std::size_t extra = alignment + sizeof(void*);
  if (bytes > SIZE_MAX - extra) return nullptr;
  void* const whole = std::malloc(bytes + extra);
  if (!whole) return nullptr;
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(whole) + sizeof(void*);
  const std::uintptr_t aligned = (first + alignment - 1) & ~(std::uintptr_t{alignment} - 1);
  reinterpret_cast<void**>(aligned)[-1] = whole;
  return reinterpret_cast<void*>(aligned);
}

inline void free_aligned(void* memory, std::size_t alignment) noexcept {
  if (memory && alignment > alignof(std::max_align_t)) memory = static_cast<void**>(memory)[-1];
  std::free(memory);
}

}  // namespace overture::base_detail

// SPDX-License-Identifier: Zlib
//
// Stands in for src/base/aligned_memory.hpp: the explorer knows what memory is in use, and takes
// none again before the execution ends.
#pragma once

#include <cstddef>

#include "interleave/steps.hpp"

namespace overture::base_detail {

inline void* allocate_aligned(std::size_t bytes, std::size_t alignment) noexcept {
  return interleave::take_memory(bytes, alignment);
}
inline void free_aligned(void* memory, std::size_t) noexcept {
  interleave::free_memory(memory);
}

}  // namespace overture::base_detail

// SPDX-License-Identifier: Zlib
//
// Large pages for large tables: filling a table of a million entries takes about a thousand fewer
// page faults, and look-ups miss the TLB less often.
#pragma once

#include <cstddef>

namespace overture::base_detail {

// The alignment that a block of this size needs so that large pages can back it; 1 for small ones.
[[nodiscard]] std::size_t large_page_alignment(std::size_t bytes) noexcept;

// Hints that the system should back the block with large pages where possible. Ignores small
// blocks.
void prefer_large_pages(void* block, std::size_t bytes) noexcept;

}  // namespace overture::base_detail

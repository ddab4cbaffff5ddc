// Large pages for large tables: a table of a million entries is some thousand page faults less to
// fill, and look-ups all over it miss the translation of addresses less often.
#pragma once

#include <cstddef>

namespace overture {

// Asks the system to back those parts of the block that can be by large pages; a hint. Small blocks
// are left as they are.
void prefer_large_pages(void* block, std::size_t bytes) noexcept;

}  // namespace overture

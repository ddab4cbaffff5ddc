// SPDX-License-Identifier: Zlib
//
// The order in which a load begins its files.
#pragma once

#include <cstdint>
#include <span>

#include "base/vec.hpp"
#include "overture/vfs/file_system.hpp"

namespace overture::load_detail {

// A file and the solid block that it is in.
struct ordered_file {
  std::uint32_t number = 0;
  std::uint64_t bytes = 0;
  solid_block block;
};

// What a load can do at a time.
struct load_means {
  std::uint64_t room_bytes = 0;  // for blocks
  unsigned threads = 1;
};

// Files of at least large_bytes_min come first, the largest at the front: one that began last would
// leave the other threads idle. The rest keeps its order.
//
// If there is no room for all blocks, one would be unpacked again and again for files that are far
// apart. The files of blocks then come before all others, in turns of as many blocks as there are
// threads, fewer if there is no room for these: each block is unpacked once, several at a time.
//
// Adds the numbers to `order`. False if out of memory.
[[nodiscard]] bool order_files(std::span<const ordered_file> files, const load_means& means,
                               allocator& memory, base_detail::vec<std::uint32_t>& order) noexcept;
inline constexpr std::uint64_t large_bytes_min = 256u << 10;

}  // namespace overture::load_detail

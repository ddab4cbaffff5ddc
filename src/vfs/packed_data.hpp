// SPDX-License-Identifier: Zlib
//
// Locates the packed bytes of a file within its source.
#pragma once

#include "overture/vfs/file_system.hpp"

namespace overture::vfs_detail {

// The offset of the packed bytes in the source. Reads the header in front of them, if there is one.
// Errors: corrupt, those of reading.
[[nodiscard]] result<std::uint64_t> find_packed_data(const open_source& source,
                                                     const file_place& place) noexcept;

// The same from the beginning of a framed file, which has been read. Error: corrupt.
[[nodiscard]] result<std::uint64_t> packed_data_after(std::span<const std::byte> front,
                                                      const file_place& place) noexcept;

// What was read of a file, and where its packed bytes begin in it.
struct framed_bytes {
  blob bytes;
  std::size_t packed_at = 0;
};

// Unpacks and verifies it. Errors: corrupt, unsupported, out_of_memory.
[[nodiscard]] result<blob> unpack_file(const file_place& place, framed_bytes read,
                                       buffer_pool& buffers) noexcept;
// An error of reading or unpacking that place, which says where.
[[nodiscard]] error error_at(const file_place& place, error why) noexcept;

// The bytes of a stored file within its mapped archive. Errors: corrupt, unsupported (compressed),
// truncated (outside the mapping).
[[nodiscard]] result<std::span<const std::byte>> mapped_part(const mapping& archive,
                                                             const file_place& place) noexcept;

}  // namespace overture::vfs_detail

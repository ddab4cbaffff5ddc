// SPDX-License-Identifier: Zlib
//
// A private extra field of the directory: how a large DEFLATE entry is cut into pieces that refer
// to no other, so that each can be unpacked by itself. Only a hint: the entry is one valid stream,
// and what the pieces unpack to counts only if it matches the entry's checksum.
//
//   u16 0x564F ("OV"), u16 length of the rest
//   u8 version (1), 3 bytes 0
//   u32 unpacked size of each piece but the last
//   u32 packed size of each piece but the last, which takes the rest
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/vec.hpp"

namespace overture::archives_detail {

// Writing: add_zip_piece() for each piece in order, then end_zip_pieces(), which leaves `field`
// empty unless it can be written: a single piece, too many, or not those of `bytes`.
[[nodiscard]] bool add_zip_piece(base_detail::vec<std::byte>& field, std::uint64_t piece_bytes,
                                 std::uint64_t index, std::uint64_t packed_bytes) noexcept;
void end_zip_pieces(base_detail::vec<std::byte>& field, std::uint64_t pieces,
                    std::uint64_t bytes) noexcept;

}  // namespace overture::archives_detail

// SPDX-License-Identifier: Zlib
#include "archives/zip/zip_pieces.hpp"

#include "base/little_endian.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

constexpr std::uint16_t pieces_number = 0x564F;
constexpr std::uint8_t pieces_version = 1;
constexpr std::size_t pieces_head_bytes = 4;  // number and length
constexpr std::size_t constant_bytes = 8;     // version and size
constexpr std::uint64_t pieces_max = 8192;

void store(std::byte* to, std::uint64_t value, unsigned count) noexcept {
  for (unsigned i = 0; i < count; ++i) to[i] = static_cast<std::byte>(value >> (8 * i));
}

}  // namespace

bool add_zip_piece(vec<std::byte>& field, std::uint64_t piece_bytes, std::uint64_t index,
                   std::uint64_t packed_bytes) noexcept {
  if (index == 0) {
    if (!field.resize(pieces_head_bytes + constant_bytes)) return false;
    store(field.data(), pieces_number, 2);
    store(field.data() + pieces_head_bytes, pieces_version, 1);
    store(field.data() + pieces_head_bytes + 4, piece_bytes, 4);
  }
  if (index >= pieces_max) return true;
  std::byte size[4];
  store(size, packed_bytes, 4);
  return field.append(size, sizeof size);
}

void end_zip_pieces(vec<std::byte>& field, std::uint64_t pieces, std::uint64_t bytes) noexcept {
  if (field.empty()) return;
  const std::uint64_t piece_bytes = load_u32(field.data() + pieces_head_bytes + 4);
  if (pieces < 2 || pieces > pieces_max || piece_bytes == 0 || pieces != bytes / piece_bytes) {
    return field.clear();
  }
  for (int i = 0; i < 4; ++i) field.pop_back();  // the last piece's
  store(field.data() + 2, field.size() - pieces_head_bytes, 2);
}

}  // namespace overture::archives_detail

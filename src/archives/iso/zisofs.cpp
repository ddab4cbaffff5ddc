// SPDX-License-Identifier: Zlib
#include "archives/iso/zisofs.hpp"

#include <algorithm>

#include "archives/tables/plain_table.hpp"
#include "base/little_endian.hpp"
#include "overture/io/unpack.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

constexpr std::string_view zisofs_mark{"\x37\xE4\x53\x96\xC9\xDB\xD6\x07", 8};
constexpr std::size_t header_bytes_min = 16;
constexpr std::size_t group_bytes = block_store::small_bytes / 2;  // so that it needs no room
constexpr std::size_t blocks_of_group_max = group_bytes >> 15;

tl::unexpected<error> damaged(std::uint64_t offset) noexcept {
  return fail(errc::corrupt, "the packed file is damaged", {}, offset);
}

}  // namespace

zisofs_field read_zisofs_field(const std::byte* data) noexcept {
  zisofs_field field;
  field.present = true;
  field.header_bytes = load_u8(data + 2) * 4;
  const std::uint32_t log2 = load_u8(data + 3);
  field.bytes = load_u32(data + 4);
  field.supported = text_of(data, 2) == "pz" && field.header_bytes >= header_bytes_min &&
                    log2 >= 15 && log2 <= 17;
  if (field.supported) field.block_bytes = 1u << log2;
  return field;
}

result<std::uint64_t> iso_store::add(std::uint64_t offset, std::uint64_t packed_bytes,
                                     const zisofs_field& field) noexcept {
  const std::uint64_t begin = size();
  for (std::uint64_t at = 0; at < field.bytes; at += group_bytes) {
    const group added{offset, packed_bytes, field.header_bytes, field.block_bytes,
                      static_cast<std::uint32_t>(at / field.block_bytes)};
    if (!groups_.push_back(added)) {
      return fail(errc::out_of_memory, "out of memory for the list of compressed blocks");
    }
    const std::uint64_t part = std::min<std::uint64_t>(field.bytes - at, group_bytes);
    if (const result<std::uint64_t> block = add_block(part); !block) return block;
  }
  return begin;
}

result<std::uint64_t> iso_store::add_extent(std::uint64_t offset, std::uint64_t bytes) noexcept {
  if (!groups_.push_back({})) {
    return fail(errc::out_of_memory, "out of memory for the list of extents");
  }
  return add_stored(bytes, offset);
}

result<void> iso_store::check_header(const group& of, reading how) noexcept {
  std::byte header[header_bytes_min];
  if (result<void> read = read_packed(of.offset, header, how); !read) return read;
  const bool same =
      std::string_view(reinterpret_cast<const char*>(header), zisofs_mark.size()) == zisofs_mark &&
      load_u8(header + 12) * 4 == of.header_bytes &&
      1u << (load_u8(header + 13) & 31) == of.block_bytes;
  return same ? result<void>() : damaged(of.offset);
}

result<void> iso_store::unpack(std::uint32_t number, std::span<std::byte> to, reading how,
                               std::size_t& made) noexcept {
  made = 0;
  const group& of = groups_[number];
  if (of.first == 0) {
    if (result<void> right = check_header(of, how); !right) return right;
  }
  const std::size_t blocks = (to.size() + of.block_bytes - 1) / of.block_bytes;
  std::byte table[(blocks_of_group_max + 1) * 4];
  const std::span<std::byte> places(table, (blocks + 1) * 4);
  const std::uint64_t table_at = of.offset + of.header_bytes + std::uint64_t{of.first} * 4;
  if (result<void> read = read_packed(table_at, places, how); !read) return read;
  vec<std::byte> packed(groups_.memory(), memory_tag::vfs);
  unpacker unpack;
  for (std::size_t i = 0; i < blocks; ++i) {
    const std::uint32_t begin = load_u32(table + i * 4);
    const std::uint32_t end = load_u32(table + (i + 1) * 4);
    // No honest block is packed to more than this.
    if (begin > end || end > of.packed_bytes || end - begin > 2 * of.block_bytes) {
      return damaged(table_at + i * 4);
    }
    const std::span<std::byte> block =
        to.subspan(made, std::min<std::size_t>(of.block_bytes, to.size() - made));
    if (begin == end) {
      std::fill(block.begin(), block.end(), std::byte{});
    } else {
      if (!packed.resize_for_overwrite(end - begin)) {
        return fail(errc::out_of_memory, "out of memory for unpacking a block of the archive");
      }
      const std::span<std::byte> room(packed.data(), packed.size());
      if (result<void> read = read_packed(of.offset + begin, room, how); !read) return read;
      if (result<void> done = unpack.unpack(compression::zlib, room, block); !done) return done;
    }
    made += block.size();
  }
  return {};
}

}  // namespace overture::archives_detail

// SPDX-License-Identifier: Zlib
//
// zisofs: files of an ISO 9660 image that are packed by blocks, so that a system can read them at
// any position.
//
//   ZF of the record (see rock_ridge.hpp): "pz", u8 header's bytes / 4, u8 log2 of a block's bytes,
//   u32 bytes of the file (in both byte orders)
//   file: 37 E4 53 96 C9 DB D6 07, u32 bytes, u8 header's bytes / 4, u8 log2, u16 reserved; from
//   the header's end on, u32 place in the file of each block and of the end; the blocks
//
// A block is a zlib stream, or nothing: all zeros. Source: the description of zisofs by the authors
// of libisofs. Unsupported: its second version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "archives/block_store.hpp"
#include "base/vec.hpp"

namespace overture::archives_detail {

// The fields of a Rock Ridge ZF entry; all zero without one.
struct zisofs_field {
  bool present = false;
  bool supported = false;
  std::uint32_t header_bytes = 0;
  std::uint32_t block_bytes = 0;
  std::uint64_t bytes = 0;  // unpacked

  // The places of all blocks and of the end.
  [[nodiscard]] std::uint64_t table_bytes() const noexcept {
    return ((bytes + block_bytes - 1) / block_bytes + 1) * 4;
  }
};
// `data`: the 12 bytes of the field.
[[nodiscard]] zisofs_field read_zisofs_field(const std::byte* data) noexcept;

// The files of an image that do not lie there in one piece: packed ones, each in groups of blocks,
// and those in several extents.
class iso_store final : public block_store {
 public:
  iso_store(allocator& memory, operating_system& os, const owned_handle& image) noexcept
      : block_store(memory, os, image), groups_(memory, memory_tag::vfs) {}

  // Adds a file that is not empty, of `packed_bytes` at `offset` in the image, which have room for
  // its table. Returns its offset in the store. Errors: out_of_memory, limit.
  [[nodiscard]] result<std::uint64_t> add(std::uint64_t offset, std::uint64_t packed_bytes,
                                          const zisofs_field& field) noexcept;
  // Adds an extent, which is not empty, of a file that is not packed. Returns its offset in the
  // store: extents added one after the other are one file. Errors: out_of_memory, limit.
  [[nodiscard]] result<std::uint64_t> add_extent(std::uint64_t offset,
                                                 std::uint64_t bytes) noexcept;

 private:
  struct group {
    std::uint64_t offset = 0;  // of the file
    std::uint64_t packed_bytes = 0;
    std::uint32_t header_bytes = 0;
    std::uint32_t block_bytes = 0;
    std::uint32_t first = 0;  // block
  };
  result<void> unpack(std::uint32_t number, std::span<std::byte> to, reading how,
                      std::size_t& made) noexcept override;
  [[nodiscard]] const char* packed_as() const noexcept override { return "the file is compressed"; }
  result<void> check_header(const group& of, reading how) noexcept;

  base_detail::vec<group> groups_;  // by block number of the store
};

}  // namespace overture::archives_detail

// SPDX-License-Identifier: Zlib
//
// Parses the header of a 7z archive from bytes in memory.
//
// Source of the layout: 7zFormat.txt, part of 7-Zip. All functions are pure; the bytes may be
// hostile. Memory use is proportional to the size of the header, not to what it claims.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "archives/seven_zip/lzma_chain.hpp"
#include "archives/seven_zip/unpack_chain.hpp"
#include "base/vec.hpp"
#include "overture/base/error.hpp"

namespace overture::archives_detail {

// The signature header, at the front of the archive.
struct seven_zip_start {
  std::uint64_t header_offset = 0;  // from the end of the signature header
  std::uint64_t header_bytes = 0;
  std::uint32_t header_crc32 = 0;
};
inline constexpr std::size_t seven_zip_start_bytes = 32;
inline constexpr std::string_view seven_zip_mark{"7z\xBC\xAF\x27\x1C", 6};
// Errors: corrupt, unsupported.
[[nodiscard]] result<seven_zip_start> read_seven_zip_start(
    std::span<const std::byte> front) noexcept;

enum class seven_zip_flaw : std::uint8_t { none, method, ppmd, deflate64, brotli, lz4, encryption };

// Files packed together; the format calls it a folder.
struct seven_zip_block {
  packed_block packed;              // how to unpack it, if it has no steps
  std::uint64_t packed_offset = 0;  // from the end of the signature header
  std::uint32_t first_step = 0;     // in seven_zip_header::steps
  std::uint32_t first_packed = 0;   // in seven_zip_header::packed_bytes
  std::uint8_t step_count = 0;
  std::uint8_t packed_count = 1;  // streams, one after the other
  std::uint8_t last_step = 0;
  std::uint32_t crc32 = 0;
  std::uint32_t streams = 1;  // files in it
  bool has_crc = false;
  seven_zip_flaw flaw = seven_zip_flaw::none;  // why it cannot be unpacked
};

struct seven_zip_stream {
  std::uint64_t bytes = 0;
  std::uint32_t crc32 = 0;
  bool has_crc = false;
};

struct seven_zip_header {
  explicit seven_zip_header(allocator& memory) noexcept
      : blocks(memory, memory_tag::vfs),
        steps(memory, memory_tag::vfs),
        packed_bytes(memory, memory_tag::vfs),
        streams(memory, memory_tag::vfs),
        no_stream(memory, memory_tag::vfs) {}

  bool encoded = false;  // blocks[0] unpacks to the actual header; the fields below are empty
  base_detail::vec<seven_zip_block> blocks;
  base_detail::vec<unpack_step> steps;           // of the blocks that need more than LZMA
  base_detail::vec<std::uint64_t> packed_bytes;  // of all packed streams
  base_detail::vec<seven_zip_stream> streams;    // of all blocks
  std::uint64_t files = 0;
  base_detail::vec<std::uint8_t> no_stream;  // by file: the flags below
  std::span<const std::byte> names;       // UTF-16, each NUL-terminated; refers to the parsed bytes
  std::span<const std::byte> attributes;  // u32 for each file, or empty
  std::span<const std::byte> modified;    // u64 for each file, or empty

  static constexpr std::uint8_t is_empty = 1;   // has no stream
  static constexpr std::uint8_t is_folder = 2;  // not an empty file
  static constexpr std::uint8_t is_anti = 4;    // a request to delete a file
};

// The steps of a block; none if it needs no more than LZMA and a filter.
[[nodiscard]] inline unpack_chain chain_of(const seven_zip_header& header,
                                           const seven_zip_block& block) noexcept {
  return {header.steps.span().subspan(block.first_step, block.step_count), block.last_step};
}

// Whether a packed header may be unpacked. Error: limit.
[[nodiscard]] result<void> check_packed_header(std::uint64_t bytes,
                                               std::uint64_t packed_bytes) noexcept;

// Errors: corrupt, limit, unsupported, out_of_memory.
[[nodiscard]] result<void> read_seven_zip_header(std::span<const std::byte> bytes,
                                                 seven_zip_header& header) noexcept;

}  // namespace overture::archives_detail

// SPDX-License-Identifier: Zlib
//
// Unpacks one block of a 7z archive: LZMA, LZMA2 or uncompressed, with an optional filter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "archives/seven_zip/byte_source.hpp"
#include "overture/base/allocator.hpp"
#include "overture/base/error.hpp"

namespace overture::archives_detail {

enum class block_method : std::uint8_t { copy, lzma, lzma2 };
// Transforms that make machine code compress better; `delta` is for sounds and images.
enum class block_filter : std::uint8_t {
  none,
  x86,
  powerpc,
  ia64,
  arm,
  arm_thumb,
  sparc,
  arm64,
  delta,
};

struct packed_block {
  std::uint64_t packed_bytes = 0;
  std::uint64_t bytes = 0;
  std::uint32_t dictionary_bytes = 0;
  std::uint8_t literal_context_bits = 0;
  std::uint8_t literal_position_bits = 0;
  std::uint8_t position_bits = 0;
  block_method method = block_method::copy;
  block_filter filter = block_filter::none;
  std::uint16_t delta_bytes = 0;  // distance of the byte that each byte is stored relative to

  // Neither compressed nor filtered.
  [[nodiscard]] bool is_stored() const noexcept {
    return method == block_method::copy && filter == block_filter::none;
  }
};

// What LZMA, LZMA2 or a filter makes of packed bytes. Memory: a dictionary of the size the block
// states, at most the size of the block. Errors: corrupt, unsupported, out_of_memory, those of the
// source.
class lzma_source final : public byte_source {
 public:
  // `from` is used until the end. Not for blocks that are is_stored().
  lzma_source(byte_source& from, const packed_block& block, allocator& memory) noexcept;
  ~lzma_source() override;
  result<void> read(std::span<std::byte> to, std::size_t& made) noexcept override;

 private:
  struct decoder;
  result<void> feed() noexcept;

  allocator& memory_;
  const packed_block block_;
  source_buffer packed_;
  decoder* decoder_ = nullptr;
  bool ended_ = false;  // all packed bytes have been read
};

// Unpacks to fill `to` exactly. If it fails, the first `made` bytes are right.
[[nodiscard]] result<void> unpack_lzma(const packed_block& block, byte_source& from,
                                       std::span<std::byte> to, std::size_t& made,
                                       allocator& memory) noexcept;

}  // namespace overture::archives_detail

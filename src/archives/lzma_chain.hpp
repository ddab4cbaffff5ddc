// Unpacks one block of a 7z archive: LZMA, LZMA2 or uncompressed, with an optional filter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "overture/base/allocator.hpp"
#include "overture/base/error.hpp"
#include "overture/base/function_ref.hpp"

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

// Reads the next packed bytes; 0 at their end.
using packed_reader = function_ref<result<std::size_t>(std::span<std::byte> to)>;

// Unpacks to fill `to` exactly. If it fails, the first `made` bytes are right. Not for blocks that
// are is_stored(). Memory: a dictionary of the size the block states, at most the size of the
// block. Errors: corrupt, unsupported, out_of_memory, those of `read`.
[[nodiscard]] result<void> unpack_lzma(const packed_block& block, packed_reader read,
                                       std::span<std::byte> to, std::size_t& made,
                                       allocator& memory) noexcept;

}  // namespace overture::archives_detail

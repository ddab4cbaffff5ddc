// One block of a 7z archive: packed by LZMA, LZMA2 or not at all, perhaps behind a filter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "overture/base/allocator.hpp"
#include "overture/base/error.hpp"
#include "overture/base/function_ref.hpp"

namespace overture::vfs {

enum class block_method : std::uint8_t { copy, lzma, lzma2 };
// What machine code is turned into before it is packed; and `delta`, for sounds and images.
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
  std::uint16_t delta_bytes = 0;  // each byte is what it is more than that of so many before it

  // Nothing has to be done to read it.
  [[nodiscard]] bool is_stored() const noexcept {
    return method == block_method::copy && filter == block_filter::none;
  }
};

// Reads the next packed bytes; 0 at their end.
using packed_reader = function_ref<result<std::size_t>(std::span<std::byte> to)>;

// Unpacks to exactly fill `to`, and keeps `made` up to date: how many bytes at its front are done.
// Memory: a dictionary, as large as the block says, but not larger than the block. Errors: corrupt,
// unsupported, out_of_memory, those of `read`. Not for what is_stored().
[[nodiscard]] result<void> unpack_lzma(const packed_block& block, packed_reader read,
                                       std::span<std::byte> to, std::size_t& made,
                                       allocator& memory) noexcept;

}  // namespace overture::vfs

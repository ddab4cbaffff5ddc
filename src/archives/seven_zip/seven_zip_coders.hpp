// SPDX-License-Identifier: Zlib
//
// The coders of a block in a 7z archive's header: how it is packed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "archives/seven_zip/seven_zip_header.hpp"
#include "base/little_endian.hpp"
#include "overture/base/error.hpp"

namespace overture::archives_detail {

// Reads the header's primitives. After reading past the end, everything reads as 0 and bad() is
// true.
class seven_zip_reader {
 public:
  explicit seven_zip_reader(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

  [[nodiscard]] bool bad() const noexcept { return bad_; }
  [[nodiscard]] std::size_t left() const noexcept { return bytes_.size(); }

  std::span<const std::byte> take(std::uint64_t count) noexcept {
    if (count > bytes_.size()) {
      bad_ = true;
      bytes_ = {};
      return {};
    }
    const std::span<const std::byte> taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }
  std::uint8_t byte() noexcept {
    const std::span<const std::byte> one = take(1);
    return one.empty() ? std::uint8_t{0} : std::to_integer<std::uint8_t>(one[0]);
  }
  std::uint32_t u32() noexcept {
    const std::span<const std::byte> four = take(4);
    return four.empty() ? 0 : base_detail::load_u32(four.data());
  }
  // The number of leading ones in the first byte is the number of bytes that follow.
  std::uint64_t number() noexcept {
    const std::uint64_t first = byte();
    std::uint64_t value = 0;
    std::uint64_t mask = 0x80;
    for (unsigned i = 0; i < 8; ++i, mask >>= 1) {
      if ((first & mask) == 0) return value | (first & (mask - 1)) << (8 * i);
      value |= std::uint64_t{byte()} << (8 * i);
    }
    return value;
  }
  // A count of things that take at least one byte each; bounded by the bytes left.
  std::uint64_t count() noexcept {
    const std::uint64_t value = number();
    if (value <= bytes_.size()) return value;
    bad_ = true;
    return 0;
  }
  void skip_property() noexcept { (void)take(number()); }

 private:
  std::span<const std::byte> bytes_;
  bool bad_ = false;
};

// The layout of a block's sizes and packed streams in the header.
struct coder_shape {
  std::uint8_t outputs = 0;
  std::uint8_t packed_streams = 0;
  std::uint8_t last = 0;  // the block's output
};

// Reads the coders of one block into it: its method and filter, or its steps, which are appended;
// and its flaw. Errors: corrupt, out_of_memory.
[[nodiscard]] result<coder_shape> read_seven_zip_coders(
    seven_zip_reader& in, seven_zip_block& block, base_detail::vec<unpack_step>& steps) noexcept;

[[nodiscard]] inline tl::unexpected<error> broken_seven_zip_header() {
  return fail(errc::corrupt, "the archive's directory is damaged");
}

}  // namespace overture::archives_detail

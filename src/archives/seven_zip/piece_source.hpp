// SPDX-License-Identifier: Zlib
//
// What DEFLATE or zstd makes of packed bytes.
#pragma once

#include <cstddef>
#include <span>

#include "archives/seven_zip/byte_source.hpp"
#include "io/unpack/piece_unpacker.hpp"
#include "overture/base/allocator.hpp"
#include "overture/base/error.hpp"

namespace overture::archives_detail {

inline constexpr std::size_t chain_input_bytes = 64u << 10;

class piece_source final : public byte_source {
 public:
  piece_source(byte_source& from, compression method, allocator& memory) noexcept
      : packed_(from, memory, chain_input_bytes), unpacker_(memory, method) {}

  result<void> read(std::span<std::byte> to, std::size_t& made) noexcept override {
    made = 0;
    while (made < to.size()) {
      const result<std::size_t> count = unpacker_.unpack(left_, to.subspan(made));
      if (!count) return tl::unexpected(of_block(count.error()));
      made += *count;
      if (made == to.size() || (unpacker_.complete() && *count == 0)) return {};
      if (!left_.empty() && *count != 0) continue;
      const result<std::span<std::byte>> more = packed_.next();
      if (!more) return tl::unexpected(more.error());
      if (more->empty()) {
        if (unpacker_.complete()) return {};
        return fail(errc::corrupt, "the compressed data is truncated");
      }
      left_ = *more;
    }
    return {};
  }

 private:
  // More memory for a load, which is the advice for single files, would not help.
  static error of_block(error why) noexcept {
    if (why.code == errc::unsupported) why.reason = "the zstd window is larger than 128 MiB";
    return why;
  }

  source_buffer packed_;
  io_detail::piece_unpacker unpacker_;
  std::span<const std::byte> left_;
};

}  // namespace overture::archives_detail

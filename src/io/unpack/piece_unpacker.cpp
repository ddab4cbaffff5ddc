// SPDX-License-Identifier: Zlib
#include "io/unpack/piece_unpacker.hpp"

#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <climits>
#include <cstring>

#include "base/vec.hpp"

namespace overture::io_detail {
using namespace base_detail;

namespace {

constexpr int zstd_window_log_max = 27;

tl::unexpected<error> damaged() {
  return fail(errc::corrupt, "the compressed data is damaged");
}

tl::unexpected<error> no_memory_for_pieces() {
  return fail(errc::out_of_memory, "out of memory for unpacking the file in pieces");
}

}  // namespace

piece_unpacker::~piece_unpacker() {
  if (!tables_) return;
  if (method_ == compression::zstd) {
    ZSTD_freeDCtx(static_cast<ZSTD_DCtx*>(tables_));
  } else if (method_ == compression::lz4) {
    (void)LZ4F_freeDecompressionContext(static_cast<LZ4F_dctx*>(tables_));
  } else {
    auto* const stream = static_cast<z_stream*>(tables_);
    (void)inflateEnd(stream);
    destroy_object(memory_, memory_tag::io, stream);
  }
}

std::uint64_t piece_unpacker::memory_max(compression method) noexcept {
  switch (method) {
    case compression::none:
      return 0;
    case compression::zstd:
      return (std::uint64_t{1} << zstd_window_log_max) + (1u << 20);
    case compression::lz4:
      return 9u << 20;  // the largest block, packed and unpacked, and a window
    default:
      return 64u << 10;
  }
}

result<void> piece_unpacker::begin() noexcept {
  if (tables_) return {};
  if (method_ == compression::zstd) {
    ZSTD_DCtx* const made = ZSTD_createDCtx();
    if (!made) return no_memory_for_pieces();
    (void)ZSTD_DCtx_setParameter(made, ZSTD_d_windowLogMax, zstd_window_log_max);
    tables_ = made;
  } else if (method_ == compression::lz4) {
    LZ4F_dctx* made = nullptr;
    if (LZ4F_isError(LZ4F_createDecompressionContext(&made, LZ4F_VERSION)) != 0) {
      return no_memory_for_pieces();
    }
    tables_ = made;
  } else {
    auto* const made = make_object<z_stream>(memory_, memory_tag::io);
    if (!made) return no_memory_for_pieces();
    *made = {};
    if (inflateInit2(made, method_ == compression::zlib ? MAX_WBITS : -MAX_WBITS) != Z_OK) {
      destroy_object(memory_, memory_tag::io, made);
      return no_memory_for_pieces();
    }
    tables_ = made;
  }
  return {};
}

result<std::size_t> piece_unpacker::unpack(std::span<const std::byte>& packed,
                                           std::span<std::byte> to) noexcept {
  if (method_ == compression::none) {
    const std::size_t count = std::min(packed.size(), to.size());
    if (count != 0) std::memcpy(to.data(), packed.data(), count);
    packed = packed.subspan(count);
    complete_ = true;
    return count;
  }
  if (complete_ && packed.empty()) return std::size_t{0};  // no other frame begins
  if (const result<void> ready = begin(); !ready) return tl::unexpected<error>(ready.error());
  switch (method_) {
    case compression::zstd:
      return unpack_zstd(packed, to);
    case compression::lz4:
      return unpack_lz4(packed, to);
    default:
      return unpack_deflate(packed, to);
  }
}

result<std::size_t> piece_unpacker::unpack_deflate(std::span<const std::byte>& packed,
                                                   std::span<std::byte> to) noexcept {
  if (complete_) return std::size_t{0};
  z_stream& stream = *static_cast<z_stream*>(tables_);
  const auto in = static_cast<uInt>(std::min<std::size_t>(packed.size(), UINT_MAX));
  const auto room = static_cast<uInt>(std::min<std::size_t>(to.size(), UINT_MAX));
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed.data()));
  stream.avail_in = in;
  stream.next_out = reinterpret_cast<Bytef*>(to.data());
  stream.avail_out = room;
  const int code = inflate(&stream, Z_NO_FLUSH);
  packed = packed.subspan(in - stream.avail_in);
  complete_ = code == Z_STREAM_END;
  if (code == Z_MEM_ERROR) return no_memory_for_pieces();
  if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) return damaged();
  return std::size_t{room - stream.avail_out};
}

result<std::size_t> piece_unpacker::unpack_zstd(std::span<const std::byte>& packed,
                                                std::span<std::byte> to) noexcept {
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  ZSTD_outBuffer out{to.data(), to.size(), 0};
  while (out.pos < out.size) {
    const std::size_t before = in.pos + out.pos;
    const std::size_t wanted = ZSTD_decompressStream(static_cast<ZSTD_DCtx*>(tables_), &out, &in);
    if (ZSTD_isError(wanted) != 0) {
      if (ZSTD_getErrorCode(wanted) == ZSTD_error_frameParameter_windowTooLarge) {
        return fail(errc::unsupported,
                    "the file is larger than the memory budget, and its zstd window than 128 MiB; "
                    "allow more memory, or compress it with a smaller window");
      }
      if (ZSTD_getErrorCode(wanted) == ZSTD_error_memory_allocation) return no_memory_for_pieces();
      return damaged();
    }
    complete_ = wanted == 0;
    if (in.pos + out.pos == before || (complete_ && in.pos == in.size)) break;
  }
  packed = packed.subspan(in.pos);
  return out.pos;
}

result<std::size_t> piece_unpacker::unpack_lz4(std::span<const std::byte>& packed,
                                               std::span<std::byte> to) noexcept {
  std::size_t made = 0;
  while (made < to.size()) {
    std::size_t room = to.size() - made;
    std::size_t taken = packed.size();
    const std::size_t wanted = LZ4F_decompress(static_cast<LZ4F_dctx*>(tables_), to.data() + made,
                                               &room, packed.data(), &taken, nullptr);
    if (LZ4F_isError(wanted) != 0) {
      const bool refused = std::strcmp(LZ4F_getErrorName(wanted), "ERROR_allocation_failed") == 0;
      return refused ? no_memory_for_pieces() : damaged();
    }
    packed = packed.subspan(taken);
    made += room;
    complete_ = wanted == 0;
    if ((taken == 0 && room == 0) || (complete_ && packed.empty())) break;
  }
  return made;
}

}  // namespace overture::io_detail

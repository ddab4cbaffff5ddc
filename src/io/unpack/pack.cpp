// SPDX-License-Identifier: Zlib
#include "overture/io/pack.hpp"

#include <libdeflate.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <climits>

#include "base/vec.hpp"

namespace overture {
using namespace base_detail;

namespace {

constexpr int deflate_level = 9;  // libdeflate's 12 takes five times as long for 1 % less
constexpr int zstd_level = 15;
constexpr std::size_t flush_bytes_max = 16;
constexpr int raw_deflate = -MAX_WBITS;  // without zlib's header

tl::unexpected<error> no_memory_for_packing() noexcept {
  return fail(errc::out_of_memory, "out of memory for packing");
}
tl::unexpected<error> no_room() noexcept {
  return fail(errc::invalid, "the room for the packed bytes is too short");
}

}  // namespace

// In pieces, because zlib's type for sizes has 32 bits on Windows.
static std::size_t deflate_bound(std::size_t bytes) noexcept {
  constexpr std::uint32_t piece = 1u << 30;
  return bytes / piece * deflateBound(nullptr, piece) +
         deflateBound(nullptr, static_cast<std::uint32_t>(bytes % piece));
}

packer::~packer() {
  libdeflate_free_compressor(static_cast<libdeflate_compressor*>(deflate_));
  if (auto* const stream = static_cast<z_stream*>(pieces_)) {
    (void)deflateEnd(stream);
    destroy_object(default_allocator(), memory_tag::io, stream);
  }
  ZSTD_freeCCtx(static_cast<ZSTD_CCtx*>(zstd_));
}

std::size_t packer::packed_bytes_max(compression method, std::size_t bytes) noexcept {
  switch (method) {
    case compression::deflate:
      return std::max(libdeflate_deflate_compress_bound(nullptr, bytes),
                      deflate_bound(bytes) + flush_bytes_max);
    case compression::zstd:
      return ZSTD_compressBound(bytes);
    default:
      return 0;
  }
}

result<std::size_t> packer::pack(compression method, std::span<const std::byte> bytes,
                                 std::span<std::byte> packed) noexcept {
  if (method == compression::zstd) {
    if (!zstd_) zstd_ = ZSTD_createCCtx();
    if (!zstd_) return no_memory_for_packing();
    const std::size_t count =
        ZSTD_compressCCtx(static_cast<ZSTD_CCtx*>(zstd_), packed.data(), packed.size(),
                          bytes.data(), bytes.size(), zstd_level);
    if (ZSTD_isError(count) == 0) return count;
    return packed.size() < ZSTD_compressBound(bytes.size()) ? no_room() : no_memory_for_packing();
  }
  if (method != compression::deflate) return fail(errc::unsupported, "cannot pack by this method");
  if (!deflate_) deflate_ = libdeflate_alloc_compressor(deflate_level);
  if (!deflate_) return no_memory_for_packing();
  const std::size_t count =
      libdeflate_deflate_compress(static_cast<libdeflate_compressor*>(deflate_), bytes.data(),
                                  bytes.size(), packed.data(), packed.size());
  if (count == 0) return no_room();
  return count;
}

// By zlib, since libdeflate has no flush.
result<std::size_t> packer::pack_piece(std::span<const std::byte> bytes, bool last,
                                       std::span<std::byte> packed) noexcept {
  if (bytes.size() > UINT_MAX || packed.size() > UINT_MAX) {
    return fail(errc::invalid, "a piece is at most 4 GiB");
  }
  auto* stream = static_cast<z_stream*>(pieces_);
  if (!stream) {
    stream = make_object<z_stream>(default_allocator(), memory_tag::io);
    if (!stream) return no_memory_for_packing();
    if (deflateInit2(stream, Z_BEST_COMPRESSION, Z_DEFLATED, raw_deflate, MAX_MEM_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      destroy_object(default_allocator(), memory_tag::io, stream);
      return no_memory_for_packing();
    }
    pieces_ = stream;
  }
  (void)deflateReset(stream);
  // zlib's interface has no const.
  stream->next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
  stream->avail_in = static_cast<uInt>(bytes.size());
  stream->next_out = reinterpret_cast<Bytef*>(packed.data());
  stream->avail_out = static_cast<uInt>(packed.size());
  const int outcome = deflate(stream, last ? Z_FINISH : Z_FULL_FLUSH);
  const bool done = last ? outcome == Z_STREAM_END
                         : outcome == Z_OK && stream->avail_in == 0 && stream->avail_out != 0;
  if (!done) return no_room();
  return packed.size() - stream->avail_out;
}

}  // namespace overture

// SPDX-License-Identifier: Zlib
#include "overture/io/unpack.hpp"

#include <libdeflate.h>
#include <lz4frame.h>
#include <zstd.h>

#include <cstring>

namespace overture {

const char* to_string(compression method) noexcept {
  switch (method) {
    case compression::none:
      return "none";
    case compression::deflate:
      return "deflate";
    case compression::zstd:
      return "zstd";
    case compression::zlib:
      return "zlib";
    case compression::lz4:
      return "lz4";
  }
  return "unknown";
}

unpacker::~unpacker() {
  if (deflate_) libdeflate_free_decompressor(static_cast<libdeflate_decompressor*>(deflate_));
  ZSTD_freeDCtx(static_cast<ZSTD_DCtx*>(zstd_));
  (void)LZ4F_freeDecompressionContext(static_cast<LZ4F_dctx*>(lz4_));
}

result<void> unpacker::unpack(compression method, std::span<const std::byte> packed,
                              std::span<std::byte> bytes) noexcept {
  switch (method) {
    case compression::none:
      if (packed.size() != bytes.size()) {
        return fail(errc::corrupt, "the stored data does not have the stated size");
      }
      if (!bytes.empty()) std::memcpy(bytes.data(), packed.data(), bytes.size());
      return {};
    case compression::deflate:
      return unpack_deflate(packed, bytes);
    case compression::zstd:
      return unpack_zstd(packed, bytes);
    case compression::zlib:
      return unpack_zlib(packed, bytes);
    case compression::lz4:
      return unpack_lz4(packed, bytes);
  }
  return fail(errc::unsupported, "unknown compression method");
}

// Allocates tables only: data unpacked in one piece needs no window, whatever it asks for.
result<void> unpacker::unpack_zstd(std::span<const std::byte> packed,
                                   std::span<std::byte> bytes) noexcept {
  if (!zstd_) zstd_ = ZSTD_createDCtx();
  if (!zstd_) return fail(errc::out_of_memory, "out of memory for unpacking zstd");
  std::byte nothing{};
  const std::size_t made =
      ZSTD_decompressDCtx(static_cast<ZSTD_DCtx*>(zstd_), bytes.empty() ? &nothing : bytes.data(),
                          bytes.size(), packed.empty() ? &nothing : packed.data(), packed.size());
  if (ZSTD_isError(made) != 0) return fail(errc::corrupt, "the compressed data is damaged");
  if (made == bytes.size()) return {};
  return fail(errc::corrupt, "the data unpacks to fewer bytes than stated");
}

// liblz4 reads earlier output in place, for blocks that refer to it.
result<void> unpacker::unpack_lz4(std::span<const std::byte> packed,
                                  std::span<std::byte> bytes) noexcept {
  auto* tables = static_cast<LZ4F_dctx*>(lz4_);
  if (!tables) {
    if (LZ4F_isError(LZ4F_createDecompressionContext(&tables, LZ4F_VERSION)) != 0) {
      return fail(errc::out_of_memory, "out of memory for unpacking lz4");
    }
    lz4_ = tables;
  }
  LZ4F_resetDecompressionContext(tables);
  LZ4F_decompressOptions_t options{};
  options.stableDst = 1;
  std::byte nothing{};
  std::size_t wanted = packed.empty() ? 1 : 0;  // nothing at all is no frame
  std::size_t made = 0;
  while (!packed.empty()) {
    std::size_t room = bytes.size() - made;
    std::size_t taken = packed.size();
    wanted = LZ4F_decompress(tables, room == 0 ? &nothing : bytes.data() + made, &room,
                             packed.data(), &taken, &options);
    if (LZ4F_isError(wanted) != 0) return fail(errc::corrupt, "the compressed data is damaged");
    if (taken == 0 && room == 0) {
      return fail(errc::corrupt, "the data unpacks to more bytes than stated");
    }
    made += room;
    packed = packed.subspan(taken);
  }
  if (wanted != 0) return fail(errc::corrupt, "the compressed data is damaged");
  if (made == bytes.size()) return {};
  return fail(errc::corrupt, "the data unpacks to fewer bytes than stated");
}

namespace {

result<void> judge_deflate(libdeflate_result outcome) noexcept {
  switch (outcome) {
    case LIBDEFLATE_SUCCESS:
      return {};
    case LIBDEFLATE_SHORT_OUTPUT:
      return fail(errc::corrupt, "the data unpacks to fewer bytes than stated");
    case LIBDEFLATE_INSUFFICIENT_SPACE:
      return fail(errc::corrupt, "the data unpacks to more bytes than stated");
    case LIBDEFLATE_BAD_DATA:
      break;
  }
  return fail(errc::corrupt, "the compressed data is damaged");
}

}  // namespace

result<void> unpacker::make_deflate_tables() noexcept {
  if (!deflate_) deflate_ = libdeflate_alloc_decompressor();
  if (!deflate_) return fail(errc::out_of_memory, "out of memory for unpacking DEFLATE");
  return {};
}

// An empty span may have no address, which the library does not promise to take.
result<void> unpacker::unpack_deflate(std::span<const std::byte> packed,
                                      std::span<std::byte> bytes) noexcept {
  if (result<void> ready = make_deflate_tables(); !ready) return ready;
  std::byte nothing{};
  return judge_deflate(libdeflate_deflate_decompress(
      static_cast<libdeflate_decompressor*>(deflate_), packed.empty() ? &nothing : packed.data(),
      packed.size(), bytes.empty() ? &nothing : bytes.data(), bytes.size(), nullptr));
}

result<void> unpacker::unpack_zlib(std::span<const std::byte> packed,
                                   std::span<std::byte> bytes) noexcept {
  if (result<void> ready = make_deflate_tables(); !ready) return ready;
  std::byte nothing{};
  return judge_deflate(libdeflate_zlib_decompress(
      static_cast<libdeflate_decompressor*>(deflate_), packed.empty() ? &nothing : packed.data(),
      packed.size(), bytes.empty() ? &nothing : bytes.data(), bytes.size(), nullptr));
}

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before) noexcept {
  return bytes.empty() ? before : libdeflate_crc32(before, bytes.data(), bytes.size());
}

}  // namespace overture

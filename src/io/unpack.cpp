#include "overture/unpack.hpp"

#include <libdeflate.h>
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
  }
  return "unknown";
}

unpacker::~unpacker() {
  if (deflate_) libdeflate_free_decompressor(static_cast<libdeflate_decompressor*>(deflate_));
  ZSTD_freeDCtx(static_cast<ZSTD_DCtx*>(zstd_));
}

result<void> unpacker::unpack(compression method, std::span<const std::byte> packed,
                              std::span<std::byte> bytes) noexcept {
  switch (method) {
    case compression::none:
      if (packed.size() != bytes.size()) {
        return fail(errc::corrupt, "the stored data has another size than announced");
      }
      if (!bytes.empty()) std::memcpy(bytes.data(), packed.data(), bytes.size());
      return {};
    case compression::deflate:
      return unpack_deflate(packed, bytes);
    case compression::zstd:
      return unpack_zstd(packed, bytes);
  }
  return fail(errc::unsupported, "unknown compression method");
}

// Tables and nothing else: what is unpacked whole needs no window, whatever the data asks for.
result<void> unpacker::unpack_zstd(std::span<const std::byte> packed,
                                   std::span<std::byte> bytes) noexcept {
  if (!zstd_) zstd_ = ZSTD_createDCtx();
  if (!zstd_) return fail(errc::out_of_memory, "no memory for the zstd tables");
  std::byte nothing{};
  const std::size_t made =
      ZSTD_decompressDCtx(static_cast<ZSTD_DCtx*>(zstd_), bytes.empty() ? &nothing : bytes.data(),
                          bytes.size(), packed.empty() ? &nothing : packed.data(), packed.size());
  if (ZSTD_isError(made) != 0) return fail(errc::corrupt, "the packed data is broken");
  if (made == bytes.size()) return {};
  return fail(errc::corrupt, "the packed data makes fewer bytes than announced");
}

result<void> unpacker::unpack_deflate(std::span<const std::byte> packed,
                                      std::span<std::byte> bytes) noexcept {
  if (!deflate_) deflate_ = libdeflate_alloc_decompressor();
  if (!deflate_) return fail(errc::out_of_memory, "no memory for the DEFLATE tables");
  // An empty span may have no address, which the library does not promise to take.
  std::byte nothing{};
  const libdeflate_result outcome = libdeflate_deflate_decompress(
      static_cast<libdeflate_decompressor*>(deflate_), packed.empty() ? &nothing : packed.data(),
      packed.size(), bytes.empty() ? &nothing : bytes.data(), bytes.size(), nullptr);
  switch (outcome) {
    case LIBDEFLATE_SUCCESS:
      return {};
    case LIBDEFLATE_SHORT_OUTPUT:
      return fail(errc::corrupt, "the packed data makes fewer bytes than announced");
    case LIBDEFLATE_INSUFFICIENT_SPACE:
      return fail(errc::corrupt, "the packed data makes more bytes than announced");
    case LIBDEFLATE_BAD_DATA:
      break;
  }
  return fail(errc::corrupt, "the packed data is broken");
}

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before) noexcept {
  return bytes.empty() ? before : libdeflate_crc32(before, bytes.data(), bytes.size());
}

}  // namespace overture

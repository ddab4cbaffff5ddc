#include "overture/unpack.hpp"

#include <libdeflate.h>

#include <cstring>

namespace overture {

const char* to_string(compression method) noexcept {
  switch (method) {
    case compression::none:
      return "none";
    case compression::deflate:
      return "deflate";
  }
  return "unknown";
}

unpacker::~unpacker() {
  if (deflate_) libdeflate_free_decompressor(static_cast<libdeflate_decompressor*>(deflate_));
}

result<void> unpacker::unpack(compression method, std::span<const std::byte> packed,
                              std::span<std::byte> bytes) noexcept {
  if (method == compression::none) {
    if (packed.size() != bytes.size()) {
      return fail(errc::corrupt, "the stored data has another size than announced");
    }
    if (!bytes.empty()) std::memcpy(bytes.data(), packed.data(), bytes.size());
    return {};
  }
  if (method != compression::deflate) return fail(errc::unsupported, "unknown compression method");
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

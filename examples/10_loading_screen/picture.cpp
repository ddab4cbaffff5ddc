// SPDX-License-Identifier: Zlib
#include "picture.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "overture/io/pack.hpp"

using namespace overture;

namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span<const char>(text));
}

std::string big_endian(std::uint32_t value) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift & 0xff);
  return text;
}

std::string chunk(std::string_view kind, std::string_view content) {
  const std::string body = std::string(kind) + std::string(content);
  return big_endian(static_cast<std::uint32_t>(content.size())) + body +
         big_endian(crc32(bytes_of(body)));
}

// RFC 1950: a DEFLATE stream between two bytes and a checksum.
std::string zlib_stream(std::span<const std::byte> bytes) {
  std::uint32_t low = 1;
  std::uint32_t high = 0;
  for (const std::byte each : bytes) {
    low = (low + std::to_integer<std::uint32_t>(each)) % 65521;
    high = (high + low) % 65521;
  }
  packer pack;
  std::string packed(packer::packed_bytes_max(compression::deflate, bytes.size()), '\0');
  const auto length = pack.pack(compression::deflate, bytes,
                                std::as_writable_bytes(std::span(packed.data(), packed.size())));
  if (!length) return {};
  packed.resize(*length);
  return "\x78\xda" + packed + big_endian(high << 16 | low);
}

std::string png(std::uint32_t width, std::uint32_t height, std::span<const std::byte> rgb) {
  const std::size_t row_bytes = std::size_t{width} * 3;
  std::vector<std::byte> rows;
  for (std::size_t at = 0; at < rgb.size(); at += row_bytes) {
    const auto row = rgb.subspan(at, row_bytes);
    rows.push_back(std::byte{0});  // no filter
    rows.insert(rows.end(), row.begin(), row.end());
  }
  const std::string packed = zlib_stream(rows);
  if (packed.empty()) return {};
  const std::string_view eight_bits_rgb("\x08\x02\0\0\0", 5);
  return "\x89PNG\r\n\x1a\n" +
         chunk("IHDR", big_endian(width) + big_endian(height) + std::string(eight_bits_rgb)) +
         chunk("IDAT", packed) + chunk("IEND", "");
}

std::string ppm(std::uint32_t width, std::uint32_t height, std::span<const std::byte> rgb) {
  return "P6 " + std::to_string(width) + " " + std::to_string(height) + " 255\n" +
         std::string(reinterpret_cast<const char*>(rgb.data()), rgb.size());
}

}  // namespace

bool write_picture(const char* path, std::uint32_t width, std::uint32_t height,
                   std::span<const std::byte> rgb) {
  const bool plain = std::string_view(path).ends_with(".ppm");
  const std::string content = plain ? ppm(width, height, rgb) : png(width, height, rgb);
  std::FILE* const file = std::fopen(path, "wb");
  bool written = file != nullptr && !content.empty();
  written = written && std::fwrite(content.data(), 1, content.size(), file) == content.size();
  if (file != nullptr) written = std::fclose(file) == 0 && written;
  if (!written) std::fprintf(stderr, "%s: cannot be written: %s\n", path, std::strerror(errno));
  return written;
}

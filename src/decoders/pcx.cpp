// SPDX-License-Identifier: Zlib
//
// PCX images: monochrome, 16 and 256 colours, true colour.
#include <algorithm>
#include <array>

#include "base/little_endian.hpp"
#include "decoders/pixel.hpp"
#include "decoders/signature.hpp"
#include "decoders/table.hpp"

namespace overture::decoders_detail {
using namespace base_detail;

namespace {

constexpr std::size_t pcx_header_bytes = 128;
constexpr std::size_t small_palette_at = 16;
constexpr std::size_t palette_bytes = 768;  // at the end of the file, after its mark

struct pcx_header {
  bool run_length = false;
  std::uint32_t bits = 0;  // per pixel and plane
  std::uint32_t planes = 0;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t line_bytes = 0;  // per plane

  [[nodiscard]] bool is_mapped() const noexcept { return bits * planes <= 8; }
};

result<pcx_header> parse_pcx(std::span<const std::byte> bytes) noexcept {
  if (bytes.size() < pcx_header_bytes || load_u8(bytes.data()) != 10) {
    return fail(errc::corrupt, "not a PCX file");
  }
  const std::byte* const at = bytes.data();
  if (load_u16(at + 8) < load_u16(at + 4) || load_u16(at + 10) < load_u16(at + 6)) {
    return fail(errc::corrupt, "PCX image without pixels");
  }
  pcx_header header;
  header.run_length = load_u8(at + 2) != 0;
  header.bits = load_u8(at + 3);
  header.planes = load_u8(at + 65);
  header.width = load_u16(at + 8) - load_u16(at + 4) + 1;
  header.height = load_u16(at + 10) - load_u16(at + 6) + 1;
  header.line_bytes = load_u16(at + 66);
  const bool known_bits =
      header.bits == 1 || header.bits == 2 || header.bits == 4 || header.bits == 8;
  const bool known_planes = header.planes >= 1 && header.planes <= 4;
  const bool known = header.is_mapped() || (header.bits == 8 && header.planes >= 3);
  if (!known_bits || !known_planes || !known) {
    return fail(errc::unsupported, "unsupported PCX pixel size");
  }
  if (header.line_bytes * 8 < header.width * header.bits) {
    return fail(errc::corrupt, "PCX lines are shorter than the image");
  }
  return header;
}

// Unpacks the bytes of the image, which may run on from line to line.
class byte_source {
 public:
  byte_source(std::span<const std::byte> from, bool run_length) noexcept
      : rest_(from), run_length_(run_length) {}

  // False if the file ends early.
  [[nodiscard]] bool read(std::span<std::byte> to) noexcept {
    for (std::byte& each : to) {
      while (left_ == 0) {
        if (!next()) return false;
      }
      each = value_;
      --left_;
    }
    return true;
  }

 private:
  bool next() noexcept {
    if (rest_.empty()) return false;
    value_ = rest_[0];
    left_ = 1;
    rest_ = rest_.subspan(1);
    if (!run_length_ || load_u8(&value_) < 0xC0) return true;
    if (rest_.empty()) return false;
    left_ = load_u8(&value_) & 63;  // may be 0
    value_ = rest_[0];
    rest_ = rest_.subspan(1);
    return true;
  }

  std::span<const std::byte> rest_;
  bool run_length_;
  std::byte value_{};
  std::uint32_t left_ = 0;
};

using palette = std::array<pixel, 256>;

// Errors: corrupt, if an image of 256 colours has none.
result<palette> read_palette(const pcx_header& header, std::span<const std::byte> bytes) noexcept {
  palette colours;
  colours.fill(rgba(0, 0, 0, 255));
  if (!header.is_mapped()) return colours;
  const auto take = [&](std::size_t at, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, at += 3) {
      colours[i] = rgba(load_u8(&bytes[at]), load_u8(&bytes[at + 1]), load_u8(&bytes[at + 2]), 255);
    }
  };
  if (header.bits * header.planes == 1) {
    colours[1] = rgba(255, 255, 255, 255);
  } else if (header.bits * header.planes <= 4) {
    take(small_palette_at, 16);
  } else {
    if (bytes.size() < pcx_header_bytes + 1 + palette_bytes ||
        load_u8(&bytes[bytes.size() - palette_bytes - 1]) != 12) {
      return fail(errc::corrupt, "the PCX file has no palette, and may be truncated");
    }
    take(bytes.size() - palette_bytes, colours.size());
  }
  return colours;
}

// The number of a pixel in the palette: its bits of each plane, the first plane lowest.
std::uint32_t index_of(const pcx_header& header, const std::byte* line, std::uint32_t x) noexcept {
  std::uint32_t index = 0;
  const std::uint32_t bit = x * header.bits;
  for (std::uint32_t plane = 0; plane < header.planes; ++plane) {
    const std::uint32_t byte = load_u8(line + std::size_t{plane} * header.line_bytes + bit / 8);
    const std::uint32_t value = byte >> (8 - header.bits - bit % 8) & ((1u << header.bits) - 1);
    index |= value << (plane * header.bits);
  }
  return index;
}

void convert(const pcx_header& header, const palette& colours, const std::byte* line,
             std::span<pixel> to) noexcept {
  if (header.is_mapped()) {
    for (std::uint32_t x = 0; x < header.width; ++x) to[x] = colours[index_of(header, line, x)];
    return;
  }
  const auto channel = [&](std::uint32_t plane, std::uint32_t x) {
    return load_u8(line + std::size_t{plane} * header.line_bytes + x);
  };
  for (std::uint32_t x = 0; x < header.width; ++x) {
    to[x] =
        rgba(channel(0, x), channel(1, x), channel(2, x), header.planes == 4 ? channel(3, x) : 255);
  }
}

class pcx final : public decoder {
 public:
  const char* name() const noexcept override { return "pcx"; }

  bool accepts(std::string_view path, std::span<const std::byte> bytes) const noexcept override {
    return is_file_of(file_format::pcx, path, bytes);
  }

  result<decoded_asset> decode(std::span<const std::byte> bytes, allocator& memory,
                               parallel_runner&) const noexcept override {
    const result<pcx_header> header = parse_pcx(bytes);
    if (!header) return tl::unexpected<error>(header.error());
    const result<palette> colours = read_palette(*header, bytes);
    if (!colours) return tl::unexpected<error>(colours.error());
    const std::size_t row_bytes = std::size_t{header->line_bytes} * header->planes;
    const std::span<const std::byte> packed = bytes.subspan(pcx_header_bytes);
    const std::uint64_t bytes_per_byte_max = header->run_length ? 32 : 1;
    if (row_bytes * header->height > packed.size() * bytes_per_byte_max) {
      return fail(errc::corrupt, "the PCX file is truncated");
    }
    result<decoded_asset> row = decoded_asset::make(asset_kind::none, row_bytes, memory);
    if (!row) return row;
    result<decoded_asset> image = make_image(header->width, header->height, bytes.size(), memory);
    if (!image) return image;
    byte_source source(packed, header->run_length);
    for (std::uint32_t y = 0; y < header->height; ++y) {
      if (!source.read(row->bytes())) return fail(errc::corrupt, "the PCX file is truncated");
      convert(*header, *colours, row->bytes().data(),
              pixels_of(*image).subspan(std::size_t{y} * header->width, header->width));
    }
    return image;
  }
};

}  // namespace

const decoder& pcx_decoder() noexcept {
  static const pcx instance;
  return instance;
}

}  // namespace overture::decoders_detail

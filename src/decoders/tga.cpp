// SPDX-License-Identifier: Zlib
//
// TGA images: true colour, greyscale and palette, plain or run-length encoded.
#include <algorithm>
#include <array>

#include "base/limit_text.hpp"
#include "base/little_endian.hpp"
#include "decoders/pixel.hpp"
#include "decoders/signature.hpp"
#include "decoders/table.hpp"
#include "overture/base/limits.hpp"

namespace overture::decoders_detail {
using namespace base_detail;

namespace {

constexpr std::size_t tga_header_bytes = 18;

template <unsigned Bits>
pixel to_pixel(const std::byte* at) noexcept {
  if constexpr (Bits == 8) {
    return rgba(load_u8(at), load_u8(at), load_u8(at), 255);
  } else if constexpr (Bits == 16) {
    const std::uint32_t value = load_u16(at);
    const auto five = [value](unsigned shift) {
      const std::uint32_t bits = value >> shift & 31;
      return bits << 3 | bits >> 2;
    };
    return rgba(five(10), five(5), five(0), 255);
  } else if constexpr (Bits == 24) {
    return rgba(load_u8(at + 2), load_u8(at + 1), load_u8(at), 255);
  } else {
    const std::uint32_t value = load_u32(at);
    return rgba(value >> 16 & 255, value >> 8 & 255, value & 255, value >> 24);
  }
}

struct tga_header {
  bool palette = false;  // pixels are indices into the colour map
  bool grey = false;
  bool run_length = false;
  bool top_down = false;
  bool right_to_left = false;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t bits = 0;  // per pixel
  std::uint32_t map_first = 0;
  std::uint32_t map_entries = 0;
  std::uint32_t map_bits = 0;
  std::uint64_t map_offset = 0;
  std::uint64_t pixels_offset = 0;

  [[nodiscard]] std::uint64_t pixel_count() const noexcept { return std::uint64_t{width} * height; }
  [[nodiscard]] std::uint32_t pixel_bytes() const noexcept { return bits / 8; }
};

std::uint32_t whole_bytes(std::uint32_t bits) noexcept {
  return (bits + 7) / 8;
}

result<tga_header> parse_tga(std::span<const std::byte> bytes) noexcept {
  if (bytes.size() < tga_header_bytes) return fail(errc::corrupt, "not a TGA file");
  const std::byte* const at = bytes.data();
  tga_header header;
  const std::uint32_t type = load_u8(at + 2);
  if ((type & ~8u) < 1 || (type & ~8u) > 3) {
    return fail(type == 0 || type > 11 ? errc::corrupt : errc::unsupported,
                "unsupported TGA image type");
  }
  header.palette = (type & 7) == 1;
  header.grey = (type & 7) == 3;
  header.run_length = (type & 8) != 0;
  const std::uint32_t map_type = load_u8(at + 1);
  if (map_type > 1 || (header.palette && map_type != 1)) {
    return fail(errc::corrupt, "TGA colour map contradicts the image type");
  }
  header.map_first = load_u16(at + 3);
  header.map_entries = map_type == 1 ? load_u16(at + 5) : 0;
  header.map_bits = load_u8(at + 7);
  header.width = load_u16(at + 12);
  header.height = load_u16(at + 14);
  header.bits = load_u8(at + 16);
  header.right_to_left = (load_u8(at + 17) & 0x10) != 0;
  header.top_down = (load_u8(at + 17) & 0x20) != 0;
  header.map_offset = tga_header_bytes + load_u8(at);
  header.pixels_offset =
      header.map_offset + std::uint64_t{header.map_entries} * whole_bytes(header.map_bits);
  // 15-bit pixels take 16 bits, one of them unused.
  if (header.bits == 15) header.bits = 16;
  if (header.map_bits == 15) header.map_bits = 16;
  return header;
}

result<void> check(const tga_header& header, std::size_t file_bytes) noexcept {
  const bool known = header.palette ? header.bits == 8
                     : header.grey  ? header.bits == 8 || header.bits == 16
                                    : header.bits == 16 || header.bits == 24 || header.bits == 32;
  const bool known_map =
      !header.palette || header.map_bits == 16 || header.map_bits == 24 || header.map_bits == 32;
  if (!known || !known_map) return fail(errc::unsupported, "unsupported TGA pixel size");
  if (header.width == 0 || header.height == 0) {
    return fail(errc::corrupt, "TGA image without pixels");
  }
  if (header.width > limits::image_side_max || header.height > limits::image_side_max) {
    return fail(errc::limit, limit_text::image_side);
  }
  if (header.pixel_count() * sizeof(pixel) > limits::image_bytes_max) {
    return fail(errc::limit, limit_text::image_bytes);
  }
  // The best packet is a run: one byte and one pixel for up to 128 pixels.
  const std::uint64_t least_bytes =
      header.run_length ? (header.pixel_count() + 127) / 128 * (1 + header.pixel_bytes())
                        : header.pixel_count() * header.pixel_bytes();
  if (!fits(header.pixels_offset, least_bytes, 1, file_bytes)) {
    return fail(errc::corrupt, "the TGA file is truncated");
  }
  return {};
}

// Pixels straight from the file.
template <unsigned Bits>
struct direct_pixels {
  static constexpr std::size_t file_bytes = Bits / 8;
  pixel operator()(const std::byte* at) const noexcept { return to_pixel<Bits>(at); }
};

// A grey byte, and one of alpha.
struct grey_alpha_pixels {
  static constexpr std::size_t file_bytes = 2;
  pixel operator()(const std::byte* at) const noexcept {
    return rgba(load_u8(at), load_u8(at), load_u8(at), load_u8(at + 1));
  }
};

// Pixels that are palette indices; entries that the file lacks are transparent.
struct mapped_pixels {
  static constexpr std::size_t file_bytes = 1;
  std::array<pixel, 256> map;
  pixel operator()(const std::byte* at) const noexcept { return map[load_u8(at)]; }
};

// Walks the rows of the decoded image in file order.
class row_cursor {
 public:
  row_cursor(const tga_header& header, pixel* image) noexcept
      : width_(header.width), rows_left_(header.height) {
    step_ = header.top_down ? header.width : -std::ptrdiff_t{header.width};
    next_row_ = header.top_down ? image : image + std::size_t{width_} * (rows_left_ - 1);
  }
  [[nodiscard]] bool done() const noexcept { return rows_left_ == 0 && row_.empty(); }
  // The next pixels to write: up to `count` (not 0), all in one row.
  std::span<pixel> take(std::size_t count) noexcept {
    if (row_.empty()) {
      row_ = {next_row_, width_};
      if (--rows_left_ > 0) next_row_ += step_;
    }
    const std::span<pixel> taken = row_.first(std::min(count, row_.size()));
    row_ = row_.subspan(taken.size());
    return taken;
  }

 private:
  std::uint32_t width_;
  std::uint32_t rows_left_;
  std::ptrdiff_t step_ = 0;
  pixel* next_row_ = nullptr;
  std::span<pixel> row_;
};

template <class Pixels>
void unpack_plain(const std::byte* from, std::span<pixel> to, const Pixels& pixels) noexcept {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = pixels(from + i * Pixels::file_bytes);
}

// False if the file ends early. A packet that runs past the last pixel is cut.
template <class Pixels>
[[nodiscard]] bool unpack_runs(std::span<const std::byte> from, row_cursor& rows,
                               const Pixels& pixels) noexcept {
  constexpr std::size_t one = Pixels::file_bytes;
  while (!rows.done()) {
    if (from.size() < 1 + one) return false;
    const std::uint32_t packet = load_u8(from.data());
    const bool run = (packet & 128) != 0;
    from = from.subspan(1);
    for (std::size_t left = (packet & 127) + 1; left > 0 && !rows.done();) {
      const std::span<pixel> to = rows.take(left);
      if (run) {
        std::fill(to.begin(), to.end(), pixels(from.data()));
      } else {
        if (from.size() < to.size() * one) return false;
        unpack_plain(from.data(), to, pixels);
        from = from.subspan(to.size() * one);
      }
      left -= to.size();
    }
    if (run) from = from.subspan(one);
  }
  return true;
}

template <class Pixels>
[[nodiscard]] bool unpack(const tga_header& header, std::span<const std::byte> bytes, pixel* image,
                          const Pixels& pixels) noexcept {
  bytes = bytes.subspan(header.pixels_offset);
  row_cursor rows(header, image);
  if (header.run_length) return unpack_runs(bytes, rows, pixels);
  while (!rows.done()) {
    const std::span<pixel> row = rows.take(header.width);
    unpack_plain(bytes.data(), row, pixels);
    bytes = bytes.subspan(row.size() * Pixels::file_bytes);
  }
  return true;
}

std::array<pixel, 256> read_map(const tga_header& header,
                                std::span<const std::byte> bytes) noexcept {
  std::array<pixel, 256> map{};
  const std::byte* at = bytes.data() + header.map_offset;
  for (std::uint32_t i = 0; i < header.map_entries; ++i, at += whole_bytes(header.map_bits)) {
    const std::uint32_t index = header.map_first + i;
    if (index >= map.size()) break;
    map[index] = header.map_bits == 16   ? to_pixel<16>(at)
                 : header.map_bits == 24 ? to_pixel<24>(at)
                                         : to_pixel<32>(at);
  }
  return map;
}

[[nodiscard]] bool unpack(const tga_header& header, std::span<const std::byte> bytes,
                          pixel* image) noexcept {
  if (header.palette) return unpack(header, bytes, image, mapped_pixels{read_map(header, bytes)});
  switch (header.bits) {
    case 8:
      return unpack(header, bytes, image, direct_pixels<8>{});
    case 16:
      if (header.grey) return unpack(header, bytes, image, grey_alpha_pixels{});
      return unpack(header, bytes, image, direct_pixels<16>{});
    case 24:
      return unpack(header, bytes, image, direct_pixels<24>{});
    default:
      return unpack(header, bytes, image, direct_pixels<32>{});
  }
}

class tga final : public decoder {
 public:
  const char* name() const noexcept override { return "tga"; }

  bool accepts(std::string_view path, std::span<const std::byte> bytes) const noexcept override {
    return is_file_of(file_format::tga, path, bytes);
  }

  result<decoded_asset> decode(std::span<const std::byte> bytes, allocator& memory,
                               parallel_runner&) const noexcept override {
    const result<tga_header> header = parse_tga(bytes);
    if (!header) return tl::unexpected<error>(header.error());
    if (const result<void> checked = check(*header, bytes.size()); !checked) {
      return tl::unexpected<error>(checked.error());
    }
    result<decoded_asset> image =
        decoded_asset::make(asset_kind::image, header->pixel_count() * sizeof(pixel), memory);
    if (!image) return image;
    auto* const pixels = reinterpret_cast<pixel*>(image->bytes().data());
    if (!unpack(*header, bytes, pixels)) {
      return fail(errc::corrupt, "the TGA file is truncated");
    }
    if (header->right_to_left) {
      for (std::size_t row = 0; row < header->height; ++row) {
        std::reverse(pixels + row * header->width, pixels + (row + 1) * header->width);
      }
    }
    image->width = header->width;
    image->height = header->height;
    return image;
  }

  std::uint64_t memory_needed(std::span<const std::byte> bytes) const noexcept override {
    const result<tga_header> header = parse_tga(bytes);
    if (!header || !check(*header, bytes.size())) return 0;
    return header->pixel_count() * sizeof(pixel);
  }
};

}  // namespace

const decoder& tga_decoder() noexcept {
  static const tga instance;
  return instance;
}

}  // namespace overture::decoders_detail

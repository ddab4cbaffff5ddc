// SPDX-License-Identifier: Zlib
//
// BMP images of Windows and OS/2: palettes, 16, 24 and 32 bits, bit fields, run-length encoding.
#include <algorithm>
#include <array>
#include <bit>

#include "base/little_endian.hpp"
#include "decoders/pixel.hpp"
#include "decoders/signature.hpp"
#include "decoders/table.hpp"

namespace overture::decoders_detail {
using namespace base_detail;

namespace {

constexpr std::size_t file_header_bytes = 14;
constexpr std::uint32_t core_header_bytes = 12;  // OS/2's, with 16-bit sizes
constexpr std::uint32_t info_header_bytes = 40;

enum class packing : std::uint8_t { none, runs_of_8, runs_of_4, fields };

struct bmp_header {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  bool top_down = false;
  std::uint32_t bits = 0;
  packing how = packing::none;
  std::array<std::uint32_t, 4> masks{};  // of red, green, blue, alpha
  bool guess_alpha = false;              // of 32 bits without masks
  std::uint64_t palette_at = 0;
  std::uint32_t palette_entries = 0;
  std::uint32_t palette_entry_bytes = 4;
  std::uint64_t pixels_at = 0;

  [[nodiscard]] std::uint64_t row_bytes() const noexcept {
    return (std::uint64_t{width} * bits + 31) / 32 * 4;
  }
};

result<void> parse_packing(bmp_header& header, std::span<const std::byte> bytes,
                           std::uint32_t info_bytes) noexcept {
  const std::uint32_t compression = load_u32(&bytes[30]);
  const bool has_fields = compression == 3 || compression == 6;
  if (compression == 1 && header.bits == 8) {
    header.how = packing::runs_of_8;
  } else if (compression == 2 && header.bits == 4) {
    header.how = packing::runs_of_4;
  } else if (has_fields && (header.bits == 16 || header.bits == 32)) {
    header.how = packing::fields;
  } else if (compression != 0) {
    return fail(errc::unsupported, "unsupported BMP compression");
  }
  if (header.how != packing::fields) return {};
  // Older headers have the masks after them, newer ones inside, at the same place.
  constexpr std::size_t masks_at = file_header_bytes + info_header_bytes;
  const bool has_alpha = compression == 6 || info_bytes >= 56;
  const std::size_t count = has_alpha ? 4 : 3;
  if (!fits(masks_at, count, 4, bytes.size())) return fail(errc::corrupt, "truncated BMP header");
  for (std::size_t i = 0; i < count; ++i) header.masks[i] = load_u32(&bytes[masks_at + i * 4]);
  if (info_bytes == info_header_bytes) header.palette_at += count * 4;
  return {};
}

result<bmp_header> parse_bmp(std::span<const std::byte> bytes) noexcept {
  if (bytes.size() < file_header_bytes + 4 || load_u8(&bytes[0]) != 'B' ||
      load_u8(&bytes[1]) != 'M') {
    return fail(errc::corrupt, "not a BMP file");
  }
  bmp_header header;
  header.pixels_at = load_u32(&bytes[10]);
  const std::uint32_t info_bytes = load_u32(&bytes[14]);
  if (!fits(file_header_bytes, info_bytes, 1, bytes.size())) {
    return fail(errc::corrupt, "truncated BMP header");
  }
  header.palette_at = file_header_bytes + info_bytes;
  if (info_bytes == core_header_bytes) {
    header.width = load_u16(&bytes[18]);
    header.height = load_u16(&bytes[20]);
    header.bits = load_u16(&bytes[24]);
    header.palette_entry_bytes = 3;
  } else if (info_bytes >= info_header_bytes) {
    header.width = load_u32(&bytes[18]);
    const std::uint32_t height = load_u32(&bytes[22]);
    header.top_down = height >> 31 != 0;
    header.height = header.top_down ? 0 - height : height;
    header.bits = load_u16(&bytes[28]);
    header.palette_entries = load_u32(&bytes[46]);
    if (const result<void> known = parse_packing(header, bytes, info_bytes); !known) {
      return tl::unexpected<error>(known.error());
    }
  } else {
    return fail(errc::unsupported, "unsupported BMP header");
  }
  return header;
}

result<void> check(bmp_header& header, std::uint64_t file_bytes) noexcept {
  constexpr std::array<std::uint32_t, 6> known = {1, 4, 8, 16, 24, 32};
  if (std::find(known.begin(), known.end(), header.bits) == known.end()) {
    return fail(errc::unsupported, "unsupported BMP pixel size");
  }
  if (header.width == 0 || header.height == 0) {
    return fail(errc::corrupt, "BMP image without pixels");
  }
  const bool plain = header.how == packing::none || header.how == packing::fields;
  // The last row may lack its padding.
  const std::uint64_t last = (std::uint64_t{header.width} * header.bits + 7) / 8;
  if (plain && !fits(header.pixels_at, header.height - 1, header.row_bytes(), file_bytes)) {
    return fail(errc::corrupt, "the BMP file is truncated");
  }
  if (header.pixels_at > file_bytes ||
      (plain && file_bytes - header.pixels_at - (header.height - 1) * header.row_bytes() < last)) {
    return fail(errc::corrupt, "the BMP file is truncated");
  }
  if (header.bits <= 8) {
    const std::uint32_t colours = 1u << header.bits;
    const bool all = header.palette_entries == 0 || header.palette_entries > colours;
    if (all) header.palette_entries = colours;
  } else if (header.how == packing::none) {
    header.masks = {0x7C00, 0x3E0, 0x1F, 0};  // of 16 bits
    header.guess_alpha = header.bits == 32;
  }
  return {};
}

using palette = std::array<pixel, 256>;

// Entries that the file lacks are black.
palette read_palette(const bmp_header& header, std::span<const std::byte> bytes) noexcept {
  palette colours;
  colours.fill(rgba(0, 0, 0, 255));
  for (std::uint32_t i = 0; i < header.palette_entries && i < colours.size(); ++i) {
    const std::uint64_t at = header.palette_at + std::uint64_t{i} * header.palette_entry_bytes;
    if (!fits(at, 3, 1, bytes.size())) break;
    colours[i] = rgba(load_u8(&bytes[at + 2]), load_u8(&bytes[at + 1]), load_u8(&bytes[at]), 255);
  }
  return colours;
}

// The bits of a mask, stretched to eight; `missing` if it has none.
std::uint32_t channel_of(std::uint32_t value, std::uint32_t mask, std::uint32_t missing) noexcept {
  if (mask == 0) return missing;
  const auto shift = static_cast<std::uint32_t>(std::countr_zero(mask));
  const std::uint64_t most = mask >> shift;
  return static_cast<std::uint32_t>((std::uint64_t{(value & mask) >> shift} * 255 + most / 2) /
                                    most);
}

// The rows of the image in the order of the file.
std::span<pixel> row_of(const bmp_header& header, std::span<pixel> image,
                        std::uint32_t row) noexcept {
  const std::size_t y = header.top_down ? row : header.height - 1 - row;
  return image.subspan(y * header.width, header.width);
}

void unpack_row(const bmp_header& header, const palette& colours, const std::byte* from,
                std::span<pixel> to) noexcept {
  if (header.bits <= 8) {
    for (std::size_t x = 0; x < to.size(); ++x) {
      const std::size_t bit = x * header.bits;
      const std::uint32_t byte = load_u8(from + bit / 8);
      to[x] = colours[byte >> (8 - header.bits - bit % 8) & ((1u << header.bits) - 1)];
    }
    return;
  }
  const std::size_t pixel_bytes = header.bits / 8;
  if (header.how == packing::none && pixel_bytes > 2) {  // most files
    for (pixel& each : to) {
      const std::uint32_t alpha = pixel_bytes == 4 ? load_u8(from + 3) : 255;
      each = rgba(load_u8(from + 2), load_u8(from + 1), load_u8(from), alpha);
      from += pixel_bytes;
    }
    return;
  }
  for (pixel& each : to) {
    const std::uint32_t value = pixel_bytes == 2 ? load_u16(from) : load_u32(from);
    from += pixel_bytes;
    each = rgba(channel_of(value, header.masks[0], 0), channel_of(value, header.masks[1], 0),
                channel_of(value, header.masks[2], 0), channel_of(value, header.masks[3], 255));
  }
}

// Programs that know no alpha write zeros where it would be.
void drop_empty_alpha(std::span<pixel> image) noexcept {
  constexpr pixel alpha = rgba(0, 0, 0, 255);
  if (std::any_of(image.begin(), image.end(), [](pixel each) { return (each & alpha) != 0; })) {
    return;
  }
  for (pixel& each : image) each |= alpha;
}

// Follows runs, literals and jumps. What they leave out has the first colour.
class run_reader {
 public:
  run_reader(const bmp_header& header, const palette& colours, std::span<pixel> image) noexcept
      : header_(header), colours_(colours), image_(image) {}

  // False if the file ends early.
  [[nodiscard]] bool read(std::span<const std::byte> from) noexcept {
    std::fill(image_.begin(), image_.end(), colours_[0]);
    while (y_ < header_.height) {
      if (from.size() < 2) return false;
      const std::uint32_t count = load_u8(&from[0]);
      const std::uint32_t code = load_u8(&from[1]);
      from = from.subspan(2);
      if (count > 0) {
        for (std::uint32_t i = 0; i < count; ++i) put(index_in(code, i));
      } else if (code == 0) {
        x_ = 0;
        ++y_;
      } else if (code == 1) {
        return true;
      } else if (code == 2) {
        if (from.size() < 2) return false;
        x_ += load_u8(&from[0]);
        y_ += load_u8(&from[1]);
        from = from.subspan(2);
      } else if (!copy(from, code)) {
        return false;
      }
    }
    return true;
  }

 private:
  [[nodiscard]] bool is_packed() const noexcept { return header_.how == packing::runs_of_4; }
  // The number that a byte holds for the i-th pixel: one, or two that alternate.
  [[nodiscard]] std::uint32_t index_in(std::uint32_t byte, std::uint32_t i) const noexcept {
    return !is_packed() ? byte : i % 2 == 0 ? byte >> 4 : byte & 15;
  }
  void put(std::uint32_t index) noexcept {
    if (x_ < header_.width) row_of(header_, image_, y_)[x_++] = colours_[index];
  }
  [[nodiscard]] bool copy(std::span<const std::byte>& from, std::uint32_t count) noexcept {
    const std::size_t bytes = is_packed() ? (count + 1) / 2 : count;
    if (from.size() < bytes) return false;
    for (std::uint32_t i = 0; i < count; ++i) {
      put(index_in(load_u8(&from[is_packed() ? i / 2 : i]), i));
    }
    from = from.subspan(std::min(bytes + bytes % 2, from.size()));
    return true;
  }

  const bmp_header& header_;
  const palette& colours_;
  std::span<pixel> image_;
  std::uint32_t x_ = 0;
  std::uint32_t y_ = 0;  // in the order of the file
};

class bmp final : public decoder {
 public:
  const char* name() const noexcept override { return "bmp"; }

  bool accepts(std::string_view path, std::span<const std::byte> bytes) const noexcept override {
    return is_file_of(file_format::bmp, path, bytes);
  }

  result<decoded_asset> decode(std::span<const std::byte> bytes, allocator& memory,
                               parallel_runner&) const noexcept override {
    result<bmp_header> header = parse_bmp(bytes);
    if (!header) return tl::unexpected<error>(header.error());
    if (const result<void> checked = check(*header, bytes.size()); !checked) {
      return tl::unexpected<error>(checked.error());
    }
    result<decoded_asset> image = make_image(header->width, header->height, bytes.size(), memory);
    if (!image) return image;
    const palette colours = read_palette(*header, bytes);
    const std::span<pixel> pixels = pixels_of(*image);
    const std::span<const std::byte> packed = bytes.subspan(header->pixels_at);
    if (header->how == packing::runs_of_8 || header->how == packing::runs_of_4) {
      if (!run_reader(*header, colours, pixels).read(packed)) {
        return fail(errc::corrupt, "the BMP file is truncated");
      }
      return image;
    }
    for (std::uint32_t row = 0; row < header->height; ++row) {
      unpack_row(*header, colours, packed.data() + row * header->row_bytes(),
                 row_of(*header, pixels, row));
    }
    if (header->guess_alpha) drop_empty_alpha(pixels);
    return image;
  }

  std::uint64_t memory_needed(std::span<const std::byte> bytes) const noexcept override {
    result<bmp_header> header = parse_bmp(bytes);
    if (!header || !check(*header, bytes.size())) return 0;
    return image_bytes(header->width, header->height, bytes.size());
  }
};

}  // namespace

const decoder& bmp_decoder() noexcept {
  static const bmp instance;
  return instance;
}

}  // namespace overture::decoders_detail

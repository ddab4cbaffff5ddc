// SPDX-License-Identifier: Zlib
//
// Radiance HDR images (RGBE): four bytes a pixel, three of which share an exponent. They become a
// texture of floats, because an image has 8 bits a channel.
//
//   "#?RADIANCE" or "#?RGBE", lines of "NAME=value", an empty line, "-Y height +X width" and the
//   rows a row, if its width is 8 to 32,767: 2, 2, u16 width (big endian), then each of red, green,
//   blue
//     and exponent: a byte above 128 repeats the next one (less 128) times, another is followed by
//     so many bytes
//   or pixels, where 1, 1, 1, n repeats the last one: n, or 256 n if it follows another such, ...
//
// Source: the file formats of Radiance (Lawrence Berkeley National Laboratory). EXPOSURE is not
// applied, as in other readers. Unsupported: XYZE, and rows that do not run from left to right.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/limit_text.hpp"
#include "base/little_endian.hpp"
#include "decoders/image_size.hpp"
#include "decoders/signature.hpp"
#include "decoders/table.hpp"
#include "overture/base/limits.hpp"

namespace overture::decoders_detail {
using namespace base_detail;

namespace {

constexpr std::size_t hdr_pixel_bytes = 4;
constexpr std::size_t float_pixel_bytes = 16;
constexpr const char* hdr_truncated = "the HDR file is truncated";
constexpr const char* hdr_damaged = "the HDR file is damaged";

struct hdr_header {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  bool upwards = false;  // the last row comes first
  std::span<const std::byte> rows;
};

// A line without its end; false at the end of the text.
bool take_line(std::string_view& text, std::string_view& line) noexcept {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return false;
  line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return true;
}

bool take_size(std::string_view& line, std::string_view axis, std::uint32_t& size) noexcept {
  if (!line.starts_with(axis)) return false;
  line.remove_prefix(axis.size());
  const auto [end, failed] = std::from_chars(line.data(), line.data() + line.size(), size);
  line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  if (failed != std::errc{}) return false;
  if (line.starts_with(' ')) line.remove_prefix(1);
  return true;
}

result<hdr_header> parse_hdr(std::span<const std::byte> bytes) noexcept {
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::string_view line;
  if (!text.starts_with("#?")) return fail(errc::corrupt, "not an HDR file");
  for (;;) {
    if (!take_line(text, line)) return fail(errc::corrupt, hdr_truncated);
    if (line.empty()) break;
    if (line.starts_with("FORMAT=") && line != "FORMAT=32-bit_rle_rgbe") {
      return fail(errc::unsupported, "an HDR file of other colours than RGBE");
    }
  }
  if (!take_line(text, line)) return fail(errc::corrupt, hdr_truncated);
  hdr_header header;
  header.upwards = line.starts_with('+');
  const bool known = take_size(line, header.upwards ? "+Y " : "-Y ", header.height) &&
                     take_size(line, "+X ", header.width) && line.empty();
  if (!known) return fail(errc::unsupported, "an HDR file whose rows run another way");
  if (header.width == 0 || header.height == 0)
    return fail(errc::corrupt, "HDR image without pixels");
  header.rows = bytes.subspan(bytes.size() - text.size());
  return header;
}

class hdr_reader {
 public:
  explicit hdr_reader(std::span<const std::byte> rows) noexcept : rest_(rows) {}

  // Fills a row of RGBE. Null, or what is wrong.
  const char* read_row(std::span<std::byte> row) noexcept {
    const std::size_t width = row.size() / hdr_pixel_bytes;
    const bool may_be_packed = width >= 8 && width < 32768 && rest_.size() >= 4;
    const bool packed = may_be_packed && load_u16(rest_.data()) == 0x0202 &&
                        std::to_integer<unsigned>(rest_[2]) < 128;
    return packed ? read_packed(row, width) : read_pixels(row);
  }

 private:
  const char* read_packed(std::span<std::byte> row, std::size_t width) noexcept {
    if ((load_u8(&rest_[2]) << 8 | load_u8(&rest_[3])) != width) return hdr_damaged;
    rest_ = rest_.subspan(4);
    for (std::size_t channel = 0; channel < hdr_pixel_bytes; ++channel) {
      for (std::size_t x = 0; x < width;) {
        if (rest_.size() < 2) return hdr_truncated;
        const std::size_t code = load_u8(rest_.data());
        const bool repeats = code > 128;
        const std::size_t count = repeats ? code - 128 : code;
        if (count == 0 || count > width - x) return hdr_damaged;
        if (!repeats && rest_.size() < 1 + count) return hdr_truncated;
        for (std::size_t i = 0; i < count; ++i, ++x) {
          row[x * hdr_pixel_bytes + channel] = rest_[repeats ? 1 : 1 + i];
        }
        rest_ = rest_.subspan(repeats ? 2 : 1 + count);
      }
    }
    return nullptr;
  }

  const char* read_pixels(std::span<std::byte> row) noexcept {
    constexpr std::byte mark{1};
    unsigned shift = 0;
    for (std::size_t at = 0; at < row.size();) {
      if (rest_.size() < hdr_pixel_bytes) return hdr_truncated;
      if (rest_[0] == mark && rest_[1] == mark && rest_[2] == mark) {
        const std::size_t count = shift < 32 ? std::size_t{load_u8(&rest_[3])} << shift : 0;
        if (at == 0 || count > (row.size() - at) / hdr_pixel_bytes) return hdr_damaged;
        for (std::size_t i = 0; i < count * hdr_pixel_bytes; ++i, ++at) {
          row[at] = row[at - hdr_pixel_bytes];
        }
        shift += 8;
      } else {
        std::copy_n(rest_.begin(), hdr_pixel_bytes, row.begin() + static_cast<std::ptrdiff_t>(at));
        at += hdr_pixel_bytes;
        shift = 0;
      }
      rest_ = rest_.subspan(hdr_pixel_bytes);
    }
    return nullptr;
  }

  std::span<const std::byte> rest_;
};

// The shared exponent is that of the largest channel, as a fraction of 256.
void to_floats(const std::byte* from, float* to) noexcept {
  const auto exponent = static_cast<int>(load_u8(from + 3));
  const float scale = exponent == 0 ? 0.0f : std::ldexp(1.0f, exponent - (128 + 8));
  for (std::size_t i = 0; i < 3; ++i) to[i] = static_cast<float>(load_u8(from + i)) * scale;
  to[3] = 1;
}

class hdr final : public decoder {
 public:
  const char* name() const noexcept override { return "hdr"; }

  bool accepts(std::string_view path, std::span<const std::byte> bytes) const noexcept override {
    return is_file_of(file_format::hdr, path, bytes);
  }

  result<decoded_asset> decode(std::span<const std::byte> bytes, allocator& memory,
                               parallel_runner&) const noexcept override {
    const result<hdr_header> header = parse_hdr(bytes);
    if (!header) return tl::unexpected<error>(header.error());
    const std::uint64_t pixels = std::uint64_t{header->width} * header->height;
    const result<void> checked =
        check_image_size(header->width, header->height, pixels * float_pixel_bytes, bytes.size());
    if (!checked) return tl::unexpected<error>(checked.error());
    result<decoded_asset> made =
        decoded_asset::make(asset_kind::texture, pixels * float_pixel_bytes, memory);
    if (!made) return made;
    hdr_reader reader(header->rows);
    const std::size_t row_bytes = std::size_t{header->width} * float_pixel_bytes;
    for (std::uint32_t y = 0; y < header->height; ++y) {
      const std::uint32_t place = header->upwards ? header->height - 1 - y : y;
      const std::span<std::byte> row = made->bytes().subspan(place * row_bytes, row_bytes);
      // The packed row goes to its end, so that floats never overwrite what is still to be read.
      const std::span<std::byte> packed = row.last(std::size_t{header->width} * hdr_pixel_bytes);
      if (const char* const flaw = reader.read_row(packed)) return fail(errc::corrupt, flaw);
      unpack(packed, row);
    }
    made->format = texture_format::rgba32_float;
    made->width = header->width;
    made->height = header->height;
    made->depth = 1;
    made->levels = 1;
    made->layers = 1;
    return made;
  }

  std::uint64_t memory_needed(std::span<const std::byte> bytes) const noexcept override {
    constexpr std::size_t lines_bytes_max = 64u
                                            << 10;  // a file that is no image has no end of them
    const auto header = parse_hdr(bytes.first(std::min(bytes.size(), lines_bytes_max)));
    if (!header) return 0;
    const std::uint64_t size = std::uint64_t{header->width} * header->height * float_pixel_bytes;
    return check_image_size(header->width, header->height, size, bytes.size()) ? size : 0;
  }

 private:
  static void unpack(std::span<const std::byte> packed, std::span<std::byte> row) noexcept {
    for (std::size_t x = 0; x < packed.size() / hdr_pixel_bytes; ++x) {
      float pixel[4];
      to_floats(packed.data() + x * hdr_pixel_bytes, pixel);
      std::memcpy(row.data() + x * float_pixel_bytes, pixel, sizeof pixel);
    }
  }
};

}  // namespace

const decoder& hdr_decoder() noexcept {
  static const hdr instance;
  return instance;
}

}  // namespace overture::decoders_detail

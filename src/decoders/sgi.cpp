// SPDX-License-Identifier: Zlib
//
// SGI images (.sgi, .rgb, .rgba, .bw): Paul Haeberli's "The SGI Image File Format".
#include <algorithm>
#include <optional>

#include "base/big_endian.hpp"
#include "decoders/pixel.hpp"
#include "decoders/signature.hpp"
#include "decoders/table.hpp"

namespace overture::decoders_detail {
using namespace base_detail;

namespace {

constexpr std::size_t sgi_header_bytes = 512;
constexpr std::uint32_t sgi_magic = 0x01DA;

struct sgi_header {
  bool run_length = false;
  std::uint32_t value_bytes = 1;  // of a channel; of two the upper one is kept
  std::uint32_t width = 0;
  std::uint32_t height = 1;
  std::uint32_t channels = 1;
};

result<sgi_header> parse_sgi(std::span<const std::byte> bytes) noexcept {
  if (bytes.size() < sgi_header_bytes || load_u16_big(bytes.data()) != sgi_magic) {
    return fail(errc::corrupt, "not an SGI image");
  }
  sgi_header header;
  const std::uint32_t storage = load_u8(&bytes[2]);
  const std::uint32_t dimensions = load_u16_big(&bytes[4]);
  header.run_length = storage == 1;
  header.value_bytes = load_u8(&bytes[3]);
  header.width = load_u16_big(&bytes[6]);
  if (dimensions >= 2) header.height = load_u16_big(&bytes[8]);
  if (dimensions >= 3) header.channels = load_u16_big(&bytes[10]);
  if (storage > 1 || dimensions < 1 || dimensions > 3) {
    return fail(errc::corrupt, "contradictory header of an SGI image");
  }
  const bool has_colour_map = load_u32_big(&bytes[104]) != 0;
  if ((header.value_bytes != 1 && header.value_bytes != 2) || header.channels > 4 ||
      has_colour_map) {
    return fail(errc::unsupported, "unsupported SGI pixel format");
  }
  if (header.width == 0 || header.height == 0 || header.channels == 0) {
    return fail(errc::corrupt, "SGI image without pixels");
  }
  return header;
}

// The rows of the channels, all of the first channel first, from the lowest row up.
class row_table {
 public:
  row_table(const sgi_header& header, std::span<const std::byte> bytes) noexcept
      : header_(header), bytes_(bytes) {}

  // Whether the file has room for what the header says.
  [[nodiscard]] bool fits_file() const noexcept {
    const std::uint64_t rows = std::uint64_t{header_.height} * header_.channels;
    const std::uint64_t row_bytes = std::uint64_t{header_.width} * header_.value_bytes;
    return fits(sgi_header_bytes, rows, header_.run_length ? 8 : row_bytes, bytes_.size());
  }
  // Calls put(x, value) for each pixel of a row; false if the row is damaged.
  template <class Put>
  [[nodiscard]] bool read(std::uint32_t channel, std::uint32_t row, Put&& put) const noexcept {
    const std::size_t number = std::size_t{channel} * header_.height + row;
    if (header_.run_length) return read_runs(number, put);
    const std::size_t row_bytes = std::size_t{header_.width} * header_.value_bytes;
    const std::byte* from = &bytes_[sgi_header_bytes + number * row_bytes];
    for (std::uint32_t x = 0; x < header_.width; ++x, from += header_.value_bytes) {
      put(x, load_u8(from));
    }
    return true;
  }

 private:
  template <class Put>
  [[nodiscard]] bool read_runs(std::size_t number, Put&& put) const noexcept {
    const std::size_t rows = std::size_t{header_.height} * header_.channels;
    const std::size_t offset = load_u32_big(&bytes_[sgi_header_bytes + number * 4]);
    const std::size_t length = load_u32_big(&bytes_[sgi_header_bytes + (rows + number) * 4]);
    if (!fits(offset, length, 1, bytes_.size())) return false;
    std::span<const std::byte> rest = bytes_.subspan(offset, length);
    const std::size_t one = header_.value_bytes;
    for (std::uint32_t x = 0; x < header_.width;) {
      if (rest.size() < one) return false;
      const std::uint32_t code = load_u8(&rest[one - 1]);
      const bool is_run = (code & 128) == 0;
      const std::uint32_t count = std::min(code & 127, header_.width - x);
      rest = rest.subspan(one);
      if (count == 0 || rest.size() < (is_run ? 1 : count) * one) return false;
      for (std::uint32_t i = 0; i < count; ++i) put(x + i, load_u8(&rest[is_run ? 0 : i * one]));
      rest = rest.subspan((is_run ? 1 : count) * one);
      x += count;
    }
    return true;
  }

  sgi_header header_;
  std::span<const std::byte> bytes_;
};

// Where a channel goes: one is grey, two are grey and alpha.
std::span<const std::uint8_t> targets_of(std::uint32_t channel, std::uint32_t channels) noexcept {
  static constexpr std::uint8_t all[] = {0, 1, 2, 3};
  if (channels > 2) return std::span(all).subspan(channel, 1);
  return channel == 0 ? std::span(all).first(3) : std::span(all).last(1);
}

class sgi final : public decoder {
 public:
  const char* name() const noexcept override { return "sgi"; }

  bool accepts(std::string_view path, std::span<const std::byte> bytes) const noexcept override {
    return is_file_of(file_format::sgi, path, bytes);
  }

  result<decoded_asset> decode(std::span<const std::byte> bytes, allocator& memory,
                               parallel_runner&) const noexcept override {
    const result<sgi_header> header = parse_sgi(bytes);
    if (!header) return tl::unexpected<error>(header.error());
    const row_table rows(*header, bytes);
    if (!rows.fits_file()) return fail(errc::corrupt, "the SGI image is truncated");
    result<decoded_asset> image = make_image(header->width, header->height, bytes.size(), memory);
    if (!image) return image;
    std::fill(pixels_of(*image).begin(), pixels_of(*image).end(), rgba(0, 0, 0, 255));
    for (std::uint32_t channel = 0; channel < header->channels; ++channel) {
      const std::span<const std::uint8_t> targets = targets_of(channel, header->channels);
      for (std::uint32_t row = 0; row < header->height; ++row) {
        const std::size_t y = header->height - 1 - row;
        std::byte* const line = image->bytes().data() + y * header->width * sizeof(pixel);
        const bool whole = rows.read(channel, row, [&](std::uint32_t x, std::uint32_t value) {
          for (const std::uint8_t target : targets) {
            line[std::size_t{x} * sizeof(pixel) + target] = static_cast<std::byte>(value);
          }
        });
        if (!whole) return fail(errc::corrupt, "damaged row in an SGI image");
      }
    }
    return image;
  }
};

}  // namespace

const decoder& sgi_decoder() noexcept {
  static const sgi instance;
  return instance;
}

}  // namespace overture::decoders_detail

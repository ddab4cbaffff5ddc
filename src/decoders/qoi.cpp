// SPDX-License-Identifier: Zlib
//
// QOI images: https://qoiformat.org/qoi-specification.pdf.
#include <algorithm>
#include <array>

#include "base/big_endian.hpp"
#include "decoders/pixel.hpp"
#include "decoders/signature.hpp"
#include "decoders/table.hpp"

namespace overture::decoders_detail {
using namespace base_detail;

namespace {

constexpr std::size_t qoi_header_bytes = 14;
constexpr std::uint64_t pixels_per_byte_max = 62;  // a run

struct colour {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
  std::uint8_t alpha = 255;

  [[nodiscard]] std::size_t index() const noexcept {
    return (red * 3u + green * 5u + blue * 7u + alpha * 11u) % 64;
  }
  void add(std::uint32_t to_red, std::uint32_t to_green, std::uint32_t to_blue) noexcept {
    red = static_cast<std::uint8_t>(red + to_red);
    green = static_cast<std::uint8_t>(green + to_green);
    blue = static_cast<std::uint8_t>(blue + to_blue);
  }
};

class chunk_reader {
 public:
  explicit chunk_reader(std::span<const std::byte> chunks) noexcept : rest_(chunks) {
    // Before any colour is known all of them are transparent black.
    seen_.fill({0, 0, 0, 0});
  }

  // Fills `to`; false if the file ends early.
  [[nodiscard]] bool read(std::span<pixel> to) noexcept {
    while (!to.empty()) {
      const std::size_t count = next();
      if (count == 0) return false;
      const std::span<pixel> run = to.first(std::min(count, to.size()));
      std::fill(run.begin(), run.end(), rgba(now_.red, now_.green, now_.blue, now_.alpha));
      to = to.subspan(run.size());
    }
    return true;
  }

 private:
  // Reads a chunk into `now_`. Returns for how many pixels it stands; 0 at the end of the file.
  std::size_t next() noexcept {
    if (rest_.empty()) return 0;
    const std::uint32_t first = load_u8(rest_.data());
    const std::size_t bytes = first == 0xFF ? 5 : first == 0xFE ? 4 : first >> 6 == 2 ? 2 : 1;
    if (rest_.size() < bytes) return 0;
    const std::size_t run = apply(rest_.first(bytes));
    rest_ = rest_.subspan(bytes);
    seen_[now_.index()] = now_;
    return run;
  }
  std::size_t apply(std::span<const std::byte> chunk) noexcept {
    const std::uint32_t first = load_u8(chunk.data());
    if (first >= 0xFE) {
      now_.red = std::to_integer<std::uint8_t>(chunk[1]);
      now_.green = std::to_integer<std::uint8_t>(chunk[2]);
      now_.blue = std::to_integer<std::uint8_t>(chunk[3]);
      if (first == 0xFF) now_.alpha = std::to_integer<std::uint8_t>(chunk[4]);
      return 1;
    }
    const std::uint32_t six = first & 63;
    switch (first >> 6) {
      case 0:
        now_ = seen_[six];
        return 1;
      case 1:
        now_.add((six >> 4) - 2, (six >> 2 & 3) - 2, (six & 3) - 2);
        return 1;
      case 2: {
        const std::uint32_t green = six - 32;
        const std::uint32_t others = load_u8(&chunk[1]);
        now_.add(green + (others >> 4) - 8, green, green + (others & 15) - 8);
        return 1;
      }
      default:
        return six + 1;
    }
  }

  std::span<const std::byte> rest_;
  std::array<colour, 64> seen_{};
  colour now_;
};

struct qoi_header {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};

result<qoi_header> parse_qoi(std::span<const std::byte> bytes) noexcept {
  constexpr std::uint32_t magic = 0x716F6966;  // "qoif"
  if (bytes.size() < qoi_header_bytes || load_u32_big(bytes.data()) != magic) {
    return fail(errc::corrupt, "not a QOI file");
  }
  const qoi_header header{load_u32_big(&bytes[4]), load_u32_big(&bytes[8])};
  if (header.width == 0 || header.height == 0) {
    return fail(errc::corrupt, "QOI image without pixels");
  }
  const std::uint64_t chunk_bytes = bytes.size() - qoi_header_bytes;
  if (std::uint64_t{header.width} * header.height > chunk_bytes * pixels_per_byte_max) {
    return fail(errc::corrupt, "the QOI file is truncated");
  }
  return header;
}

class qoi final : public decoder {
 public:
  const char* name() const noexcept override { return "qoi"; }

  bool accepts(std::string_view path, std::span<const std::byte> bytes) const noexcept override {
    return is_file_of(file_format::qoi, path, bytes);
  }

  result<decoded_asset> decode(std::span<const std::byte> bytes, allocator& memory,
                               parallel_runner&) const noexcept override {
    const result<qoi_header> header = parse_qoi(bytes);
    if (!header) return tl::unexpected<error>(header.error());
    result<decoded_asset> image = make_image(header->width, header->height, bytes.size(), memory);
    if (!image) return image;
    if (!chunk_reader(bytes.subspan(qoi_header_bytes)).read(pixels_of(*image))) {
      return fail(errc::corrupt, "the QOI file is truncated");
    }
    return image;
  }

  std::uint64_t memory_needed(std::span<const std::byte> bytes) const noexcept override {
    const result<qoi_header> header = parse_qoi(bytes);
    return header ? image_bytes(header->width, header->height, bytes.size()) : 0;
  }
};

}  // namespace

const decoder& qoi_decoder() noexcept {
  static const qoi instance;
  return instance;
}

}  // namespace overture::decoders_detail

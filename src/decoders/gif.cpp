// SPDX-License-Identifier: Zlib
//
// GIF images: https://www.w3.org/Graphics/GIF/spec-gif89a.txt. Of an animation, the first picture.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "base/little_endian.hpp"
#include "decoders/pixel.hpp"
#include "decoders/signature.hpp"
#include "decoders/table.hpp"

namespace overture::decoders_detail {
using namespace base_detail;

namespace {

constexpr std::size_t gif_header_bytes = 13;

// Reads a file from front to back; at its end everything is 0.
class byte_reader {
 public:
  explicit byte_reader(std::span<const std::byte> from) noexcept : rest_(from) {}
  [[nodiscard]] std::uint32_t u8() noexcept {
    const std::span<const std::byte> one = take(1);
    return one.empty() ? 0 : load_u8(one.data());
  }
  [[nodiscard]] std::uint32_t u16() noexcept {
    const std::uint32_t low = u8();
    return low | u8() << 8;
  }
  // Empty if the file is shorter.
  std::span<const std::byte> take(std::size_t bytes) noexcept {
    if (bytes > rest_.size()) {
      rest_ = {};
      is_cut_ = true;
      return {};
    }
    const std::span<const std::byte> taken = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return taken;
  }
  // The next of a chain of blocks; empty at the end of the chain.
  std::span<const std::byte> sub_block() noexcept { return take(u8()); }
  [[nodiscard]] bool is_cut() const noexcept { return is_cut_; }

 private:
  std::span<const std::byte> rest_;
  bool is_cut_ = false;
};

using palette = std::array<pixel, 256>;

// The picture as the file describes it, in front of its packed pixels.
struct picture {
  std::uint32_t left = 0;
  std::uint32_t top = 0;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  bool interlaced = false;
  palette colours{};
  std::uint32_t code_bits = 0;
};

void read_palette(byte_reader& from, std::uint32_t flags, palette& colours) noexcept {
  if ((flags & 128) == 0) return;
  const std::size_t count = std::size_t{2} << (flags & 7);
  const std::span<const std::byte> entries = from.take(count * 3);
  for (std::size_t i = 0; i < entries.size() / 3; ++i) {
    const std::byte* const at = &entries[i * 3];
    colours[i] = rgba(load_u8(at), load_u8(at + 1), load_u8(at + 2), 255);
  }
}

// Reads up to the first picture.
result<picture> find_picture(byte_reader& from, palette colours) noexcept {
  std::optional<std::uint32_t> transparent;
  while (!from.is_cut()) {
    const std::uint32_t kind = from.u8();
    if (kind == 0x2C) {
      picture found;
      found.left = from.u16();
      found.top = from.u16();
      found.width = from.u16();
      found.height = from.u16();
      const std::uint32_t flags = from.u8();
      found.interlaced = (flags & 64) != 0;
      read_palette(from, flags, colours);
      if (transparent) colours[*transparent] = 0;
      found.colours = colours;
      found.code_bits = from.u8();
      if (from.is_cut()) break;
      return found;
    }
    if (kind != 0x21) return fail(errc::corrupt, "GIF file without a picture");
    const bool is_control = from.u8() == 0xF9;
    std::span<const std::byte> block = from.sub_block();
    if (is_control && block.size() >= 4 && (load_u8(&block[0]) & 1) != 0) {
      transparent = load_u8(&block[3]);
    }
    while (!block.empty()) block = from.sub_block();
  }
  return fail(errc::corrupt, "the GIF file is truncated");
}

// LZW, with codes of up to twelve bits, the lowest bit first.
class lzw {
 public:
  lzw(byte_reader& from, std::uint32_t code_bits) noexcept
      : from_(from), first_bits_(code_bits + 1), clear_(1u << code_bits) {
    for (std::uint32_t i = 0; i < clear_; ++i) suffixes_[i] = static_cast<std::uint8_t>(i);
    forget();
  }

  // Fills `to`; false if the data ends early or is damaged.
  [[nodiscard]] bool unpack(std::span<std::uint8_t> to) noexcept {
    while (!to.empty()) {
      const std::optional<std::uint32_t> code = next_code();
      if (!code || *code == clear_ + 1) return false;
      if (*code == clear_) {
        forget();
        continue;
      }
      if (!follow(*code)) return false;
      const std::size_t length = expand(*code, to);
      to = to.subspan(std::min(length, to.size()));
    }
    return true;
  }

 private:
  static constexpr std::uint32_t codes_max = 4096;
  static constexpr std::uint32_t none = codes_max;

  void forget() noexcept {
    count_ = clear_ + 2;
    bits_ = first_bits_;
    last_ = none;
  }
  std::optional<std::uint32_t> next_code() noexcept {
    while (held_bits_ < bits_) {
      if (block_.empty()) block_ = from_.sub_block();
      if (block_.empty()) return std::nullopt;
      held_ |= load_u8(&block_[0]) << held_bits_;
      held_bits_ += 8;
      block_ = block_.subspan(1);
    }
    const std::uint32_t code = held_ & ((1u << bits_) - 1);
    held_ >>= bits_;
    held_bits_ -= bits_;
    return code;
  }
  [[nodiscard]] std::uint8_t first_of(std::uint32_t code) const noexcept {
    while (code >= clear_ + 2) code = prefixes_[code];
    return suffixes_[code];
  }
  // Adds the string of the last code with the first value of this one. False if there is no such
  // code.
  [[nodiscard]] bool follow(std::uint32_t code) noexcept {
    const bool is_next = code == count_ && last_ != none && count_ < codes_max;
    if (code >= count_ && !is_next) return false;
    if (last_ != none && count_ < codes_max) {
      prefixes_[count_] = static_cast<std::uint16_t>(last_);
      suffixes_[count_] = first_of(is_next ? last_ : code);
      lengths_[count_] = static_cast<std::uint16_t>(length_of(last_) + 1);
      ++count_;
      if (count_ == 1u << bits_ && bits_ < 12) ++bits_;
    }
    last_ = code;
    return true;
  }
  [[nodiscard]] std::size_t length_of(std::uint32_t code) const noexcept {
    return code < clear_ ? 1 : lengths_[code];
  }
  // Writes the string of a code as far as there is room, and returns its length.
  std::size_t expand(std::uint32_t code, std::span<std::uint8_t> to) const noexcept {
    const std::size_t length = length_of(code);
    for (std::size_t at = length; at-- > 0; code = prefixes_[code]) {
      if (at < to.size()) to[at] = suffixes_[code];
    }
    return length;
  }

  byte_reader& from_;
  std::span<const std::byte> block_;
  std::uint32_t held_ = 0;
  std::uint32_t held_bits_ = 0;
  std::uint32_t first_bits_;
  std::uint32_t clear_;
  std::uint32_t count_ = 0;
  std::uint32_t bits_ = 0;
  std::uint32_t last_ = none;
  std::array<std::uint16_t, codes_max> prefixes_{};
  std::array<std::uint16_t, codes_max> lengths_{};
  std::array<std::uint8_t, codes_max> suffixes_{};
};

// The row of the picture that comes `number`th in an interlaced file.
std::uint32_t interlaced_row(std::uint32_t number, std::uint32_t height) noexcept {
  static constexpr std::uint32_t starts[] = {0, 4, 2, 1};
  static constexpr std::uint32_t steps[] = {8, 8, 4, 2};
  for (std::size_t pass = 0; pass < 4; ++pass) {
    const std::uint32_t rows =
        height > starts[pass] ? (height - starts[pass] + steps[pass] - 1) / steps[pass] : 0;
    if (number < rows) return starts[pass] + number * steps[pass];
    number -= rows;
  }
  return 0;
}

// What lies outside the canvas is cut off.
void draw(const picture& from, std::span<const std::uint8_t> values,
          decoded_asset& canvas) noexcept {
  const std::uint32_t columns =
      from.left < canvas.width ? std::min(from.width, canvas.width - from.left) : 0;
  if (columns == 0) return;
  for (std::uint32_t i = 0; i < from.height; ++i) {
    const std::uint32_t y = from.top + (from.interlaced ? interlaced_row(i, from.height) : i);
    if (y >= canvas.height) continue;
    pixel* const to = &pixels_of(canvas)[std::size_t{y} * canvas.width + from.left];
    for (std::uint32_t x = 0; x < columns; ++x) {
      to[x] = from.colours[values[std::size_t{i} * from.width + x]];
    }
  }
}

class gif final : public decoder {
 public:
  const char* name() const noexcept override { return "gif"; }

  bool accepts(std::string_view path, std::span<const std::byte> bytes) const noexcept override {
    return is_file_of(file_format::gif, path, bytes);
  }

  result<decoded_asset> decode(std::span<const std::byte> bytes, allocator& memory,
                               parallel_runner&) const noexcept override {
    if (bytes.size() < gif_header_bytes || std::memcmp(bytes.data(), "GIF8", 4) != 0) {
      return fail(errc::corrupt, "not a GIF file");
    }
    const std::uint32_t width = load_u16(&bytes[6]);
    const std::uint32_t height = load_u16(&bytes[8]);
    byte_reader from(bytes.subspan(gif_header_bytes));
    palette colours;
    colours.fill(rgba(0, 0, 0, 255));
    read_palette(from, load_u8(&bytes[10]), colours);
    const result<picture> found = find_picture(from, colours);
    if (!found) return tl::unexpected<error>(found.error());
    if (width == 0 || height == 0 || found->width == 0 || found->height == 0) {
      return fail(errc::corrupt, "GIF image without pixels");
    }
    if (found->code_bits < 1 || found->code_bits > 8) {
      return fail(errc::corrupt, "invalid code size in a GIF file");
    }
    const std::uint64_t values = std::uint64_t{found->width} * found->height;
    const result<void> checked =
        check_image_size(found->width, found->height, values * sizeof(pixel), bytes.size());
    if (!checked) return tl::unexpected<error>(checked.error());
    result<decoded_asset> packed = decoded_asset::make(asset_kind::none, values, memory);
    if (!packed) return packed;
    result<decoded_asset> image = make_image(width, height, bytes.size(), memory);
    if (!image) return image;
    const std::span<std::uint8_t> room(reinterpret_cast<std::uint8_t*>(packed->bytes().data()),
                                       values);
    if (!lzw(from, found->code_bits).unpack(room)) {
      return fail(errc::corrupt, "the GIF file is truncated or damaged");
    }
    std::fill(pixels_of(*image).begin(), pixels_of(*image).end(), 0);
    draw(*found, room, *image);
    return image;
  }
};

}  // namespace

const decoder& gif_decoder() noexcept {
  static const gif instance;
  return instance;
}

}  // namespace overture::decoders_detail

// SPDX-License-Identifier: Zlib
#include "archives/tables/rofs_block.hpp"

#include <algorithm>
#include <cstring>

namespace overture::archives_detail {
namespace {

// The number of bytes after which the key changes.
constexpr std::uint16_t key_spans[64] = {
    0x0E6, 0x1A4, 0x0E6, 0x1C5, 0x130, 0x0E8, 0x3DB, 0x08B, 0x141, 0x18E, 0x3AE, 0x139, 0x0F0,
    0x27A, 0x2C9, 0x1B0, 0x1F7, 0x081, 0x138, 0x285, 0x25A, 0x15B, 0x30F, 0x335, 0x2E4, 0x1F6,
    0x143, 0x0D1, 0x337, 0x385, 0x07B, 0x0C6, 0x335, 0x141, 0x186, 0x2A1, 0x24D, 0x342, 0x1FB,
    0x3E5, 0x1B0, 0x06D, 0x140, 0x0C0, 0x386, 0x16B, 0x20B, 0x09A, 0x241, 0x0DE, 0x15E, 0x35A,
    0x25B, 0x154, 0x068, 0x2E8, 0x321, 0x071, 0x1B0, 0x232, 0x2D9, 0x263, 0x164, 0x290};

// A linear congruential generator; each step yields its highest byte.
std::uint8_t next_key(std::uint32_t& key) noexcept {
  key = key * 0x5D588B65 + 0x8000000B;
  return static_cast<std::uint8_t>(key >> 24);
}

// Reads bits, the highest of each byte first.
class bit_reader {
 public:
  explicit bit_reader(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

  // False if fewer than `count` are left. count <= 16.
  [[nodiscard]] bool read(unsigned count, std::uint32_t& value) noexcept {
    while (have_ < count) {
      if (at_ == bytes_.size()) return false;
      bits_ = bits_ << 8 | std::to_integer<std::uint32_t>(bytes_[at_++]);
      have_ += 8;
    }
    have_ -= count;
    value = bits_ >> have_ & ((1u << count) - 1);
    return true;
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  std::uint32_t bits_ = 0;
  unsigned have_ = 0;
};

// LZSS with a window of 4 KiB that is full from the start. A copy may run past the end of the
// window into a margin; the next byte then goes to the start of the window.
class window {
 public:
  window() noexcept {
    for (std::size_t i = 0; i < size; ++i) bytes_[i] = static_cast<std::byte>(i / 16);
    std::fill_n(bytes_ + size, margin, std::byte{});
  }
  [[nodiscard]] const std::byte* at(std::size_t place) const noexcept { return bytes_ + place; }
  void append(const std::byte* from, std::size_t count) noexcept {
    std::memcpy(bytes_ + next_, from, count);
    next_ += count;
    if (next_ >= size) next_ = 0;
  }

 private:
  static constexpr std::size_t size = 4096;
  static constexpr std::size_t margin = 32;
  std::byte bytes_[size + margin];
  std::size_t next_ = 0;
};

}  // namespace

void scramble_rofs(std::uint32_t key, std::span<std::byte> bytes) noexcept {
  std::uint8_t mask = next_key(key);
  std::size_t span = key_spans[next_key(key) % 0x3F] + std::size_t{1};
  while (!bytes.empty()) {
    const std::size_t count = std::min(span, bytes.size());
    for (std::byte& byte : bytes.first(count)) byte ^= std::byte{mask};
    bytes = bytes.subspan(count);
    span = key_spans[next_key(key) % 0x3F] + std::size_t{1};
    mask = next_key(key);
  }
}

result<void> unpack_rofs_block(const rofs_block& block, std::span<std::byte> packed,
                               std::span<std::byte> to) noexcept {
  scramble_rofs(block.key, packed);
  const auto too_short = [] { return fail(errc::corrupt, "the compressed data is truncated"); };
  if (!block.packed) {
    if (packed.size() < to.size()) return too_short();
    if (!to.empty()) std::memcpy(to.data(), packed.data(), to.size());
    return {};
  }
  bit_reader in(packed);
  window known;
  for (std::size_t made = 0; made < to.size();) {
    std::uint32_t is_copy = 0;
    std::uint32_t value = 0;
    std::uint32_t length = 0;
    if (!in.read(1, is_copy)) return too_short();
    if (is_copy == 0) {
      if (!in.read(8, value)) return too_short();
      to[made] = static_cast<std::byte>(value);
      known.append(&to[made++], 1);
      continue;
    }
    if (!in.read(12, value) || !in.read(4, length)) return too_short();
    const std::size_t count = std::min<std::size_t>(length + 2, to.size() - made);
    std::memcpy(&to[made], known.at(value), count);
    known.append(&to[made], count);
    made += count;
  }
  return {};
}

}  // namespace overture::archives_detail

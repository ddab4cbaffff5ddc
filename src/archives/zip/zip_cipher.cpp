// SPDX-License-Identifier: Zlib
#include "archives/zip/zip_cipher.hpp"

#include <array>

namespace overture::archives_detail {
namespace {

// CRC-32 of one byte, which the cipher uses as its mixing function.
constexpr std::array<std::uint32_t, 256> crc_table = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ ((value & 1) != 0 ? 0xEDB88320 : 0);
    table[i] = value;
  }
  return table;
}();

std::uint32_t mixed(std::uint32_t key, std::uint8_t byte) noexcept {
  return key >> 8 ^ crc_table[(key ^ byte) & 0xFF];
}

}  // namespace

zip_cipher::zip_cipher(std::string_view password) noexcept {
  for (const char c : password) update(static_cast<std::uint8_t>(c));
}

void zip_cipher::update(std::uint8_t plain) noexcept {
  keys_[0] = mixed(keys_[0], plain);
  keys_[1] = (keys_[1] + (keys_[0] & 0xFF)) * 134775813 + 1;
  keys_[2] = mixed(keys_[2], static_cast<std::uint8_t>(keys_[1] >> 24));
}

void zip_cipher::decrypt(std::span<std::byte> bytes) noexcept {
  for (std::byte& byte : bytes) {
    byte ^= std::byte{next()};
    update(std::to_integer<std::uint8_t>(byte));
  }
}

void zip_cipher::encrypt(std::span<std::byte> bytes) noexcept {
  for (std::byte& byte : bytes) {
    const auto plain = std::to_integer<std::uint8_t>(byte);
    byte ^= std::byte{next()};
    update(plain);
  }
}

}  // namespace overture::archives_detail

// SPDX-License-Identifier: Zlib
//
// The traditional encryption of ZIP archives, used by some old games.
//
// Source: PKWARE's APPNOTE.TXT 6.3.10, section 6.1. It was broken in 1994 (Biham and Kocher) and
// protects nothing; do not use it for new archives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace overture::archives_detail {

// In front of the data. Its last byte reveals a wrong password in 255 of 256 cases.
inline constexpr std::size_t zip_encryption_header_bytes = 12;

// The cipher's state after the password and all bytes so far.
class zip_cipher {
 public:
  explicit zip_cipher(std::string_view password) noexcept;
  void decrypt(std::span<std::byte> bytes) noexcept;
  void encrypt(std::span<std::byte> bytes) noexcept;

 private:
  void update(std::uint8_t plain) noexcept;
  [[nodiscard]] std::uint8_t next() const noexcept {
    const std::uint32_t low = (keys_[2] & 0xFFFF) | 2;
    return static_cast<std::uint8_t>(low * (low ^ 1) >> 8);
  }

  std::uint32_t keys_[3] = {0x12345678, 0x23456789, 0x34567890};
};

}  // namespace overture::archives_detail

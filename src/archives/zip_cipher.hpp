// The traditional encryption of ZIP archives, of which old games' archives make use.
//
// Source: PKWARE's APPNOTE.TXT 6.3.10, section 6.1. It has been broken since 1994 (Biham and
// Kocher) and hides nothing from anybody who cares; what is written today should not use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace overture::vfs {

// In front of the data; the last byte tells with a chance of 255 in 256 whether the password fits.
inline constexpr std::size_t zip_encryption_header_bytes = 12;

// The state of the cipher: behind a password, then behind all bytes so far.
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

}  // namespace overture::vfs

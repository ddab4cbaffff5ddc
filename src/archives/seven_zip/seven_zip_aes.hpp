// SPDX-License-Identifier: Zlib
//
// The encryption of 7z archives: AES-256-CBC with a key that is derived from the password by
// SHA-256. In builds without libcrypto nothing can be decrypted.
//
// Source of the format: 7zFormat.txt and the documentation of 7-Zip.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "archives/seven_zip/byte_source.hpp"
#include "overture/base/allocator.hpp"
#include "overture/base/error.hpp"

namespace overture::archives_detail {

struct aes_parameters {
  std::uint8_t rounds_log = 0;  // 2^this rounds of SHA-256; no_rounds: the password is the key
  std::uint8_t salt_bytes = 0;
  std::array<std::byte, 16> salt{};
  std::array<std::byte, 16> start{};  // the first block is combined with it

  static constexpr std::uint8_t no_rounds = 0x3F;
  // 7-Zip writes 19, which takes some 50 ms. Each step doubles that.
  static constexpr std::uint8_t rounds_log_max = 21;
  [[nodiscard]] bool same_key(const aes_parameters& other) const noexcept {
    return rounds_log == other.rounds_log && salt_bytes == other.salt_bytes && salt == other.salt;
  }
};
using aes_key = std::array<std::byte, 32>;

// False if they are invalid or ask for too many rounds.
[[nodiscard]] bool read_aes_parameters(std::span<const std::byte> properties,
                                       aes_parameters& into) noexcept;

// Whether this build can decrypt.
[[nodiscard]] bool has_aes() noexcept;
// The password is UTF-8. Takes 2^rounds_log rounds of time.
[[nodiscard]] result<aes_key> derive_key(const aes_parameters& from, std::string_view password,
                                         allocator& memory) noexcept;

class aes_source final : public byte_source {
 public:
  aes_source(byte_source& from, const aes_key& key, const aes_parameters& with, std::uint64_t bytes,
             allocator& memory) noexcept;
  ~aes_source() override;
  result<void> read(std::span<std::byte> to, std::size_t& made) noexcept override;

 private:
  result<void> refill() noexcept;

  source_buffer packed_;
  std::uint64_t left_;          // bytes of the plain text: the packed ones are padded
  std::span<std::byte> plain_;  // decrypted in place
  void* cipher_ = nullptr;
};

}  // namespace overture::archives_detail

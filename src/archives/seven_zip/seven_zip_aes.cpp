// SPDX-License-Identifier: Zlib
#include "archives/seven_zip/seven_zip_aes.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <cstring>

namespace overture::archives_detail {
using namespace base_detail;

namespace {

constexpr std::size_t block_bytes = 16;
constexpr std::size_t piece_bytes = 64u << 10;
static_assert(piece_bytes % block_bytes == 0);

tl::unexpected<error> no_memory_for_decrypting() {
  return fail(errc::out_of_memory, "out of memory for decrypting");
}

// Appends the password as UTF-16, low byte first. Bytes that are no UTF-8 stand for themselves.
bool append_utf16(std::string_view password, vec<std::byte>& to) noexcept {
  const auto append = [&](std::uint32_t unit) {
    return to.push_back(static_cast<std::byte>(unit & 0xFF)) &&
           to.push_back(static_cast<std::byte>(unit >> 8));
  };
  for (std::size_t i = 0; i < password.size();) {
    const auto first = static_cast<std::uint8_t>(password[i]);
    const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    std::uint32_t code = first;
    if (length > 1 && i + length <= password.size()) {
      code = first & (0x7Fu >> length);
      for (std::size_t k = 1; k < length; ++k) {
        code = code << 6 | (static_cast<std::uint8_t>(password[i + k]) & 0x3Fu);
      }
      i += length;
    } else {
      ++i;
    }
    const bool added = code < 0x10000 ? append(code)
                                      : append(0xD800 + ((code - 0x10000) >> 10 & 0x3FF)) &&
                                            append(0xDC00 + ((code - 0x10000) & 0x3FF));
    if (!added) return false;
  }
  return true;
}

}  // namespace

bool has_aes() noexcept {
  return true;
}

result<aes_key> derive_key(const aes_parameters& from, std::string_view password,
                           allocator& memory) noexcept {
  // What is hashed again and again: the salt, the password, and a count of eight bytes.
  vec<std::byte> round(memory, memory_tag::vfs);
  for (std::size_t i = 0; i < from.salt_bytes; ++i) {
    if (!round.push_back(from.salt[i])) return no_memory_for_decrypting();
  }
  if (!append_utf16(password, round)) return no_memory_for_decrypting();
  aes_key key{};
  if (from.rounds_log == aes_parameters::no_rounds) {
    std::memcpy(key.data(), round.data(), std::min(key.size(), round.size()));
    return key;
  }
  const std::size_t count_at = round.size();
  for (std::size_t i = 0; i < sizeof(std::uint64_t); ++i) {
    if (!round.push_back(std::byte{0})) return no_memory_for_decrypting();
  }
  EVP_MD_CTX* const hash = EVP_MD_CTX_new();
  bool done = hash && EVP_DigestInit_ex(hash, EVP_sha256(), nullptr) == 1;
  for (std::uint64_t i = 0; done && i < std::uint64_t{1} << from.rounds_log; ++i) {
    for (std::size_t k = 0; k < sizeof i; ++k) {
      round[count_at + k] = static_cast<std::byte>(i >> (8 * k));
    }
    done = EVP_DigestUpdate(hash, round.data(), round.size()) == 1;
  }
  done =
      done && EVP_DigestFinal_ex(hash, reinterpret_cast<unsigned char*>(key.data()), nullptr) == 1;
  EVP_MD_CTX_free(hash);
  if (!done) return no_memory_for_decrypting();
  return key;
}

aes_source::aes_source(byte_source& from, const aes_key& key, const aes_parameters& with,
                       std::uint64_t bytes, allocator& memory) noexcept
    : packed_(from, memory, piece_bytes), left_(bytes) {
  EVP_CIPHER_CTX* const cipher = EVP_CIPHER_CTX_new();
  cipher_ = cipher;
  if (!cipher) return;
  const bool ready =
      EVP_DecryptInit_ex(cipher, EVP_aes_256_cbc(), nullptr,
                         reinterpret_cast<const unsigned char*>(key.data()),
                         reinterpret_cast<const unsigned char*>(with.start.data())) == 1 &&
      EVP_CIPHER_CTX_set_padding(cipher, 0) == 1;
  if (!ready) {
    EVP_CIPHER_CTX_free(cipher);
    cipher_ = nullptr;
  }
}

aes_source::~aes_source() {
  EVP_CIPHER_CTX_free(static_cast<EVP_CIPHER_CTX*>(cipher_));
}

result<void> aes_source::refill() noexcept {
  const result<std::span<std::byte>> piece = packed_.next();
  if (!piece) return tl::unexpected(piece.error());
  if (piece->empty() || piece->size() % block_bytes != 0) {
    return fail(errc::corrupt, "the encrypted data is truncated");
  }
  auto* const bytes = reinterpret_cast<unsigned char*>(piece->data());
  int made = 0;
  if (EVP_DecryptUpdate(static_cast<EVP_CIPHER_CTX*>(cipher_), bytes, &made, bytes,
                        static_cast<int>(piece->size())) != 1) {
    return fail(errc::corrupt, "the encrypted data is damaged");
  }
  plain_ = piece->first(static_cast<std::size_t>(made));
  return {};
}

result<void> aes_source::read(std::span<std::byte> to, std::size_t& made) noexcept {
  made = 0;
  if (!cipher_) return no_memory_for_decrypting();
  while (made < to.size() && left_ > 0) {
    if (plain_.empty()) {
      if (result<void> done = refill(); !done) return done;
    }
    const std::size_t count = std::min<std::uint64_t>({plain_.size(), left_, to.size() - made});
    std::memcpy(to.data() + made, plain_.data(), count);
    plain_ = plain_.subspan(count);
    left_ -= count;
    made += count;
  }
  return {};
}

}  // namespace overture::archives_detail

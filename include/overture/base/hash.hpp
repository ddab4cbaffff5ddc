// SPDX-License-Identifier: Zlib
//
// 64-bit hashing, with the same result at compile time and at run time.
//
// Method: XXH64 of the xxHash family (Yann Collet) with seed 0, as specified in xxHash's
// doc/xxhash_spec.md. The tests compare it with libxxhash.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace overture {

namespace detail {

inline constexpr std::uint64_t xxh_prime_1 = 0x9E3779B185EBCA87u;
inline constexpr std::uint64_t xxh_prime_2 = 0xC2B2AE3D27D4EB4Fu;
inline constexpr std::uint64_t xxh_prime_3 = 0x165667B19E3779F9u;
inline constexpr std::uint64_t xxh_prime_4 = 0x85EBCA77C2B2AE63u;
inline constexpr std::uint64_t xxh_prime_5 = 0x27D4EB2F165667C5u;

// Little-endian loads that also work in constant expressions. memcpy, because not every compiler
// turns the loop into one instruction.
constexpr std::uint64_t load_u32(const char* p) noexcept {
  if (!std::is_constant_evaluated() && std::endian::native == std::endian::little) {
    std::uint32_t value = 0;
    std::memcpy(&value, p, sizeof value);
    return value;
  }
  std::uint64_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(p[i]);
  return value;
}
constexpr std::uint64_t load_u64(const char* p) noexcept {
  if (!std::is_constant_evaluated() && std::endian::native == std::endian::little) {
    std::uint64_t value = 0;
    std::memcpy(&value, p, sizeof value);
    return value;
  }
  return load_u32(p) | load_u32(p + 4) << 32;
}

constexpr std::uint64_t xxh_round(std::uint64_t lane, std::uint64_t input) noexcept {
  return std::rotl(lane + input * xxh_prime_2, 31) * xxh_prime_1;
}
constexpr std::uint64_t xxh_merge(std::uint64_t hash, std::uint64_t lane) noexcept {
  return (hash ^ xxh_round(0, lane)) * xxh_prime_1 + xxh_prime_4;
}

}  // namespace detail

// XXH64 of the bytes, seed 0. Collisions can be crafted, so a look-up by untrusted text must
// compare the whole text. Any thread.
[[nodiscard]] constexpr std::uint64_t hash64(std::string_view bytes) noexcept {
  using namespace detail;
  const char* p = bytes.data();
  const char* const end = p + bytes.size();
  std::uint64_t hash = xxh_prime_5;
  if (bytes.size() >= 32) {
    std::uint64_t a = xxh_prime_1 + xxh_prime_2;
    std::uint64_t b = xxh_prime_2;
    std::uint64_t c = 0;
    std::uint64_t d = std::uint64_t{0} - xxh_prime_1;
    for (; end - p >= 32; p += 32) {
      a = xxh_round(a, load_u64(p));
      b = xxh_round(b, load_u64(p + 8));
      c = xxh_round(c, load_u64(p + 16));
      d = xxh_round(d, load_u64(p + 24));
    }
    hash = std::rotl(a, 1) + std::rotl(b, 7) + std::rotl(c, 12) + std::rotl(d, 18);
    hash = xxh_merge(xxh_merge(xxh_merge(xxh_merge(hash, a), b), c), d);
  }
  hash += bytes.size();
  for (; end - p >= 8; p += 8) {
    hash = std::rotl(hash ^ xxh_round(0, load_u64(p)), 27) * xxh_prime_1 + xxh_prime_4;
  }
  if (end - p >= 4) {
    hash = std::rotl(hash ^ load_u32(p) * xxh_prime_1, 23) * xxh_prime_2 + xxh_prime_3;
    p += 4;
  }
  for (; p != end; ++p) {
    hash = std::rotl(hash ^ static_cast<unsigned char>(*p) * xxh_prime_5, 11) * xxh_prime_1;
  }
  hash = (hash ^ hash >> 33) * xxh_prime_2;
  hash = (hash ^ hash >> 29) * xxh_prime_3;
  return hash ^ hash >> 32;
}

}  // namespace overture

// SPDX-License-Identifier: Zlib
//
// Compares texts of the usual length of paths for equality. memcmp() is a call and also determines
// the order; that would be a fifth of a cached look-up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "overture/base/detail/simd.hpp"

namespace overture::vfs_detail {

#if defined(OVERTURE_SSE2)
// Compares blocks of 16 bytes, with one test for all.
class equal_blocks {
 public:
  equal_blocks(const char* a, const char* b) noexcept : a_(a), b_(b) {}
  void look_at(std::size_t at) noexcept {
    equal_ = _mm_and_si128(equal_, _mm_cmpeq_epi8(block(a_ + at), block(b_ + at)));
  }
  [[nodiscard]] bool all() const noexcept { return _mm_movemask_epi8(equal_) == 0xFFFF; }

 private:
  static __m128i block(const char* at) noexcept {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  }
  const char* a_;
  const char* b_;
  __m128i equal_ = _mm_set1_epi8(-1);
};
#elif defined(OVERTURE_NEON)
class equal_blocks {
 public:
  equal_blocks(const char* a, const char* b) noexcept : a_(a), b_(b) {}
  void look_at(std::size_t at) noexcept {
    equal_ = vandq_u8(equal_, vceqq_u8(block(a_ + at), block(b_ + at)));
  }
  [[nodiscard]] bool all() const noexcept { return vminvq_u8(equal_) == 0xFF; }

 private:
  static uint8x16_t block(const char* at) noexcept {
    return vld1q_u8(reinterpret_cast<const std::uint8_t*>(at));
  }
  const char* a_;
  const char* b_;
  uint8x16_t equal_ = vdupq_n_u8(0xFF);
};
#else
class equal_blocks {
 public:
  equal_blocks(const char* a, const char* b) noexcept : a_(a), b_(b) {}
  void look_at(std::size_t at) noexcept { differs_ |= word(at) | word(at + 8); }
  [[nodiscard]] bool all() const noexcept { return differs_ == 0; }

 private:
  [[nodiscard]] std::uint64_t word(std::size_t at) const noexcept {
    std::uint64_t of_a = 0;
    std::uint64_t of_b = 0;
    std::memcpy(&of_a, a_ + at, sizeof of_a);
    std::memcpy(&of_b, b_ + at, sizeof of_b);
    return of_a ^ of_b;
  }
  const char* a_;
  const char* b_;
  std::uint64_t differs_ = 0;
};
#endif

// Whether two texts are equal and 16 to 64 bytes long, as most paths are. Blocks at the front and
// at the end overlap, so only the length is branched on.
[[nodiscard, gnu::always_inline]] inline bool same_usual_text(std::string_view a,
                                                              std::string_view b) noexcept {
  const std::size_t length = b.size();
  if (a.size() != length || length < 16 || length > 64) return false;
  equal_blocks both(&a[0], &b[0]);
  both.look_at(0);
  both.look_at(length - 16);
  if (length > 32) {
    both.look_at(16);
    both.look_at(length - 32);
  }
  return both.all();
}

// The same for any length.
[[nodiscard]] inline bool same_text(std::string_view a, std::string_view b) noexcept {
  if (b.size() >= 16 && b.size() <= 64) return same_usual_text(a, b);
  return a == b;
}

}  // namespace overture::vfs_detail

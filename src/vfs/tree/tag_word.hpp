// SPDX-License-Identifier: Zlib
//
// Tags of up to seven paths in one word, compared all at once: a branch for each would often be
// mispredicted.
//
// A tag is seven bits of a path's id, which few other paths share, and a bit that is set; an empty
// slot is 0. The eighth byte says whether there are more paths elsewhere.
//
// Source of the method: finding a byte in a word (Henry S. Warren, "Hacker's Delight", 6-1).
#pragma once

#include <bit>
#include <cstdint>

#include "overture/base/detail/simd.hpp"
#include "overture/base/path.hpp"

namespace overture::vfs_detail {

class tag_word {
 public:
  static constexpr std::uint32_t slots = 7;

  // The first slot where this id may be, or `slots`.
  [[nodiscard]] std::uint32_t likely_slot(path_id id) const noexcept {
    return static_cast<std::uint32_t>(std::countr_zero(candidates(id) | 1u << slots));
  }
  // Calls `is` with each slot where this id may be, until it returns true. Returns that slot, or
  // `slots`.
  template <class Is>
  [[nodiscard]] std::uint32_t find(path_id id, Is is) const noexcept {
    constexpr std::uint32_t all = (1u << slots) - 1;
    for (std::uint32_t left = candidates(id) & all; left != 0; left &= left - 1) {
      const auto slot = static_cast<std::uint32_t>(std::countr_zero(left));
      if (is(slot)) return slot;
    }
    return slots;
  }
  // The first empty slot, or `slots`. Slots are filled from the front.
  [[nodiscard]] std::uint32_t first_empty() const noexcept {
    return static_cast<std::uint32_t>(std::popcount(word_ & each_byte << 7));
  }
  void set(std::uint32_t slot, path_id id) noexcept {
    word_ = (word_ & ~(std::uint64_t{0xFF} << 8 * slot)) | tag_of(id) << 8 * slot;
  }
  // Empties a slot, fills the gap from the last used slot, and returns the latter.
  std::uint32_t take_out(std::uint32_t slot) noexcept {
    const std::uint32_t last = first_empty() - 1;
    const std::uint64_t moved = word_ >> 8 * last & 0xFF;
    word_ = (word_ & ~(std::uint64_t{0xFF} << 8 * slot)) | moved << 8 * slot;
    word_ &= ~(std::uint64_t{0xFF} << 8 * last);
    return last;
  }
  [[nodiscard]] bool more() const noexcept { return word_ >> 56 != 0; }
  void set_more(bool more) noexcept {
    word_ = (word_ & ~(std::uint64_t{0xFF} << 56)) | std::uint64_t{more} << 56;
  }

 private:
  static constexpr std::uint64_t each_byte = 0x0101010101010101u;

  // A bit for each slot that may have the id's tag; bits above those of the slots are arbitrary.
  // The lowest bit is always right.
  [[nodiscard]] std::uint32_t candidates(path_id id) const noexcept {
    const std::uint64_t tags = each_byte * tag_of(id);
#if defined(OVERTURE_SSE2)
    const __m128i equal = _mm_cmpeq_epi8(_mm_cvtsi64_si128(static_cast<long long>(word_)),
                                         _mm_cvtsi64_si128(static_cast<long long>(tags)));
    return static_cast<std::uint32_t>(_mm_movemask_epi8(equal));
#elif defined(OVERTURE_NEON)
    const uint8x8_t equal = vceq_u8(vcreate_u8(word_), vcreate_u8(tags));
    return vaddv_u8(vand_u8(equal, vcreate_u8(0x8040201008040201u)));
#else
    // Bits after the first may be false positives.
    const std::uint64_t differs = word_ ^ tags;
    const std::uint64_t highest = (differs - each_byte) & ~differs & each_byte << 7;
    return static_cast<std::uint32_t>((highest >> 7) * 0x0102040810204080u >> 56);
#endif
  }
  static std::uint64_t tag_of(path_id id) noexcept { return 0x80 | (id.value & 0x7F); }

  std::uint64_t word_ = 0;
};
static_assert(sizeof(tag_word) == 8);

}  // namespace overture::vfs_detail

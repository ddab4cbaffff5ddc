// Whether two texts of one length are equal, for texts as long as paths are. memcmp() is a call,
// and finds out which is less; that is a fifth of a look-up in the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace overture::vfs {

// What differs in eight bytes of both.
[[nodiscard]] inline std::uint64_t difference(const char* a, const char* b,
                                              std::size_t at) noexcept {
  std::uint64_t of_a = 0;
  std::uint64_t of_b = 0;
  std::memcpy(&of_a, a + at, sizeof of_a);
  std::memcpy(&of_b, b + at, sizeof of_b);
  return of_a ^ of_b;
}

// Those that few paths are as long as.
[[nodiscard, gnu::noinline]] inline bool same_odd_text(const char* a, const char* b,
                                                       std::size_t length) noexcept {
  return length == 0 || std::memcmp(a, b, length) == 0;  // the root may be a null pointer
}

// Whether a text of this length is there. The words at the front and those at the end overlap, so
// that only the size is branched on.
[[nodiscard, gnu::always_inline]] inline bool same_text(const char* a,
                                                        std::string_view text) noexcept {
  const char* const b = text.data();
  const std::size_t length = text.size();
  const auto pair = [=](std::size_t at) { return difference(a, b, at) | difference(a, b, at + 8); };
  if (length < 16 || length > 64) return same_odd_text(a, b, length);
  const std::uint64_t ends = pair(0) | pair(length - 16);
  return (length <= 32 ? ends : ends | pair(16) | pair(length - 32)) == 0;
}

}  // namespace overture::vfs

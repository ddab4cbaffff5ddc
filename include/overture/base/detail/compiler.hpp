// SPDX-License-Identifier: Zlib
//
// Where compilers and processors differ. All else, besides the files that are named after a system,
// is standard C++20.
//
// The CMake option OVERTURE_PORTABLE leaves out everything that is not standard here, as on a
// compiler that has none of it: its plain twins are built, and tested, in its place.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#if !defined(OVERTURE_PORTABLE)
#if defined(__GNUC__)
#define OVERTURE_GNU 1
#endif
#if defined(__SSE2__) || defined(_M_X64)
#define OVERTURE_SSE2 1
#elif defined(__aarch64__) && defined(__ARM_NEON)
#define OVERTURE_NEON 1
#endif
#endif

namespace overture::detail {

// What two threads write to lies this far apart. Some 64-bit Arm processors, Apple's among them,
// have lines of 128 bytes.
#if defined(__aarch64__) && defined(__APPLE__)
inline constexpr std::size_t line_bytes = 128;
#else
inline constexpr std::size_t line_bytes = 64;
#endif

// Gives way to the other thread of the core for a moment. On Arm `yield` does nothing on most
// processors; `isb` takes about as long as `pause` on x86-64.
inline void pause() noexcept {
#if defined(OVERTURE_GNU) && defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(OVERTURE_GNU) && defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

// Tells the compiler that control never comes here.
[[noreturn]] inline void unreachable() noexcept {
#if defined(OVERTURE_GNU)
  __builtin_unreachable();
#else
  for (;;) {
  }
#endif
}

// Where the lowest set bit is. bits != 0: std::countr_zero() tests for that.
[[nodiscard]] inline unsigned lowest_bit(std::uint64_t bits) noexcept {
#if defined(OVERTURE_GNU)
  return static_cast<unsigned>(__builtin_ctzll(bits));
#else
  return static_cast<unsigned>(std::countr_zero(bits));
#endif
}

// a * b; false if that does not fit.
[[nodiscard]] inline bool multiply(std::size_t a, std::size_t b, std::size_t& product) noexcept {
#if defined(OVERTURE_GNU)
  return !__builtin_mul_overflow(a, b, &product);
#else
  product = a * b;
  return b == 0 || a <= std::numeric_limits<std::size_t>::max() / b;
#endif
}

// Makes the compiler forget what it knows of a value.
template <class T>
inline void forget(T& value) noexcept {
#if defined(OVERTURE_GNU)
  asm volatile("" : "+r"(value));
#else
  (void)value;
#endif
}

#if defined(OVERTURE_GNU) && defined(__SIZEOF_INT128__)
__extension__ using uint128 = unsigned __int128;
#else
// As much of such a number as Overture needs.
struct uint128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  constexpr uint128() noexcept = default;
  constexpr explicit(false) uint128(std::uint64_t value) noexcept : low(value) {}
  constexpr uint128(std::uint64_t top, std::uint64_t rest) noexcept : low(rest), high(top) {}
  constexpr explicit operator std::uint64_t() const noexcept { return low; }

  friend constexpr auto operator<=>(const uint128& a, const uint128& b) noexcept {
    return a.high != b.high ? a.high <=> b.high : a.low <=> b.low;
  }
  friend constexpr bool operator==(const uint128&, const uint128&) noexcept = default;
  friend constexpr uint128 operator+(const uint128& a, const uint128& b) noexcept {
    const std::uint64_t sum = a.low + b.low;
    return {a.high + b.high + (sum < a.low ? 1 : 0), sum};
  }
  friend constexpr uint128 operator-(const uint128& a, const uint128& b) noexcept {
    return {a.high - b.high - (a.low < b.low ? 1 : 0), a.low - b.low};
  }
  friend constexpr uint128 operator&(const uint128& a, const uint128& b) noexcept {
    return {a.high & b.high, a.low & b.low};
  }
  // 0 <= by < 128.
  friend constexpr uint128 operator<<(const uint128& a, int by) noexcept {
    if (by == 0) return a;
    if (by >= 64) return {a.low << (by - 64), 0};
    return {a.high << by | a.low >> (64 - by), a.low << by};
  }
  friend constexpr uint128 operator>>(const uint128& a, int by) noexcept {
    if (by == 0) return a;
    if (by >= 64) return {0, a.high >> (by - 64)};
    return {a.high >> by, a.low >> by | a.high << (64 - by)};
  }
  // By halves, as on paper.
  friend constexpr uint128 operator*(const uint128& a, const uint128& b) noexcept {
    constexpr std::uint64_t half = 0xFFFF'FFFF;
    const std::uint64_t bottom = (a.low & half) * (b.low & half);
    const std::uint64_t cross_a = (a.low >> 32) * (b.low & half) + (bottom >> 32);
    const std::uint64_t cross_b = (a.low & half) * (b.low >> 32) + (cross_a & half);
    const std::uint64_t top = (a.low >> 32) * (b.low >> 32) + (cross_a >> 32) + (cross_b >> 32);
    return {top + a.high * b.low + a.low * b.high, cross_b << 32 | (bottom & half)};
  }
};
#endif

}  // namespace overture::detail

// SPDX-License-Identifier: Zlib
#include "loaders/images/convert.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace overture::loaders {

namespace {

// Fine enough that the next value is right or the one after it.
constexpr std::size_t steps = 4096;

// Of IEC 61966-2-1.
struct srgb_tables {
  std::array<float, 256> light{};
  std::array<float, 257> least{};              // the least light that is nearest to a value
  std::array<std::uint8_t, steps + 1> near{};  // a value at or below that of a light
  std::array<float, 256> part{};               // of 255

  srgb_tables() noexcept {
    for (unsigned i = 0; i < 256; ++i) {
      light[i] = light_at(i);
      least[i] = i == 0 ? 0 : light_at(i - 0.5);
      part[i] = static_cast<float>(i) / 255;
    }
    least[256] = 2;
    std::size_t value = 0;
    for (std::size_t i = 0; i <= steps; ++i) {
      while (least[value + 1] <= static_cast<float>(i) / steps) ++value;
      near[i] = static_cast<std::uint8_t>(value);
    }
  }
  static float light_at(double value) noexcept {
    const double c = value / 255;
    return static_cast<float>(c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
  }
};

const srgb_tables& tables() noexcept {
  static const srgb_tables made;
  return made;
}

std::uint8_t nearest(const srgb_tables& all, float light) noexcept {
  const float bounded = std::clamp(light, 0.0F, 1.0F);
  std::size_t value = all.near[static_cast<std::size_t>(bounded * steps)];
  value += bounded >= all.least[value + 1] ? 1 : 0;
  return static_cast<std::uint8_t>(value);
}

std::uint8_t rounded(float part) noexcept {
  const auto halves = static_cast<std::uint32_t>(std::clamp(part, 0.0F, 1.0F) * 510);
  return static_cast<std::uint8_t>((halves + 1) / 2);
}

std::uint8_t multiplied(std::uint32_t colour, std::uint32_t alpha) noexcept {
  return static_cast<std::uint8_t>((colour * alpha + 127) / 255);
}

// Blocks of a fixed size, which compilers turn into vectors.
void swap_red_and_blue(const std::byte* from, std::byte* to, std::size_t pixels) noexcept {
  constexpr std::size_t block = 8;
  const auto swapped = [](std::uint32_t pixel) {
    constexpr bool little = std::endian::native == std::endian::little;
    constexpr std::uint32_t stays = little ? 0xFF00FF00 : 0x00FF00FF;
    constexpr std::uint32_t low = little ? 0xFF : 0xFF00;
    return (pixel & stays) | (pixel >> 16 & low) | (pixel & low) << 16;
  };
  std::uint32_t some[block];
  for (; pixels >= block; pixels -= block, from += sizeof some, to += sizeof some) {
    std::memcpy(some, from, sizeof some);
    for (std::uint32_t& each : some) each = swapped(each);
    std::memcpy(to, some, sizeof some);
  }
  for (; pixels > 0; --pixels, from += 4, to += 4) {
    std::memcpy(some, from, 4);
    some[0] = swapped(some[0]);
    std::memcpy(to, some, 4);
  }
}

void reorder_row(const std::byte* from, std::byte* to, std::size_t pixels,
                 pixel_order order) noexcept {
  if (order == pixel_order::bgra) {
    swap_red_and_blue(from, to, pixels);
  } else {
    std::memcpy(to, from, pixels * 4);
  }
}

using four_bytes = std::array<std::uint8_t, 4>;

void put(std::byte* to, const four_bytes& pixel, pixel_order order) noexcept {
  const four_bytes ordered =
      order == pixel_order::bgra ? four_bytes{pixel[2], pixel[1], pixel[0], pixel[3]} : pixel;
  std::memcpy(to, ordered.data(), ordered.size());
}

}  // namespace

float light_of(std::uint8_t srgb) noexcept {
  return tables().light[srgb];
}

std::uint8_t srgb_of(float light) noexcept {
  return nearest(tables(), light);
}

void convert_row(const std::byte* from, std::byte* to, std::size_t pixels,
                 const conversion& how) noexcept {
  if (!how.premultiplied) return reorder_row(from, to, pixels, how.order);
  const srgb_tables& all = tables();
  for (std::size_t i = 0; i < pixels;) {
    std::size_t opaque = i;
    while (opaque < pixels && from[opaque * 4 + 3] == std::byte{255}) ++opaque;
    reorder_row(from + i * 4, to + i * 4, opaque - i, how.order);
    i = opaque;
    if (i == pixels) return;
    four_bytes pixel;
    std::memcpy(pixel.data(), from + i * 4, pixel.size());
    for (std::size_t c = 0; c < 3; ++c) {
      pixel[c] = how.srgb ? nearest(all, all.light[pixel[c]] * all.part[pixel[3]])
                          : multiplied(pixel[c], pixel[3]);
    }
    put(to + i * 4, pixel, how.order);
    ++i;
  }
}

void to_light(const std::byte* from, float* to, std::size_t pixels, bool srgb) noexcept {
  const srgb_tables& all = tables();
  const std::array<float, 256>& colours = srgb ? all.light : all.part;
  for (std::size_t i = 0; i < pixels; ++i, from += 4, to += 4) {
    const float alpha = all.part[std::to_integer<std::size_t>(from[3])];
    for (std::size_t c = 0; c < 3; ++c) {
      to[c] = colours[std::to_integer<std::size_t>(from[c])] * alpha;
    }
    to[3] = alpha;
  }
}

void from_light(const float* from, std::byte* to, std::size_t pixels,
                const conversion& how) noexcept {
  const srgb_tables& all = tables();
  for (std::size_t i = 0; i < pixels; ++i, from += 4, to += 4) {
    const float alpha = from[3];
    const float scale = how.premultiplied ? 1 : alpha > 0 ? 1 / alpha : 0;
    four_bytes pixel;
    for (std::size_t c = 0; c < 3; ++c) {
      pixel[c] = how.srgb ? nearest(all, from[c] * scale) : rounded(from[c] * scale);
    }
    pixel[3] = rounded(alpha);
    put(to, pixel, how.order);
  }
}

}  // namespace overture::loaders

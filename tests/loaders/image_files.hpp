// SPDX-License-Identifier: Zlib
//
// Image files, and memory for images, for the tests of loaders.
#pragma once

#include <gtest/gtest.h>
#include <spng.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "decoders/damage.hpp"
#include "overture/loaders/image_loader.hpp"

namespace overture::test {

// RGBA.
inline bytes make_png(std::uint32_t width, std::uint32_t height,
                      const std::vector<unsigned char>& pixels, bool interlaced = false) {
  const std::unique_ptr<spng_ctx, void (*)(spng_ctx*)> context(spng_ctx_new(SPNG_CTX_ENCODER),
                                                               spng_ctx_free);
  spng_set_option(context.get(), SPNG_ENCODE_TO_BUFFER, 1);
  spng_ihdr header{width, height, 8, SPNG_COLOR_TYPE_TRUECOLOR_ALPHA, 0, 0, {}};
  header.interlace_method = interlaced ? 1 : 0;
  spng_set_ihdr(context.get(), &header);
  EXPECT_EQ(spng_encode_image(context.get(), pixels.data(), pixels.size(), SPNG_FMT_PNG,
                              SPNG_ENCODE_FINALIZE),
            0);
  std::size_t size = 0;
  int failed = 0;
  void* const encoded = spng_get_png_buffer(context.get(), &size, &failed);
  bytes png(size);
  std::memcpy(png.data(), encoded, size);
  std::free(encoded);  // NOLINT(cppcoreguidelines-no-malloc): libspng gives it away so
  return png;
}

// An uncompressed image of BGRA, which is decoded at once.
inline bytes make_tga(std::uint32_t width, std::uint32_t height,
                      const std::vector<unsigned char>& rgba) {
  byte_writer out;
  out.u8(0).u8(0).u8(2).u16(0).u16(0).u8(0).u16(0).u16(0).u16(width).u16(height).u8(32).u8(0x28);
  for (std::size_t i = 0; i < rgba.size(); i += 4) {
    out.u8(rgba[i + 2]).u8(rgba[i + 1]).u8(rgba[i]).u8(rgba[i + 3]);
  }
  return out.content;
}

// Memory of a host: of `size` bytes, or of what is asked for, filled with 0xEE.
class host_memory final : public loaders::image_memory {
 public:
  result<std::span<std::byte>> take(const asset_path& path,
                                    loaders::image_layout& layout) noexcept override {
    const std::lock_guard hold(lock_);
    ++taken;
    asked_for = std::string(path.text);
    if (refuses) return fail(errc::no_space, "the upload heap is full");
    if (change) change(layout);
    memory.assign(size != SIZE_MAX ? size : layout.bytes, std::byte{0xEE});
    return std::span(memory);
  }
  void give_back(std::span<std::byte> given) noexcept override {
    const std::lock_guard hold(lock_);
    EXPECT_EQ(given.data(), memory.data());
    EXPECT_EQ(given.size(), memory.size());
    ++given_back;
  }

  std::size_t size = SIZE_MAX;
  bool refuses = false;
  std::function<void(loaders::image_layout&)> change;
  bytes memory;
  std::string asked_for;
  int taken = 0;
  int given_back = 0;

 private:
  std::mutex lock_;
};

// The pixels of a level, without padding.
inline std::vector<unsigned> pixels_of(const loaders::image& image, std::uint32_t level = 0) {
  std::vector<unsigned> all;
  const loaders::image_level& at = image.layout().level[level];
  for (std::uint32_t y = 0; y < at.height; ++y) {
    const std::byte* const row = image.row(level, y);
    for (std::size_t i = 0; i < std::size_t{at.width} * 4; ++i) {
      all.push_back(std::to_integer<unsigned>(row[i]));
    }
  }
  return all;
}

}  // namespace overture::test

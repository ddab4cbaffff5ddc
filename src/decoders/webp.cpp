// SPDX-License-Identifier: Zlib
//
// WebP images, through libwebp.
#include <webp/decode.h>

#include <algorithm>

#include "base/limit_text.hpp"
#include "decoders/library_memory.hpp"
#include "decoders/pixel.hpp"
#include "decoders/signature.hpp"
#include "decoders/table.hpp"

namespace overture::decoders_detail {

namespace {

const std::uint8_t* data_of(std::span<const std::byte> bytes) noexcept {
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

tl::unexpected<error> refused_webp(VP8StatusCode code) noexcept {
  switch (code) {
    case VP8_STATUS_OUT_OF_MEMORY:
      return fail(errc::out_of_memory, "out of memory for decoding the WebP file");
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      return fail(errc::unsupported, "unsupported WebP variant");
    case VP8_STATUS_NOT_ENOUGH_DATA:
    case VP8_STATUS_SUSPENDED:
      return fail(errc::corrupt, "the WebP file is truncated");
    default:
      return fail(errc::corrupt, "the WebP file is damaged");
  }
}

class webp final : public decoder {
 public:
  const char* name() const noexcept override { return "webp"; }

  bool accepts(std::string_view path, std::span<const std::byte> bytes) const noexcept override {
    return is_file_of(file_format::webp, path, bytes);
  }

  result<decoded_asset> decode(std::span<const std::byte> bytes, allocator& memory,
                               parallel_runner&) const noexcept override {
    WebPDecoderConfig config;
    if (WebPInitDecoderConfig(&config) == 0) {
      return fail(errc::unsupported, "libwebp is of another version than its headers");
    }
    VP8StatusCode code = WebPGetFeatures(data_of(bytes), bytes.size(), &config.input);
    if (code != VP8_STATUS_OK) return refused_webp(code);
    if (config.input.has_animation != 0) {
      return fail(errc::unsupported, "animated WebP files are not supported");
    }
    const auto width = static_cast<std::uint32_t>(config.input.width);
    const auto height = static_cast<std::uint32_t>(config.input.height);
    result<decoded_asset> image = make_image(width, height, bytes.size(), memory);
    if (!image) return image;
    // Without the groups of codes, of which few files have many.
    const library_memory room(image->bytes().size());
    if (!room) return refused_webp(VP8_STATUS_OUT_OF_MEMORY);
    config.output.colorspace = MODE_RGBA;
    config.output.is_external_memory = 1;
    config.output.u.RGBA = {reinterpret_cast<std::uint8_t*>(image->bytes().data()),
                            static_cast<int>(width * sizeof(pixel)), image->bytes().size()};
    code = WebPDecode(data_of(bytes), bytes.size(), &config);
    WebPFreeDecBuffer(&config.output);
    if (code != VP8_STATUS_OK) return refused_webp(code);
    return image;
  }

  // A lossless file is unpacked beside the image, with a table for each group of codes: there may
  // be one for each 4 x 4 pixels, and each takes at least 20 bits of the file.
  std::uint64_t memory_needed(std::span<const std::byte> bytes) const noexcept override {
    WebPBitstreamFeatures features;
    if (WebPGetFeatures(data_of(bytes), bytes.size(), &features) != VP8_STATUS_OK) return 0;
    const std::uint64_t pixels =
        static_cast<std::uint64_t>(features.width) * static_cast<std::uint64_t>(features.height);
    constexpr std::uint64_t lossless = 2;
    constexpr std::uint64_t group_bytes = 12u << 10;
    constexpr std::uint64_t groups_max = 65'536;
    const std::uint64_t groups =
        features.format == lossless
            ? std::min({groups_max, pixels / 16 + 1, std::uint64_t{bytes.size()} * 8 / 20 + 1})
            : 0;
    return pixels * sizeof(pixel) * 2 + (1u << 20) + groups * group_bytes;
  }
};

}  // namespace

const decoder* webp_decoder() noexcept {
  static const webp instance;
  return &instance;
}

}  // namespace overture::decoders_detail

// SPDX-License-Identifier: Zlib
//
// PNG images, through libspng.
#include <spng.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "base/big_endian.hpp"
#include "base/limit_text.hpp"
#include "decoders/image_size.hpp"
#include "decoders/signature.hpp"
#include "decoders/table.hpp"
#include "overture/base/limits.hpp"

namespace overture::decoders_detail {
using namespace base_detail;

namespace {

struct free_context {
  void operator()(spng_ctx* context) const noexcept { spng_ctx_free(context); }
};

constexpr std::size_t chunk_bytes_max = 64u << 20;
constexpr const char* chunk_limit_text = "a chunk of the PNG file is larger than 64 MiB";

tl::unexpected<error> refused_png(int code) {
  switch (code) {
    case SPNG_EMEM:
      return fail(errc::out_of_memory, "out of memory for decoding the PNG file");
    case SPNG_EUSER_WIDTH:
    case SPNG_EUSER_HEIGHT:
      return fail(errc::limit, limit_text::image_side);
    case SPNG_ECHUNK_LIMITS:
      return fail(errc::limit, chunk_limit_text);
    case SPNG_ESIGNATURE:
      return fail(errc::corrupt, "not a PNG file");
    case SPNG_IO_EOF:
    case SPNG_EIDAT_TOO_SHORT:
      return fail(errc::corrupt, "the PNG file is truncated");
    case SPNG_ECHUNK_CRC:
      return fail(errc::corrupt, "a chunk of the PNG file does not match its checksum");
    default:
      return fail(errc::corrupt, spng_strerror(code));
  }
}

class png final : public decoder {
 public:
  const char* name() const noexcept override { return "png"; }

  bool accepts(std::string_view path, std::span<const std::byte> bytes) const noexcept override {
    return is_file_of(file_format::png, path, bytes);
  }

  result<decoded_asset> decode(std::span<const std::byte> bytes, allocator& memory,
                               parallel_runner&) const noexcept override {
    // Checksums of critical chunks are verified; damage in chunks that affect no pixel (comments,
    // times) does not fail the image.
    if (bytes.empty()) return refused_png(SPNG_IO_EOF);  // libspng takes no null pointer
    const std::unique_ptr<spng_ctx, free_context> context(spng_ctx_new(0));
    if (!context) return refused_png(SPNG_EMEM);
    (void)spng_set_image_limits(context.get(), limits::image_side_max, limits::image_side_max);
    (void)spng_set_chunk_limits(context.get(), chunk_bytes_max, chunk_bytes_max);
    if (const int code = spng_set_png_buffer(context.get(), bytes.data(), bytes.size())) {
      return refused_png(code);
    }
    spng_ihdr header{};
    if (const int code = spng_get_ihdr(context.get(), &header)) return refused_png(code);
    std::size_t size = 0;
    if (const int code = spng_decoded_image_size(context.get(), SPNG_FMT_RGBA8, &size)) {
      return refused_png(code);
    }
    if (const char* lie = implausible(header, bytes.size())) return fail(errc::corrupt, lie);
    const result<void> checked = check_image_size(header.width, header.height, size, bytes.size());
    if (!checked) return tl::unexpected<error>(checked.error());

    result<decoded_asset> image = decoded_asset::make(asset_kind::image, size, memory);
    if (!image) return image;
    if (const int code = spng_decode_image(context.get(), image->bytes().data(), size,
                                           SPNG_FMT_RGBA8, SPNG_DECODE_TRNS)) {
      return refused_png(code);
    }
    image->width = header.width;
    image->height = header.height;
    return image;
  }

  // libspng keeps a few rows, and the profiles and texts in front of the pixels.
  std::uint64_t memory_needed(std::span<const std::byte> bytes) const noexcept override {
    constexpr std::size_t header_end = 33;  // the signature and the first chunk
    if (bytes.size() < header_end) return 0;
    const std::uint64_t width = load_u32_big(bytes.data() + 16);
    const std::uint64_t height = load_u32_big(bytes.data() + 20);
    if (width > limits::image_side_max || height > limits::image_side_max) return 0;
    std::uint64_t unpacked = 0;
    for (std::uint64_t at = header_end; bytes.size() - at >= 12;) {
      const std::uint64_t size = load_u32_big(bytes.data() + at);
      const std::string_view kind(reinterpret_cast<const char*>(bytes.data() + at + 4), 4);
      if (kind == "IDAT" || size > bytes.size() - at - 12) break;
      if (kind == "iCCP" || kind == "zTXt" || kind == "iTXt") {
        unpacked += size * limits::deflate_ratio_max;
      }
      at += 12 + size;
    }
    constexpr std::uint64_t row_count = 4;
    return width * height * 4 + row_count * width * 8 +
           std::min<std::uint64_t>(unpacked, chunk_bytes_max);
  }

 private:
  // Keeps a tiny file from claiming a huge image and the memory for it: DEFLATE has a maximum
  // ratio.
  static const char* implausible(const spng_ihdr& header, std::size_t file_bytes) noexcept {
    static constexpr unsigned channels_by_color_type[7] = {1, 0, 3, 1, 2, 0, 4};
    const unsigned channels = header.color_type < 7 ? channels_by_color_type[header.color_type] : 0;
    const std::uint64_t packed_rows =
        std::uint64_t{header.width} * header.height * channels * header.bit_depth / 8;
    return packed_rows / limits::deflate_ratio_max > file_bytes
               ? "PNG file too small for its image size"
               : nullptr;
  }
};

}  // namespace

const decoder& png_decoder() noexcept {
  static const png instance;
  return instance;
}

}  // namespace overture::decoders_detail

// SPDX-License-Identifier: Zlib
//
// PNG images, through libspng.
#include <libdeflate.h>
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
constexpr std::size_t signature_bytes = 8;
constexpr std::size_t header_end = 33;      // the signature and the first chunk
constexpr std::size_t chunk_overhead = 12;  // its size, kind and checksum
constexpr const char* chunk_limit_text = "a chunk of the PNG file is larger than 64 MiB";

constexpr const char* damaged_chunk = "a chunk of the PNG file does not match its checksum";
constexpr const char* unused_transparency =
    "a transparency chunk (tRNS) of the PNG file is not used: it has the wrong length or place";
constexpr const char* no_end = "the PNG file ends before its end chunk (IEND)";
constexpr const char* changed_by_xcode =
    "changed by Xcode for iOS (CgBI), which only Apple's systems read; take the original PNG, or "
    "change it back with 'pngcrush -revert-iphone-optimizations'";

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
      return fail(errc::corrupt, damaged_chunk);
    default:
      return fail(errc::corrupt, spng_strerror(code));
  }
}

struct png_chunk {
  std::size_t at = 0;
  std::string_view kind;
  std::span<const std::byte> data;
  std::uint32_t checksum = 0;

  [[nodiscard]] bool is_damaged() const noexcept {
    return libdeflate_crc32(0, kind.data(), kind.size() + data.size()) != checksum;
  }
};

// Calls `act` for each whole chunk until it returns false.
template <class Act>
void for_each_chunk(std::span<const std::byte> bytes, Act act) noexcept {
  for (std::size_t at = signature_bytes; bytes.size() - at >= chunk_overhead;) {
    const std::uint64_t size = load_u32_big(bytes.data() + at);
    if (size > bytes.size() - at - chunk_overhead) return;
    const std::byte* const kind = bytes.data() + at + 4;
    const png_chunk chunk{at,
                          {reinterpret_cast<const char*>(kind), 4},
                          bytes.subspan(at + 8, size),
                          load_u32_big(kind + 4 + size)};
    if (!act(chunk)) return;
    at += chunk_overhead + size;
  }
}

// What libspng lets pass, though it changes pixels: it takes no notice of a tRNS that is damaged or
// does not fit, and does not look at the checksum of the pixels if it needs no more of them.
// Returns a warning, or null.
result<const char*> check_chunks(std::span<const std::byte> bytes, unsigned color_type) noexcept {
  std::size_t bytes_of_palette = 0;
  bool has_pixels = false;
  bool has_transparency = false;
  bool has_end = false;
  const char* warning = nullptr;
  std::size_t damaged = 0;
  for_each_chunk(bytes, [&](const png_chunk& chunk) {
    const bool is_transparency = chunk.kind == "tRNS";
    has_end = chunk.kind == "IEND";
    if (has_end) return false;
    if ((is_transparency || chunk.kind == "IDAT") && chunk.is_damaged()) {
      damaged = chunk.at;
      return false;
    }
    if (chunk.kind == "IDAT") has_pixels = true;
    if (chunk.kind == "PLTE") bytes_of_palette = chunk.data.size();
    if (is_transparency) {
      const std::size_t size = chunk.data.size();
      const bool fits = color_type == SPNG_COLOR_TYPE_GRAYSCALE   ? size == 2
                        : color_type == SPNG_COLOR_TYPE_TRUECOLOR ? size == 6
                        : color_type == SPNG_COLOR_TYPE_INDEXED
                            ? size > 0 && size <= bytes_of_palette / 3
                            : false;
      if (!fits || has_pixels || has_transparency) warning = unused_transparency;
      has_transparency = true;
    }
    return true;
  });
  if (damaged != 0) return fail(errc::corrupt, damaged_chunk, {}, damaged);
  return warning == nullptr && !has_end ? no_end : warning;
}

class png final : public decoder {
 public:
  const char* name() const noexcept override { return "png"; }

  bool accepts(std::string_view path, std::span<const std::byte> bytes) const noexcept override {
    return is_file_of(file_format::png, path, bytes);
  }

  result<decoded_asset> decode(std::span<const std::byte> bytes, allocator& memory,
                               parallel_runner&) const noexcept override {
    const result<opened_file> file = open(bytes);
    if (!file) return tl::unexpected<error>(file.error());
    result<decoded_asset> image = decoded_asset::make(asset_kind::image, file->size, memory);
    if (!image) return image;
    if (const int code = spng_decode_image(file->context.get(), image->bytes().data(), file->size,
                                           SPNG_FMT_RGBA8, SPNG_DECODE_TRNS)) {
      return refused_png(code);
    }
    file->describe(*image);
    return image;
  }

  result<decoded_asset> decode_rows(std::span<const std::byte> bytes, row_sink& rows,
                                    allocator& memory) const noexcept override {
    const result<opened_file> file = open(bytes);
    if (!file) return tl::unexpected<error>(file.error());
    // The passes of interlaced images go over all rows.
    if (file->header.interlace_method != SPNG_INTERLACE_NONE) {
      return copy_rows(decode(bytes, memory, serial_runner()), rows, memory);
    }
    result<decoded_asset> image = decoded_asset::make(asset_kind::image, 0, memory);
    if (!image) return image;
    file->describe(*image);
    if (const result<pixel_order> order = rows.begin(*image, false); !order) {
      return tl::unexpected<error>(order.error());
    }
    int code = spng_decode_image(file->context.get(), nullptr, 0, SPNG_FMT_RGBA8,
                                 SPNG_DECODE_TRNS | SPNG_DECODE_PROGRESSIVE);
    for (std::uint32_t y = 0; y < image->height && code == 0; ++y) {
      code = spng_decode_row(file->context.get(), rows.row(y), std::size_t{image->width} * 4);
      if (code == 0 || code == SPNG_EOI) rows.done(y, 1);
    }
    if (code != SPNG_EOI) return refused_png(code);
    return image;
  }

  // libspng keeps a few rows, and the profiles and texts in front of the pixels.
  std::uint64_t memory_needed(std::span<const std::byte> bytes) const noexcept override {
    if (bytes.size() < header_end) return 0;
    const std::uint64_t width = load_u32_big(bytes.data() + 16);
    const std::uint64_t height = load_u32_big(bytes.data() + 20);
    if (width > limits::image_side_max || height > limits::image_side_max) return 0;
    std::uint64_t unpacked = 0;
    for_each_chunk(bytes, [&](const png_chunk& chunk) {
      if (chunk.kind == "iCCP" || chunk.kind == "zTXt" || chunk.kind == "iTXt") {
        unpacked += chunk.data.size() * limits::deflate_ratio_max;
      }
      return chunk.kind != "IDAT";
    });
    constexpr std::uint64_t row_count = 4;
    return width * height * 4 + row_count * width * 8 +
           std::min<std::uint64_t>(unpacked, chunk_bytes_max);
  }

 private:
  struct opened_file {
    std::unique_ptr<spng_ctx, free_context> context;
    spng_ihdr header{};
    std::size_t size = 0;  // of the pixels
    const char* warning = nullptr;
    std::size_t warning_offset = 0;

    void describe(asset_info& image) const noexcept {
      image.width = header.width;
      image.height = header.height;
      image.warning = warning;
      image.warning_offset = warning_offset;
    }
  };

  // Checks all but the pixels. Checksums of critical chunks are verified; damage in chunks that
  // affect no pixel (comments, times) does not fail the image.
  static result<opened_file> open(std::span<const std::byte> bytes) noexcept {
    if (bytes.empty()) return refused_png(SPNG_IO_EOF);  // libspng takes no null pointer
    if (is_changed_by_xcode(bytes)) return fail(errc::unsupported, changed_by_xcode);
    opened_file made;
    made.context.reset(spng_ctx_new(0));
    spng_ctx* const context = made.context.get();
    if (!context) return refused_png(SPNG_EMEM);
    (void)spng_set_image_limits(context, limits::image_side_max, limits::image_side_max);
    (void)spng_set_chunk_limits(context, chunk_bytes_max, chunk_bytes_max);
    if (const int code = spng_set_png_buffer(context, bytes.data(), bytes.size())) {
      return refused_png(code);
    }
    spng_ihdr& header = made.header;
    if (const int code = spng_get_ihdr(context, &header)) return refused_png(code);
    if (const int code = spng_decoded_image_size(context, SPNG_FMT_RGBA8, &made.size)) {
      return refused_png(code);
    }
    if (const char* lie = implausible(header, bytes.size())) return fail(errc::corrupt, lie);
    const result<void> checked =
        check_image_size(header.width, header.height, made.size, bytes.size());
    if (!checked) return tl::unexpected<error>(checked.error());
    const result<const char*> warning = check_chunks(bytes, header.color_type);
    if (!warning) return tl::unexpected<error>(warning.error());
    made.warning = *warning;
    if (made.warning == no_end) made.warning_offset = bytes.size();
    return made;
  }
  static bool is_changed_by_xcode(std::span<const std::byte> bytes) noexcept {
    return bytes.size() >= 16 &&
           std::string_view(reinterpret_cast<const char*>(bytes.data()) + 12, 4) == "CgBI";
  }
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

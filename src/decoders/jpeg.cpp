// SPDX-License-Identifier: Zlib
//
// JPEG images, through libjpeg-turbo.
#include <cstdio>  // jpeglib.h uses FILE without including it

#include <jpeglib.h>

#include <jerror.h>  // its codes depend on what jpeglib.h defines

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <iterator>

#include "base/big_endian.hpp"
#include "base/limit_text.hpp"
#include "decoders/image_size.hpp"
#include "decoders/signature.hpp"
#include "decoders/table.hpp"
#include "overture/base/limits.hpp"

namespace overture::decoders_detail {
using namespace base_detail;

namespace {

// Warnings that affect no pixel. Games display such files, so they are not errors.
bool is_harmless(int warning) noexcept {
  switch (warning) {
    case JWRN_EXTRANEOUS_DATA:  // padding between segments
    case JWRN_JFIF_MAJOR:
    case JWRN_ADOBE_XFORM:
    case JWRN_BOGUS_ICC:
      return true;
    default:
      return false;
  }
}

constexpr int too_many_scans = -1;  // beside libjpeg's codes, which are positive

errc kind_of(int code) noexcept {
  switch (code) {
    case JERR_OUT_OF_MEMORY:
      return errc::out_of_memory;
    case too_many_scans:
    case JERR_IMAGE_TOO_BIG:
    case JERR_NO_BACKING_STORE:  // would exceed max_memory_to_use
      return errc::limit;
    case JERR_ARITH_NOTIMPL:
    case JERR_BAD_PRECISION:
    case JERR_CCIR601_NOTIMPL:
    case JERR_COMPONENT_COUNT:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_NOTIMPL:
    case JERR_SOF_UNSUPPORTED:
      return errc::unsupported;
    default:
      return errc::corrupt;
  }
}

// Where libjpeg's own text is unclear, or has a number in it. Otherwise null.
const char* text_of_code(int code) noexcept {
  switch (code) {
    case JERR_OUT_OF_MEMORY:
      return "out of memory for decoding the JPEG file";
    case JERR_IMAGE_TOO_BIG:
      return limit_text::image_side;
    case JERR_NO_BACKING_STORE:
      return limit_text::image_memory;
    case too_many_scans:
      return limit_text::jpeg_scans;
    case JERR_INPUT_EMPTY:
    case JERR_INPUT_EOF:
    case JWRN_JPEG_EOF:
      return "the JPEG file is truncated";
    default:
      return nullptr;
  }
}

// Past a 64-byte boundary, on purpose. libjpeg-turbo writes rows that are aligned to its vectors
// around the caches, yet the kernel has just brought this memory into them by zeroing it: aligned
// rows cost a seventh of the decoding time.
constexpr std::uint8_t pixels_offset = 8;

// libjpeg reports errors by longjmp, so functions that call it have no locals with destructors.
class jpeg_reader {
 public:
  explicit jpeg_reader(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {
    codec_.err = jpeg_std_error(&errors_);
    codec_.client_data = this;
    errors_.error_exit = [](j_common_ptr codec) { self(codec).leave(codec->err->msg_code); };
    errors_.emit_message = [](j_common_ptr codec, int level) {
      if (level < 0) self(codec).warn(codec->err->msg_code);
    };
    progress_.progress_monitor = [](j_common_ptr codec) {
      if (self(codec).codec_.input_scan_number > limits::jpeg_scans_max)
        self(codec).leave(too_many_scans);
    };
  }
  ~jpeg_reader() { jpeg_destroy_decompress(&codec_); }
  jpeg_reader(const jpeg_reader&) = delete;
  jpeg_reader& operator=(const jpeg_reader&) = delete;

  [[nodiscard]] bool read_header() noexcept {
    if (setjmp(way_out_) != 0) return false;
    jpeg_create_decompress(&codec_);
    codec_.progress = &progress_;
    codec_.mem->max_memory_to_use = static_cast<long>(limits::image_bytes_max);
    // The type of sizes has 32 bits on Windows; no JPEG has more bytes.
    const auto bytes = static_cast<unsigned long>(std::min<std::size_t>(bytes_.size(), UINT32_MAX));
    jpeg_mem_src(&codec_, reinterpret_cast<const unsigned char*>(bytes_.data()), bytes);
    return jpeg_read_header(&codec_, TRUE) == JPEG_HEADER_OK;
  }

  // Fills rows of width() * 4 bytes from `pixels` on.
  [[nodiscard]] bool read_pixels(std::byte* pixels) noexcept {
    if (setjmp(way_out_) != 0) return false;
    codec_.out_color_space = JCS_EXT_RGBA;
    (void)jpeg_start_decompress(&codec_);
    JSAMPROW rows[rows_at_once];
    while (codec_.output_scanline < codec_.output_height) {
      JDIMENSION count = 0;
      for (; count < rows_at_once && codec_.output_scanline + count < codec_.output_height;
           ++count) {
        rows[count] = reinterpret_cast<JSAMPROW>(pixels) +
                      (codec_.output_scanline + std::size_t{count}) * width() * 4;
      }
      (void)jpeg_read_scanlines(&codec_, rows, count);
    }
    if (ended_early_ && !has_all_scans()) leave(JWRN_JPEG_EOF);
    return true;
  }
  // Whether libjpeg looked for more data, and had to assume the end marker.
  [[nodiscard]] bool ended_early() const noexcept { return ended_early_; }

  [[nodiscard]] std::uint32_t width() const noexcept { return codec_.image_width; }
  [[nodiscard]] std::uint32_t height() const noexcept { return codec_.image_height; }
  [[nodiscard]] int components() const noexcept { return codec_.num_components; }
  [[nodiscard]] bool arithmetic() const noexcept { return codec_.arith_code != FALSE; }
  // Why read_header() or read_pixels() returned false.
  [[nodiscard]] tl::unexpected<error> failure() const noexcept {
    const int code = ended_early_ && kind_of(code_) == errc::corrupt ? JWRN_JPEG_EOF : code_;
    if (const char* const text = text_of_code(code)) return fail(kind_of(code), text);
    const char* text = "the JPEG file is damaged";
    if (code_ > 0 && code_ <= errors_.last_jpeg_message) {
      // Messages with a '%' are printf formats.
      const char* const message = errors_.jpeg_message_table[code_];
      if (!std::strchr(message, '%')) text = message;
    }
    return fail(kind_of(code_), text);
  }

 private:
  static constexpr JDIMENSION rows_at_once = 16;

  template <class Codec>
  static jpeg_reader& self(Codec codec) noexcept {
    return *static_cast<jpeg_reader*>(codec->client_data);
  }
  void warn(int code) noexcept {
    if (code == JWRN_JPEG_EOF) {
      // Only the end marker may be missing: the decoder warns once more if it lacks a bit.
      ended_early_ = true;
    } else if (!is_harmless(code)) {
      leave(code);
    }
  }
  // Whether what was read describes every component to its last bit.
  [[nodiscard]] bool has_all_scans() const noexcept {
    for (int i = 0; i < codec_.num_components; ++i) {
      if (!codec_.comp_info[i].quant_table) return false;  // set by its first scan
      if (!codec_.coef_bits) continue;                     // only progressive files refine
      const auto& bits = codec_.coef_bits[i];
      if (std::any_of(std::begin(bits), std::end(bits), [](int left) { return left != 0; }))
        return false;
    }
    return true;
  }
  [[noreturn]] void leave(int code) noexcept {
    code_ = code;
    std::longjmp(way_out_, 1);  // NOLINT(cert-err52-cpp): libjpeg's only way out
  }

  std::span<const std::byte> bytes_;
  jpeg_decompress_struct codec_{};
  jpeg_error_mgr errors_{};
  jpeg_progress_mgr progress_{};
  int code_ = 0;
  bool ended_early_ = false;
  std::jmp_buf way_out_;
};

constexpr std::uint64_t samples_unit = 64;

// How many samples all components have for each pixel, in parts of samples_unit: colour often has a
// quarter of the lines and columns. `rows` are three bytes for each component.
std::uint64_t samples_of_pixels(std::span<const std::byte> rows, std::uint64_t count) noexcept {
  std::uint64_t sum = 0;
  std::uint32_t wide = 1;
  std::uint32_t high = 1;
  for (std::size_t i = 0; i < count && rows.size() >= i * 3 + 2; ++i) {
    const std::uint32_t factors = load_u8(&rows[i * 3 + 1]);
    wide = std::max(wide, factors >> 4);
    high = std::max(high, factors & 15);
    sum += std::uint64_t{factors >> 4} * (factors & 15);
  }
  // Rounded up, and all of them where the header makes no sense.
  const std::uint64_t all = std::uint64_t{wide} * high;
  return sum == 0 ? count * samples_unit
                  : std::min((sum * samples_unit + all - 1) / all, count * samples_unit);
}

// What decoding takes, from the segments in front of the first scan. If the scans cover the image
// more than once, libjpeg keeps the coefficients of all of it. 0 if the header cannot be read.
std::uint64_t jpeg_memory(std::span<const std::byte> bytes) noexcept {
  std::uint64_t pixels = 0;
  std::uint64_t samples = 0;  // of all components, which may have fewer than there are pixels
  std::uint64_t components = 0;
  bool progressive = false;
  for (std::size_t at = 2; bytes.size() - std::min(at, bytes.size()) >= 10;) {
    const std::byte* const segment = bytes.data() + at;
    const std::uint32_t marker = load_u8(segment + 1);
    if (load_u8(segment) != 0xFF || marker == 0xFF) {
      ++at;  // padding
      continue;
    }
    const bool is_frame =
        marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
    if (is_frame) {
      progressive = marker == 0xC2;
      pixels = std::uint64_t{load_u16_big(segment + 5)} * load_u16_big(segment + 7);
      components = load_u8(segment + 9);
      samples = pixels * samples_of_pixels(bytes.subspan(at + 10), components) / samples_unit;
    }
    if (marker == 0xDA) {
      const bool buffered = progressive || load_u8(segment + 4) < components;
      // Two bytes for each coefficient; blocks at the edges are whole.
      const std::uint64_t coefficients = buffered ? samples * 2 * 9 / 8 : 0;
      return pixels * 4 + coefficients + (1u << 20);
    }
    at += 2 + load_u16_big(segment + 2);
  }
  return pixels * 4;
}

class jpeg final : public decoder {
 public:
  const char* name() const noexcept override { return "jpeg"; }

  bool accepts(std::string_view path, std::span<const std::byte> bytes) const noexcept override {
    return is_file_of(file_format::jpeg, path, bytes);
  }

  result<decoded_asset> decode(std::span<const std::byte> bytes, allocator& memory,
                               parallel_runner&) const noexcept override {
    jpeg_reader reader(bytes);
    if (!reader.read_header()) return reader.failure();
    if (reader.arithmetic())
      return fail(errc::unsupported, "arithmetic coding in a JPEG is not supported");
    if (reader.components() != 1 && reader.components() != 3) {
      return fail(errc::unsupported,
                  "JPEG colour space is not supported (only greyscale and RGB are)");
    }
    const std::uint32_t width = reader.width();
    const std::uint32_t height = reader.height();
    const std::uint64_t pixels = std::uint64_t{width} * height;
    if (pixels / limits::jpeg_pixels_per_byte_max > bytes.size()) {
      return fail(errc::corrupt, "JPEG file too small for its image size");
    }
    const result<void> checked = check_image_size(width, height, pixels * 4, bytes.size());
    if (!checked) return tl::unexpected<error>(checked.error());
    result<decoded_asset> image =
        decoded_asset::make(asset_kind::image, pixels * 4, memory, pixels_offset);
    if (!image) return image;
    if (!reader.read_pixels(image->bytes().data())) return reader.failure();
    image->width = width;
    image->height = height;
    if (reader.ended_early()) {
      image->warning = "the JPEG file has no end marker";
      image->warning_offset = bytes.size();
    }
    return image;
  }

  std::uint64_t memory_needed(std::span<const std::byte> bytes) const noexcept override {
    return jpeg_memory(bytes);
  }
};

}  // namespace

const decoder& jpeg_decoder() noexcept {
  static const jpeg instance;
  return instance;
}

}  // namespace overture::decoders_detail

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

  // Fills the rows of `to`.
  [[nodiscard]] bool read_pixels(row_sink& to, pixel_order order) noexcept {
    if (setjmp(way_out_) != 0) return false;
    codec_.out_color_space = order == pixel_order::bgra ? JCS_EXT_BGRA : JCS_EXT_RGBA;
    (void)jpeg_start_decompress(&codec_);
    JSAMPROW rows[row_sink::rows_max];
    while (codec_.output_scanline < codec_.output_height) {
      const JDIMENSION first = codec_.output_scanline;
      JDIMENSION count = 0;
      for (; count < row_sink::rows_max && first + count < codec_.output_height; ++count) {
        rows[count] = reinterpret_cast<JSAMPROW>(to.row(first + count));
      }
      // Fewer than that at a time, so that none is asked for twice.
      while (codec_.output_scanline < first + count) {
        const JDIMENSION got = codec_.output_scanline - first;
        (void)jpeg_read_scanlines(&codec_, rows + got, count - got);
      }
      to.done(first, count);
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
    if (const result<void> read = read_header(reader, bytes.size()); !read) {
      return tl::unexpected<error>(read.error());
    }
    result<decoded_asset> image =
        decoded_asset::make(asset_kind::image, std::size_t{reader.width()} * reader.height() * 4,
                            memory, pixels_offset);
    if (!image) return image;
    image_rows rows(*image);
    describe(*image, reader);
    if (!reader.read_pixels(rows, pixel_order::rgba)) return reader.failure();
    warn(*image, reader, bytes.size());
    return image;
  }

  result<decoded_asset> decode_rows(std::span<const std::byte> bytes, row_sink& rows,
                                    allocator& memory) const noexcept override {
    jpeg_reader reader(bytes);
    if (const result<void> read = read_header(reader, bytes.size()); !read) {
      return tl::unexpected<error>(read.error());
    }
    result<decoded_asset> image = decoded_asset::make(asset_kind::image, 0, memory);
    if (!image) return image;
    describe(*image, reader);
    const result<pixel_order> order = rows.begin(*image, true);
    if (!order) return tl::unexpected<error>(order.error());
    if (!reader.read_pixels(rows, *order)) return reader.failure();
    warn(*image, reader, bytes.size());
    return image;
  }

  std::uint64_t memory_needed(std::span<const std::byte> bytes) const noexcept override {
    return jpeg_memory(bytes);
  }

 private:
  // The rows of an image in memory.
  class image_rows final : public row_sink {
   public:
    explicit image_rows(const decoded_asset& image) noexcept : image_(image) {}
    result<pixel_order> begin(const asset_info&, bool) noexcept override {
      return pixel_order::rgba;
    }
    std::byte* row(std::uint32_t y) noexcept override {
      return image_.bytes().data() + std::size_t{y} * image_.width * 4;
    }
    void done(std::uint32_t, std::uint32_t) noexcept override {}

   private:
    const decoded_asset& image_;
  };

  static result<void> read_header(jpeg_reader& reader, std::uint64_t file_bytes) noexcept {
    if (!reader.read_header()) return reader.failure();
    if (reader.arithmetic())
      return fail(errc::unsupported, "arithmetic coding in a JPEG is not supported");
    if (reader.components() != 1 && reader.components() != 3) {
      return fail(errc::unsupported,
                  "JPEG colour space is not supported (only greyscale and RGB are)");
    }
    const std::uint64_t pixels = std::uint64_t{reader.width()} * reader.height();
    if (pixels / limits::jpeg_pixels_per_byte_max > file_bytes) {
      return fail(errc::corrupt, "JPEG file too small for its image size");
    }
    return check_image_size(reader.width(), reader.height(), pixels * 4, file_bytes);
  }
  static void describe(asset_info& image, const jpeg_reader& reader) noexcept {
    image.width = reader.width();
    image.height = reader.height();
  }
  static void warn(asset_info& image, const jpeg_reader& reader,
                   std::uint64_t file_bytes) noexcept {
    if (!reader.ended_early()) return;
    image.warning = "the JPEG file has no end marker";
    image.warning_offset = file_bytes;
  }
};

}  // namespace

const decoder& jpeg_decoder() noexcept {
  static const jpeg instance;
  return instance;
}

}  // namespace overture::decoders_detail

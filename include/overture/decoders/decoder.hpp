// SPDX-License-Identifier: Zlib
//
// Decoders: turn the bytes of a file into an asset (image, texture, sound, model, text).
//
//   for (const decoder* candidate : all_decoders()) {
//     if (!candidate->accepts(path, bytes)) continue;
//     result<decoded_asset> asset = candidate->decode(bytes, memory);
//     ...
//   }
//
// A load_scope runs this loop for you and checksums files that no decoder accepts. To support
// another format, derive from `decoder` and pass your own list in load_options::decoders.
//
// Cost: one block of memory per asset, from the allocator you pass. Third-party codecs (libspng,
// libjpeg-turbo, libvorbis, opusfile, libdeflate) also use malloc while they work, and free it
// before decode() returns; memory_needed() includes that.
//
// Limits: a whole file in, a whole asset out; no streaming. Sizes are bounded by
// overture/base/limits.hpp. docs/guide/decoders.md lists the formats and what each refuses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "overture/base/allocator.hpp"
#include "overture/base/api.hpp"
#include "overture/base/error.hpp"
#include "overture/base/executor.hpp"

namespace overture {

enum class asset_kind : std::uint8_t {
  none,
  image,    // RGBA, 8 bits a channel; rows top to bottom, no padding
  text,     // UTF-8 without a byte order mark
  sound,    // signed 16-bit samples in native byte order, channels interleaved
  texture,  // GPU-ready pixels in `format`: every mip level of layer 0, largest first, then of
            // layer 1, and so on; no padding
  model,    // read it through model_view (overture/decoders/model.hpp)
  binary,   // the content of a gzip file that no decoder reads
};
// The name as spelled above. Any thread.
[[nodiscard]] OVERTURE_API const char* to_string(asset_kind kind) noexcept;

// A texture's pixel format. Channels are listed from the lowest address, or from the lowest bit
// where they share bytes. BC formats store blocks of 4 x 4 pixels.
enum class texture_format : std::uint8_t {
  none,
  bc1,  // 8 bytes a block, like bc4; the other BC formats take 16
  bc2,
  bc3,
  bc4_unorm,
  bc4_snorm,
  bc5_unorm,
  bc5_snorm,
  bc6h_ufloat,
  bc6h_sfloat,
  bc7,
  r8,
  rg8,
  bgr8,
  rgba8,
  bgra8,
  bgrx8,
  b5g6r5,
  b5g5r5a1,
  bgra4,
  r16_float,
  rgba16_float,
  rgba32_float,
};
// The name as spelled above. Any thread.
[[nodiscard]] OVERTURE_API const char* to_string(texture_format format) noexcept;

// The properties of an asset. Fields that do not apply to its kind are 0.
struct asset_info {
  std::uint32_t width = 0;                       // images, textures: pixels
  std::uint32_t height = 0;                      // images, textures: pixels
  std::uint32_t depth = 0;                       // textures: slices; 1 unless it is a volume
  std::uint32_t levels = 0;                      // textures: mip levels
  std::uint32_t layers = 0;                      // textures: array layers; a cube map has six
  texture_format format = texture_format::none;  // textures
  bool srgb = false;                             // textures: the file declares sRGB

  std::uint32_t sample_rate = 0;  // sounds: frames per second
  std::uint32_t channels = 0;     // sounds: samples per frame
  std::uint64_t frames = 0;       // sounds: samples of one channel; models: animation frames

  std::uint32_t vertices = 0;   // models: per frame, over all surfaces
  std::uint32_t triangles = 0;  // models: over all surfaces

  std::uint64_t lines = 0;  // text: lines, counting an unterminated last one

  // What is wrong with the file although its content is complete, or why its text was not decoded;
  // a string literal. Null if nothing is.
  const char* warning = nullptr;
  std::uint64_t warning_offset = 0;  // in the file
};

// A decoded file. Move-only; owns its memory. Not synchronised: one thread at a time.
class OVERTURE_API decoded_asset : public asset_info {
 public:
  decoded_asset() = default;
  decoded_asset(decoded_asset&& other) noexcept { swap(other); }
  decoded_asset& operator=(decoded_asset&& other) noexcept {
    decoded_asset taken(std::move(other));
    swap(taken);
    return *this;
  }
  decoded_asset(const decoded_asset&) = delete;
  decoded_asset& operator=(const decoded_asset&) = delete;
  ~decoded_asset() {
    if (data_) memory_->deallocate(data_ - offset_, offset_ + size_, alignment, memory_tag::decode);
  }

  // Allocates an asset of `bytes` bytes (0 is fine), uninitialised, `offset` bytes past a 64-byte
  // boundary. Errors: out_of_memory. Any thread.
  [[nodiscard]] static result<decoded_asset> make(asset_kind kind, std::size_t bytes,
                                                  allocator& memory,
                                                  std::uint8_t offset = 0) noexcept;

  [[nodiscard]] asset_kind kind() const noexcept { return kind_; }
  // The content, laid out as asset_kind says. Aligned to 64 bytes (to 8 from the JPEG decoder).
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return {data_, size_}; }
  // Frees the content through `memory` instead: the upstream of the allocator it came from, which
  // may then be destroyed.
  void free_with(allocator& memory) noexcept { memory_ = &memory; }

 private:
  static constexpr std::size_t alignment = 64;
  void swap(decoded_asset& other) noexcept {
    std::swap(kind_, other.kind_);
    std::swap(memory_, other.memory_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(offset_, other.offset_);
    std::swap<asset_info>(*this, other);
  }

  asset_kind kind_ = asset_kind::none;
  std::uint8_t offset_ = 0;  // of data_ within its block
  allocator* memory_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// The order of an image's channels, from the lowest address.
enum class pixel_order : std::uint8_t { rgba, bgra };

// Takes an image row by row while it is decoded: decoder::decode_rows() writes each row where row()
// says. For pixels that go to memory of the host, or are changed while they are in the cache. Rows
// come from top to bottom. Called on the thread that decodes.
class row_sink {
 public:
  virtual ~row_sink() = default;
  // Once, before the others: the width and height of the image. Returns the order of the channels:
  // rgba unless `any_order`. An error ends the decoding with it.
  [[nodiscard]] virtual result<pixel_order> begin(const asset_info& image,
                                                  bool any_order) noexcept = 0;
  // Where row `y` goes: width * 4 bytes, of any alignment. Up to rows_max rows are asked for before
  // they are done().
  static constexpr std::uint32_t rows_max = 16;
  [[nodiscard]] virtual std::byte* row(std::uint32_t y) noexcept = 0;
  // The rows from `first` on are written. The decoder does not look at them again.
  virtual void done(std::uint32_t first, std::uint32_t count) noexcept = 0;
};

// One file format. Stateless: every function may be called from any thread, several at once.
class decoder {
 public:
  virtual ~decoder() = default;
  // The name in reports; a string literal.
  [[nodiscard]] virtual const char* name() const noexcept = 0;
  // Claims a file by its content, and by its path where the content says nothing. The first decoder
  // in the list that accepts a file decodes it, so claim damaged files of your format too: decode()
  // then reports the damage. Must be cheap.
  [[nodiscard]] virtual bool accepts(std::string_view path,
                                     std::span<const std::byte> bytes) const noexcept = 0;
  // Decodes a whole file. `bytes` are untrusted: a decoder must survive anything. It may split
  // large work over `workers`; the result must not depend on how many there are. A decoder that
  // only recognises files, and leaves their bytes to the host, returns an asset of kind none.
  // Errors: corrupt, unsupported, limit, out_of_memory. A load that has no room for more than
  // memory_needed() refuses the allocation and calls decode() again later, so allocate before doing
  // the work.
  [[nodiscard]] virtual result<decoded_asset> decode(
      std::span<const std::byte> bytes, allocator& memory,
      parallel_runner& workers = serial_runner()) const noexcept = 0;
  // How many bytes of memory decode() takes at a time, judged by the file's header alone: the
  // asset, and what does not come from `memory`. A load takes that room before it calls decode().
  // Override it where memory bypasses the allocator; what comes from it is counted in any case.
  // Must be cheap, and survive anything.
  [[nodiscard]] virtual std::uint64_t memory_needed(
      std::span<const std::byte> bytes) const noexcept {
    (void)bytes;
    return 0;
  }
  // Decodes an image into `rows`, and returns one without content. What is no image is decoded as
  // by decode(), and `rows` is not called. After an error some rows may have been written. PNG and
  // JPEG need no memory for the image; other formats, and interlaced PNG, are decoded first and
  // copied. Errors: those of decode() and of row_sink::begin().
  [[nodiscard]] virtual result<decoded_asset> decode_rows(std::span<const std::byte> bytes,
                                                          row_sink& rows,
                                                          allocator& memory) const noexcept {
    return copy_rows(decode(bytes, memory), rows, memory);
  }

 protected:
  // Hands over the rows of an image that is decoded.
  static result<decoded_asset> copy_rows(result<decoded_asset> image, row_sink& rows,
                                         allocator& memory) noexcept {
    if (!image || image->kind() != asset_kind::image) return image;
    const result<pixel_order> order = rows.begin(*image, false);
    if (!order) return tl::unexpected<error>(order.error());
    const std::size_t row_bytes = std::size_t{image->width} * 4;
    for (std::uint32_t y = 0; y < image->height; ++y) {
      std::memcpy(rows.row(y), image->bytes().data() + y * row_bytes, row_bytes);
      rows.done(y, 1);
    }
    result<decoded_asset> empty = decoded_asset::make(asset_kind::image, 0, memory);
    if (empty) static_cast<asset_info&>(*empty) = *image;
    return empty;
  }
};

// A format that Overture decodes or recognises: for lists, and to see what is missing.
struct decoder_format {
  const char* name = "";                  // of its decoder
  const char* files = "";                 // what they are called: "Ogg Vorbis"
  const char* library = "";               // that does the work, or "Overture"
  asset_kind becomes = asset_kind::none;  // none: only recognised; binary: what the file inside is
  const decoder* by = nullptr;            // null if not built in, for want of the library
};
// All of them, in the order in which they are asked. The list lives as long as the process. Any
// thread.
[[nodiscard]] OVERTURE_API std::span<const decoder_format> decoder_formats() noexcept;

// Overture's own decoders, without those that are not built in. The list lives as long as the
// process. Any thread.
[[nodiscard]] OVERTURE_API std::span<const decoder* const> all_decoders() noexcept;

}  // namespace overture

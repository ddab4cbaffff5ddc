// Decoders: from the bytes of a file to what a game works with.
//
//   for (const decoder* candidate : all_decoders())
//     if (candidate->accepts(path, bytes)) return candidate->decode(bytes, memory);
//
// A decoder is one file in src/decoders and one line in its table. A host adds its own by deriving
// from decoder and passing a list of its own to the loader. Files that no decoder accepts are
// checksummed only.
//
// Decoded data lives in memory of the allocator that was passed. What third-party libraries take
// for themselves while they work does not. An allocator that gives none makes decode() fail with
// out_of_memory; a load decodes the file once more then if only its budget was full, so a decoder
// of your own had better ask for its memory before the work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "overture/base/allocator.hpp"
#include "overture/base/error.hpp"
#include "overture/base/executor.hpp"

namespace overture {

enum class asset_kind : std::uint8_t {
  none,
  image,    // rows from top to bottom, four bytes (red, green, blue, alpha) a pixel, no padding
  text,     // UTF-8 without a byte order mark
  sound,    // signed 16-bit samples in the machine's byte order, the channels interleaved
  texture,  // pixels as graphics cards take them, `format` says how: all levels of the first
            // layer from the largest on, then those of the next layer, no padding
  model,    // what model_view (overture/decoders/model.hpp) shows
};
[[nodiscard]] const char* to_string(asset_kind kind) noexcept;

// How a texture's pixels are stored; channels are named from the lowest address, or from the lowest
// bit if they share bytes. BC are blocks of 4 x 4 pixels. to_string() gives the name as written.
enum class texture_format : std::uint8_t {
  none,
  bc1,  // 8 bytes a block, as bc4; the others 16
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
[[nodiscard]] const char* to_string(texture_format format) noexcept;

// What is known of a decoded asset besides its bytes. Numbers that its kind lacks are 0.
struct asset_numbers {
  std::uint32_t width = 0;                       // images, textures: pixels
  std::uint32_t height = 0;                      // images, textures: pixels
  std::uint32_t depth = 0;                       // textures: slices; 1 unless it is a volume
  std::uint32_t levels = 0;                      // textures: sizes, each half of the one before
  std::uint32_t layers = 0;                      // textures: images in an array; a cube is six
  texture_format format = texture_format::none;  // textures
  bool srgb = false;                             // textures: the file says that they are in sRGB

  std::uint32_t sample_rate = 0;  // sounds: frames per second
  std::uint32_t channels = 0;     // sounds: samples in each frame
  std::uint64_t frames = 0;       // sounds: one sample of each channel; models: poses

  std::uint32_t vertices = 0;   // models: in each frame, of all surfaces
  std::uint32_t triangles = 0;  // models: of all surfaces

  std::uint64_t lines = 0;  // text: line ends, and one for an unfinished last line
};

// What a decoder made. Move-only; owns its memory.
class decoded_asset : public asset_numbers {
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

  // Memory for `bytes` bytes (may be 0) that begins `offset` bytes behind a multiple of 64, for
  // libraries that write faster there. Error: out_of_memory.
  [[nodiscard]] static result<decoded_asset> make(asset_kind kind, std::size_t bytes,
                                                  allocator& memory,
                                                  std::uint8_t offset = 0) noexcept;

  [[nodiscard]] asset_kind kind() const noexcept { return kind_; }
  // The content, as asset_kind describes it; aligned to 64 bytes, that of a JPEG to 8.
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return {data_, size_}; }
  // Leaves it to `memory` to free the content: the allocator that stands behind the one that gave
  // it, which may end now.
  void free_by(allocator& memory) noexcept { memory_ = &memory; }

 private:
  static constexpr std::size_t alignment = 64;
  void swap(decoded_asset& other) noexcept {
    std::swap(kind_, other.kind_);
    std::swap(memory_, other.memory_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(offset_, other.offset_);
    std::swap<asset_numbers>(*this, other);
  }

  asset_kind kind_ = asset_kind::none;
  std::uint8_t offset_ = 0;  // of data_ in its block
  allocator* memory_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

class decoder {
 public:
  virtual ~decoder() = default;
  // A literal: the name in reports.
  [[nodiscard]] virtual const char* name() const noexcept = 0;
  // Whether this decoder is the one for the file, by its path and first bytes. Any thread.
  [[nodiscard]] virtual bool accepts(std::string_view path,
                                     std::span<const std::byte> bytes) const noexcept = 0;
  // Decodes a whole file. Bytes come from outside and may be anything. Large work may be split over
  // `workers`; what comes out does not depend on them. Errors: corrupt, unsupported, limit,
  // out_of_memory. Any thread, several at once.
  [[nodiscard]] virtual result<decoded_asset> decode(
      std::span<const std::byte> bytes, allocator& memory,
      parallel_runner& workers = serial_runner()) const noexcept = 0;
};

// Overture's decoders, which docs/guide/decoders.md lists. Lives for the whole process. Any thread.
[[nodiscard]] std::span<const decoder* const> all_decoders() noexcept;

}  // namespace overture

// SPDX-License-Identifier: Zlib
//
// image_loader: images as the renderer wants them, where it wants them.
//
//   loaders::image_loader images;
//   if (auto added = store.add(images); !added) return report(added.error());
//   asset<loaders::image> title = store.get<loaders::image>("gfx/title.png"_path);
//
// Everything that decoders make an image of (docs/guide/decoders.md) becomes RGBA with 8 bits a
// channel. The options of a loader change that for all its images:
//
//   loaders::image_options options{.order = pixel_order::bgra, .premultiplied = true};
//   options.mips = true;
//   options.row_alignment = 256;  // for copies from a buffer of Direct3D 12
//   options.level_alignment = 512;
//   options.place = &my_upload_heap;
//   loaders::image_loader for_upload{options};
//
// Settings of a request change them for one image, a normal map among colours for example:
//
//   using loaders::image_choice;
//   auto normals = store.get<loaders::image>("gfx/wall_n.png"_path,
//                                            {.settings = {.srgb = image_choice::no}});
//
// Host memory: with options.place, pixels go straight to memory of the host, a mapped upload buffer
// for example. It is written once, each row from left to right, and never read, because such memory
// is often slow to read. Rows come from the decoder and are converted while they are in the cache.
//
// Mip levels: each is half the size of the one before, rounded down, to 1 x 1. A pixel is the mean
// of what it covers (three pixels wide where a side is odd), colours are weighted by their alpha,
// and with options.srgb the mean is that of light, not of sRGB values. They are made while rows are
// decoded, from a few rows of each level: a second pass over the image would find it gone from the
// cache. That is also why the filter is a box, and Overture's own.
//
// Cost: order, row pitch and host memory are a few per cent at most over decoding alone;
// premultiplying in sRGB and mips cost some nanoseconds a pixel. Beside the result, PNG and JPEG
// need no memory for the image; other formats, and interlaced PNG, are decoded first if anything is
// to be changed.
//
// Limits: 8 bits a channel; those of overture/base/limits.hpp. Textures (DDS, KTX2, HDR) have a
// texture_loader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "overture/assets/loader.hpp"
#include "overture/base/allocator.hpp"
#include "overture/base/path.hpp"
#include "overture/decoders/decoder.hpp"

namespace overture::loaders {

inline constexpr std::uint32_t image_levels_max = 16;

// Where a mip level is.
struct image_level {
  std::uint32_t width = 0;  // pixels
  std::uint32_t height = 0;
  std::uint64_t offset = 0;     // bytes from the beginning of the memory
  std::uint64_t row_pitch = 0;  // bytes from one row to the next
};

struct image_layout {
  std::uint32_t levels = 0;  // 1 without mips
  std::uint64_t bytes = 0;   // of all levels: up to the end of the last
  image_level level[image_levels_max];
};

// Memory of the host for images.
class image_memory {
 public:
  virtual ~image_memory() = default;
  // Memory for an image, of at least layout.bytes. It may place levels and rows elsewhere: change
  // their offset and row_pitch (at least width * 4) to what fits your memory; the image is then
  // written there, and nothing between its rows. Errors fail the asset. On the worker that decodes,
  // several calls at once.
  virtual result<std::span<std::byte>> take(const asset_path& path,
                                            image_layout& layout) noexcept = 0;
  // It is not needed any more: the image is gone, or could not be decoded. Any thread.
  virtual void give_back(std::span<std::byte> memory) noexcept = 0;
};

struct image_options {
  pixel_order order = pixel_order::rgba;
  bool premultiplied = false;  // colours are multiplied by alpha
  bool flipped = false;        // rows from bottom to top, as OpenGL counts them
  bool mips = false;
  // Colours are sRGB: mips, and colours multiplied by alpha, are computed in light. Set it to false
  // for normal maps and other data.
  bool srgb = true;
  // What row_pitch and offsets of levels are multiples of; powers of two up to 65,536.
  std::uint32_t row_alignment = 4;
  std::uint32_t level_alignment = 4;
  image_memory* place = nullptr;  // null: memory of the loader's own
  allocator* memory = nullptr;    // null = default_allocator(); for that, and while decoding
};

// For one image: as the options of its loader say, or not.
enum class image_choice : std::uint8_t { as_loader, no, yes };
struct image_settings {
  image_choice premultiplied = image_choice::as_loader;
  image_choice flipped = image_choice::as_loader;
  image_choice mips = image_choice::as_loader;
  image_choice srgb = image_choice::as_loader;
};
// The options with those settings.
[[nodiscard]] constexpr image_options with_settings(image_options options,
                                                    const image_settings& settings) noexcept {
  const auto choose = [](bool& option, image_choice choice) {
    if (choice != image_choice::as_loader) option = choice == image_choice::yes;
  };
  choose(options.premultiplied, settings.premultiplied);
  choose(options.flipped, settings.flipped);
  choose(options.mips, settings.mips);
  choose(options.srgb, settings.srgb);
  return options;
}

// A decoded image. Move-only; owns its memory. Any number of threads may read one.
class image {
 public:
  using settings = image_settings;
  image() = default;
  image(image&& other) noexcept { swap(other); }
  image& operator=(image&& other) noexcept {
    image taken(std::move(other));
    swap(taken);
    return *this;
  }
  image(const image&) = delete;
  image& operator=(const image&) = delete;
  ~image() { release(); }

  [[nodiscard]] std::uint32_t width() const noexcept { return layout_.level[0].width; }
  [[nodiscard]] std::uint32_t height() const noexcept { return layout_.level[0].height; }
  // Where its levels are in bytes().
  [[nodiscard]] const image_layout& layout() const noexcept { return layout_; }
  // All levels. Aligned to 8 bytes, unless it is the host's. Empty after release().
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
    return place_ != nullptr ? std::span<const std::byte>(taken_) : own_.bytes();
  }
  // The first pixel of a row of a level, both of which must exist. Not after release().
  [[nodiscard]] const std::byte* row(std::uint32_t level, std::uint32_t y) const noexcept {
    const image_level& at = layout_.level[level];
    return bytes().data() + at.offset + y * at.row_pitch;
  }
  // What is wrong with the file although the image is complete; a literal. Null if nothing is.
  [[nodiscard]] const char* warning() const noexcept { return own_.warning; }
  // Gives its memory back, for loaders that have uploaded it; the layout stays. One thread, while
  // no other reads.
  void release() noexcept {
    if (place_ != nullptr) std::exchange(place_, nullptr)->give_back(std::exchange(taken_, {}));
    decoded_asset empty;
    static_cast<asset_info&>(empty) = own_;
    own_ = std::move(empty);
  }

 private:
  friend class image_writer;
  void swap(image& other) noexcept {
    std::swap(layout_, other.layout_);
    std::swap(own_, other.own_);
    std::swap(taken_, other.taken_);
    std::swap(place_, other.place_);
  }

  image_layout layout_;
  decoded_asset own_;           // its bytes unless they are the host's
  std::span<std::byte> taken_;  // the host's
  image_memory* place_ = nullptr;
};

// Decodes a file, which its path helps to recognise. Errors: those of its decoder and of
// image_memory::take(); unsupported (no image); no_space (the host's memory is too small);
// invalid (the host's row pitch is smaller than a row, an alignment is no power of two);
// out_of_memory. After an error memory of the host has been given back; it may have been written.
// Any thread.
[[nodiscard]] result<image> decode_image(const asset_path& path, std::span<const std::byte> bytes,
                                         const image_options& options = {}) noexcept;

// What decode_image() takes of memory with what it returns, judged by the header of the file; 0 if
// that does not tell. Counts memory of the host like any other, but not what it pads rows with. Any
// thread.
[[nodiscard]] std::uint64_t image_memory_needed(const asset_path& path,
                                                std::span<const std::byte> bytes,
                                                const image_options& options = {}) noexcept;

// The memory that an asset needs is judged by the options, not by settings that differ. A loader
// that uploads derives from this one, is not free_threaded(), and has a finalize(), which
// ends with image::release().
class image_loader : public loader<image> {
 public:
  // What the options point to must outlive the store.
  explicit image_loader(const image_options& options = {}) noexcept : options_(options) {}

  // Errors: those of decode_image().
  result<image> decode(std::span<const std::byte> bytes, load_context& context) override {
    return decode_image(context.path(), bytes, with_settings(options_, context.settings<image>()));
  }
  [[nodiscard]] std::uint64_t memory_needed(
      const asset_path& path, std::span<const std::byte> bytes) const noexcept override {
    return image_memory_needed(path, bytes, options_);
  }
  // Nothing but the value after image::release().
  [[nodiscard]] std::uint64_t bytes_of(const image& value) const noexcept override {
    return sizeof(image) + (value.bytes().empty() ? 0 : value.layout().bytes);
  }
  [[nodiscard]] bool free_threaded() const noexcept override { return true; }

 private:
  image_options options_;
};

}  // namespace overture::loaders

// SPDX-License-Identifier: Zlib
//
// texture_loader: textures for the GPU, as their files have them.
//
//   loaders::texture_loader textures;
//   if (auto added = store.add(textures); !added) return report(added.error());
//   asset<loaders::texture> wall = store.get<loaders::texture>("gfx/wall.ktx2"_path);
//   ...
//   for (std::uint32_t level = 0; level < wall->levels; ++level) {
//     upload(level, wall->level[level].width, wall->level[level].height, wall->part(level, 0, 0));
//   }
//
// From DDS, KTX2 (plain, or compressed with zstd or zlib) and Radiance HDR. Pixels are not touched:
// BC, ETC2 and ASTC blocks go to the GPU as they are. All parts are in one block of memory, so one
// copy brings all of them to an upload buffer.
//
// Cost: one block of memory and one copy, which for a compressed KTX2 is the unpacking.
//
// Limits: those of overture/base/limits.hpp for images. KTX2 with Basis Universal (ETC1S, UASTC) is
// refused: transcode it with libktx or basis_universal, from the bytes of a bytes_loader. So are
// formats of three planes, of 64-bit numbers, and PVRTC.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "overture/assets/loader.hpp"
#include "overture/base/allocator.hpp"
#include "overture/base/path.hpp"
#include "overture/decoders/decoder.hpp"

namespace overture::loaders {

inline constexpr std::uint32_t texture_levels_max = 16;

// How pixels are stored, by the numbers of the graphics interfaces.
struct gpu_format {
  std::uint32_t vulkan = 0;       // VkFormat
  std::uint32_t dxgi = 0;         // DXGI_FORMAT; 0 if it has none for this
  const char* channels = "";      // "R8G8B8A8", "BC7", "ASTC_4x4": literals, as Vulkan spells them
  const char* numbers = "";       // "UNORM", "SRGB", "SFLOAT", ...
  std::uint8_t block_width = 1;   // pixels; 1 unless it is compressed
  std::uint8_t block_height = 1;  //
  std::uint8_t block_bytes = 0;   // of one block, or pixel
};

// The format of a VkFormat; block_bytes is 0 if it is not known here. Any thread.
[[nodiscard]] gpu_format gpu_format_of(std::uint32_t vulkan) noexcept;

// Where the parts of a mip level are.
struct texture_level {
  std::uint32_t width = 0;  // pixels
  std::uint32_t height = 0;
  std::uint32_t depth = 0;        // slices
  std::uint64_t row_bytes = 0;    // of a row of blocks
  std::uint64_t slice_bytes = 0;  // of a slice: all rows
  std::uint64_t part_bytes = 0;   // of one layer and face: all slices
  std::uint64_t offset = 0;       // of the first part
  std::uint64_t part_stride = 0;  // from one part to the next
};

// What a texture has, and where.
struct texture_shape {
  gpu_format format;
  std::uint32_t layers = 1;  // of an array; otherwise 1
  std::uint32_t faces = 1;   // 6 for cubes: +x, -x, +y, -y, +z, -z
  std::uint32_t levels = 0;  // that it has
  // How many larger ones the file has: level[0] is the first that is left. Only of a texture that
  // was made of the beginning of its file.
  std::uint32_t first_level = 0;
  texture_level level[texture_levels_max];

  [[nodiscard]] std::uint32_t width() const noexcept { return level[0].width; }
  [[nodiscard]] std::uint32_t height() const noexcept { return level[0].height; }
  [[nodiscard]] std::uint32_t depth() const noexcept { return level[0].depth; }
};

// A texture. Move-only; owns its memory. Any number of threads may read one.
class texture : public texture_shape {
 public:
  texture() = default;
  // The parts are in `content`, where `shape` says; the last `value_bytes` of it are key_values().
  texture(const texture_shape& shape, decoded_asset content, std::size_t value_bytes = 0) noexcept
      : texture_shape(shape), value_bytes_(value_bytes), content_(std::move(content)) {}

  // All parts, aligned to 64 bytes. Each begins at a multiple of format.block_bytes, in KTX2 each
  // level at a multiple of 16 too.
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
    return content_.bytes().first(content_.bytes().size() - key_values().size());
  }
  // The pixels of one level of one layer and face, all of which must exist.
  [[nodiscard]] std::span<const std::byte> part(std::uint32_t of_level, std::uint32_t layer,
                                                std::uint32_t face) const noexcept {
    const texture_level& at = level[of_level];
    const std::uint64_t index = std::uint64_t{layer} * faces + face;
    return content_.bytes().subspan(at.offset + index * at.part_stride, at.part_bytes);
  }

  // What a KTX2 file says beside its pixels, by keys such as "KTXorientation" ("rd" and a NUL: the
  // second row is below the first) and keys of tools. Texts end with a NUL, as in the file. Without
  // data() if the file has no such key, or is no KTX2.
  [[nodiscard]] std::span<const std::byte> value(std::string_view key) const noexcept;
  // Calls visit(key, value) for each, in the order of the file.
  template <class Visit>
  void for_each_value(Visit&& visit) const {
    std::span<const std::byte> rest = key_values();
    std::string_view key;
    std::span<const std::byte> value;
    while (take_value(rest, key, value)) visit(key, value);
  }
  // All of them, as the file has them.
  [[nodiscard]] std::span<const std::byte> key_values() const noexcept {
    const std::size_t all = content_.bytes().size();  // 0 once it was moved from
    return content_.bytes().last(all < value_bytes_ ? 0 : value_bytes_);
  }

 private:
  static bool take_value(std::span<const std::byte>& rest, std::string_view& key,
                         std::span<const std::byte>& value) noexcept;

  std::size_t value_bytes_ = 0;
  decoded_asset content_;
};

// Makes a texture of a file, which its path helps to recognise, or of the beginning of a KTX2 file
// of `file_bytes`: then it has the small levels that are there. 0: `bytes` is the whole file.
// Errors: corrupt, limit, unsupported (no texture, or one in a format that is not known),
// out_of_memory. Any thread.
[[nodiscard]] result<texture> decode_texture(const asset_path& path,
                                             std::span<const std::byte> bytes,
                                             allocator& memory = default_allocator(),
                                             std::uint64_t file_bytes = 0) noexcept;

// What decode_texture() takes of memory with what it returns, judged by the header of the file; 0
// if that does not tell. Any thread.
[[nodiscard]] std::uint64_t texture_memory_needed(const asset_path& path,
                                                  std::span<const std::byte> bytes) noexcept;

// A loader that uploads derives from this one, is not free_threaded(), and has a finalize().
class texture_loader : public loader<texture> {
 public:
  // `memory` must outlive the store. Textures are ready with the levels that lie in the first
  // `first_bytes` of their file, and sharpen later, if it is a KTX2 that can be read in part; 0:
  // each is read whole. See overture/assets/asset_stage.hpp.
  explicit texture_loader(allocator& memory = default_allocator(),
                          std::uint64_t first_bytes = 0) noexcept
      : memory_(memory), first_bytes_(first_bytes) {}

  // Errors: those of decode_texture().
  result<texture> decode(std::span<const std::byte> bytes, load_context& context) override {
    return decode_texture(context.path(), bytes, memory_, context.file_bytes());
  }
  [[nodiscard]] std::uint64_t stage_bytes(unsigned stage) const noexcept override {
    return stage == 0 ? first_bytes_ : 0;
  }
  [[nodiscard]] std::uint64_t memory_needed(
      const asset_path& path, std::span<const std::byte> bytes) const noexcept override {
    return texture_memory_needed(path, bytes);
  }
  [[nodiscard]] std::uint64_t bytes_of(const texture& value) const noexcept override {
    return sizeof(texture) + value.bytes().size() + value.key_values().size();
  }
  [[nodiscard]] bool free_threaded() const noexcept override { return true; }

 private:
  allocator& memory_;
  std::uint64_t first_bytes_;
};

}  // namespace overture::loaders

// SPDX-License-Identifier: Zlib
#include "overture/loaders/texture_loader.hpp"

#include <algorithm>
#include <string_view>

#include "base/little_endian.hpp"
#include "loaders/decode_as.hpp"
#include "loaders/textures/ktx2.hpp"
#include "loaders/textures/shape.hpp"

namespace overture::loaders {

using namespace base_detail;

namespace {

using namespace std::string_view_literals;

// Whether a DDS file that has been decoded says that its layers are the faces of cubes.
bool is_cube(std::span<const std::byte> bytes) noexcept {
  constexpr std::uint32_t cube = 0x200;
  constexpr std::uint32_t extended_cube = 4;
  constexpr std::uint32_t dx10 = 0x30315844;
  if (bytes.size() < 148 || load_u32(&bytes[84]) != dx10) {
    return bytes.size() >= 128 && (load_u32(&bytes[112]) & cube) != 0;
  }
  return (load_u32(&bytes[136]) & extended_cube) != 0;
}

// A decoded texture has all levels of a layer, then those of the next.
texture_shape shape_of(const asset_info& info, bool cube) noexcept {
  texture_shape made;
  made.format = gpu_format_of(info.format, info.srgb);
  made.faces = cube && info.layers % 6 == 0 ? 6 : 1;
  made.layers = info.layers / made.faces;
  made.levels = info.levels;
  std::uint64_t layer = 0;
  for (std::uint32_t i = 0; i < made.levels; ++i) {
    measure_level(made.format, {info.width, info.height, info.depth}, i, made.level[i]);
    made.level[i].offset = layer;
    layer += made.level[i].part_bytes;
  }
  for (std::uint32_t i = 0; i < made.levels; ++i) made.level[i].part_stride = layer;
  return made;
}

}  // namespace

result<texture> decode_texture(const asset_path& path, std::span<const std::byte> bytes,
                               allocator& memory, std::uint64_t file_bytes) noexcept {
  file_bytes = std::max<std::uint64_t>(file_bytes, bytes.size());
  if (is_ktx2(bytes)) return decode_ktx2(bytes, file_bytes, memory);
  if (file_bytes > bytes.size()) {
    return fail(errc::unsupported, "only a KTX2 texture can be made of the beginning of its file");
  }
  result<decoded_asset> made = decode_as(asset_kind::texture, path.text, bytes, memory);
  if (!made) return tl::unexpected<error>(made.error());
  const decoder* const by = decoder_for(path.text, bytes);
  const texture_shape shape = shape_of(*made, by->name() == "dds"sv && is_cube(bytes));
  return texture(shape, *std::move(made));
}

bool texture::take_value(std::span<const std::byte>& rest, std::string_view& key,
                         std::span<const std::byte>& value) noexcept {
  return take_ktx2_value(rest, key, value);
}

std::span<const std::byte> texture::value(std::string_view key) const noexcept {
  std::span<const std::byte> found;
  for_each_value([&](std::string_view name, std::span<const std::byte> each) {
    if (name == key && found.data() == nullptr) found = each;
  });
  return found;
}

std::uint64_t texture_memory_needed(const asset_path& path,
                                    std::span<const std::byte> bytes) noexcept {
  // Beside the texture, unpacking takes some tables.
  constexpr std::uint64_t tables = 192u << 10;
  if (is_ktx2(bytes)) {
    // It may be the beginning of a file.
    const result<ktx2_header> header = parse_ktx2(bytes, UINT64_MAX);
    if (!header) return 0;
    return sizeof(texture) + header->bytes + header->values.bytes +
           (header->packed == compression::none ? 0 : tables);
  }
  const decoder* const by = decoder_for(path.text, bytes);
  if (by == nullptr) return 0;
  // The texture is a part of the file.
  if (by->name() == "dds"sv) return sizeof(texture) + bytes.size();
  const std::uint64_t decoding = by->memory_needed(bytes);
  return decoding == 0 ? 0 : sizeof(texture) + decoding;
}

}  // namespace overture::loaders

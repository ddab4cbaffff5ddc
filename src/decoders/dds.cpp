// SPDX-License-Identifier: Zlib
//
// DDS textures: the header is checked against the file and the pixels are copied unchanged.
#include <algorithm>
#include <bit>
#include <cstring>

#include "base/limit_text.hpp"
#include "base/little_endian.hpp"
#include "decoders/signature.hpp"
#include "decoders/table.hpp"
#include "overture/base/limits.hpp"

namespace overture::decoders_detail {
using namespace base_detail;

namespace {

constexpr std::size_t dds_header_bytes = 128;
constexpr std::size_t extended_bytes = 148;  // with the Direct3D 10 extension

constexpr std::uint32_t has_alpha = 0x1;  // flags of the pixel format
constexpr std::uint32_t is_alpha_only = 0x2;
constexpr std::uint32_t has_code = 0x4;
constexpr std::uint32_t is_rgb = 0x40;
constexpr std::uint32_t is_luminance = 0x2'0000;
constexpr std::uint32_t is_cube = 0x200;  // capabilities
constexpr std::uint32_t cube_faces = 0xFC00;
constexpr std::uint32_t is_volume = 0x20'0000;
constexpr std::uint32_t is_cube_extended = 0x4;

constexpr std::uint32_t code(const char (&text)[5]) noexcept {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i) {
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])) << 8 * i;
  }
  return value;
}

// Some programs leave out two of the eight fields, but only in the size that they state.
constexpr bool is_pixel_format_size(std::uint32_t bytes) noexcept {
  return bytes == 32 || bytes == 24;
}

struct coded_format {
  std::uint32_t number;
  texture_format format;
  bool srgb = false;
};

using enum texture_format;

// Old headers: a four-character code, or a D3DFORMAT number in its place.
constexpr coded_format by_code[] = {
    {code("DXT1"), bc1},       {code("DXT2"), bc2},       {code("DXT3"), bc2},
    {code("DXT4"), bc3},       {code("DXT5"), bc3},       {code("ATI1"), bc4_unorm},
    {code("BC4U"), bc4_unorm}, {code("BC4S"), bc4_snorm}, {code("ATI2"), bc5_unorm},
    {code("BC5U"), bc5_unorm}, {code("BC5S"), bc5_snorm}, {111, r16_float},
    {113, rgba16_float},       {116, rgba32_float},
};

// Extended headers: DXGI_FORMAT. Typeless formats count as the plain ones.
constexpr coded_format by_number[] = {
    {2, rgba32_float}, {10, rgba16_float}, {27, rgba8},       {28, rgba8},       {29, rgba8, true},
    {49, rg8},         {54, r16_float},    {61, r8},          {70, bc1},         {71, bc1},
    {72, bc1, true},   {73, bc2},          {74, bc2},         {75, bc2, true},   {76, bc3},
    {77, bc3},         {78, bc3, true},    {79, bc4_unorm},   {80, bc4_unorm},   {81, bc4_snorm},
    {82, bc5_unorm},   {83, bc5_unorm},    {84, bc5_snorm},   {85, b5g6r5},      {86, b5g5r5a1},
    {87, bgra8},       {88, bgrx8},        {90, bgra8},       {91, bgra8, true}, {92, bgrx8},
    {93, bgrx8, true}, {94, bc6h_ufloat},  {95, bc6h_ufloat}, {96, bc6h_sfloat}, {97, bc7},
    {98, bc7},         {99, bc7, true},    {115, bgra4},
};

// Old headers without a code: channel masks. Luminance maps to red, its alpha to green.
struct masked_format {
  std::uint32_t kind;
  std::uint32_t bits;
  std::uint32_t red, green, blue, alpha;
  texture_format format;
};
constexpr masked_format by_masks[] = {
    {is_rgb, 32, 0xFF, 0xFF00, 0xFF'0000, 0xFF00'0000, rgba8},
    {is_rgb, 32, 0xFF'0000, 0xFF00, 0xFF, 0xFF00'0000, bgra8},
    {is_rgb, 32, 0xFF'0000, 0xFF00, 0xFF, 0, bgrx8},
    {is_rgb, 24, 0xFF'0000, 0xFF00, 0xFF, 0, bgr8},
    {is_rgb, 16, 0xF800, 0x7E0, 0x1F, 0, b5g6r5},
    {is_rgb, 16, 0x7C00, 0x3E0, 0x1F, 0x8000, b5g5r5a1},
    {is_rgb, 16, 0xF00, 0xF0, 0xF, 0xF000, bgra4},
    {is_luminance, 8, 0xFF, 0, 0, 0, r8},
    {is_luminance, 16, 0xFF, 0, 0, 0xFF00, rg8},
    {is_alpha_only, 8, 0, 0, 0, 0xFF, r8},
};

void set_format(std::span<const coded_format> table, std::uint32_t number,
                asset_info& texture) noexcept {
  const auto found = std::find_if(table.begin(), table.end(), [number](const coded_format& known) {
    return known.number == number;
  });
  if (found == table.end()) return;
  texture.format = found->format;
  texture.srgb = found->srgb;
}

void set_format_by_masks(const std::byte* at, asset_info& texture) noexcept {
  const std::uint32_t flags = load_u32(at + 80);
  // Masks of absent channels may hold garbage.
  const auto mask = [&](std::uint32_t owners, std::size_t field) {
    return (flags & owners) != 0 ? load_u32(at + field) : 0;
  };
  const masked_format found{flags & (is_rgb | is_luminance | is_alpha_only),
                            load_u32(at + 88),
                            mask(is_rgb | is_luminance, 92),
                            mask(is_rgb, 96),
                            mask(is_rgb, 100),
                            mask(has_alpha | is_alpha_only, 104),
                            none};
  for (const masked_format& known : by_masks) {
    if (found.kind == known.kind && found.bits == known.bits && found.red == known.red &&
        found.green == known.green && found.blue == known.blue && found.alpha == known.alpha) {
      texture.format = known.format;
      return;
    }
  }
}

// Uncompressed formats are blocks of one pixel.
struct block_shape {
  std::uint32_t bytes;
  std::uint32_t side;  // pixels
};
block_shape shape_of(texture_format format) noexcept {
  switch (format) {
    case bc1:
    case bc4_unorm:
    case bc4_snorm:
      return {8, 4};
    case bc2:
    case bc3:
    case bc5_unorm:
    case bc5_snorm:
    case bc6h_ufloat:
    case bc6h_sfloat:
    case bc7:
      return {16, 4};
    case r8:
      return {1, 1};
    case rg8:
    case b5g6r5:
    case b5g5r5a1:
    case bgra4:
    case r16_float:
      return {2, 1};
    case bgr8:
      return {3, 1};
    case rgba8:
    case bgra8:
    case bgrx8:
      return {4, 1};
    case rgba16_float:
      return {8, 1};
    case rgba32_float:
      return {16, 1};
    case none:
      break;
  }
  return {0, 1};
}

// The bytes of one layer with all its levels. Cannot overflow: the sides are within the limits.
std::uint64_t layer_bytes(const asset_info& texture) noexcept {
  const block_shape block = shape_of(texture.format);
  const auto blocks = [&](std::uint32_t side, std::uint32_t level) {
    return (std::uint64_t{std::max(side >> level, 1u)} + block.side - 1) / block.side;
  };
  std::uint64_t bytes = 0;
  for (std::uint32_t level = 0; level < texture.levels; ++level) {
    bytes += blocks(texture.width, level) * blocks(texture.height, level) *
             std::max(texture.depth >> level, 1u) * block.bytes;
  }
  return bytes;
}

struct dds_header {
  asset_info texture;
  std::size_t pixels_offset = dds_header_bytes;
};

result<dds_header> parse_dds(std::span<const std::byte> bytes) noexcept {
  const std::byte* const at = bytes.data();
  if (bytes.size() < dds_header_bytes || load_u32(at) != code("DDS ") || load_u32(at + 4) != 124 ||
      !is_pixel_format_size(load_u32(at + 76))) {
    return fail(errc::corrupt, "not a DDS file");
  }
  dds_header header;
  asset_info& texture = header.texture;
  texture.height = load_u32(at + 12);
  texture.width = load_u32(at + 16);
  texture.levels = std::max(load_u32(at + 28), 1u);
  const std::uint32_t capabilities = load_u32(at + 112);
  texture.depth = (capabilities & is_volume) != 0 ? load_u32(at + 24) : 1;
  texture.layers = 1;
  if ((capabilities & is_cube) != 0) {
    const int faces = std::popcount(capabilities & cube_faces);
    texture.layers = faces == 0 ? 6 : static_cast<std::uint32_t>(faces);
  }
  const bool coded = (load_u32(at + 80) & has_code) != 0;
  if (coded && load_u32(at + 84) == code("DX10")) {
    if (bytes.size() < extended_bytes) return fail(errc::corrupt, "the DDS file is truncated");
    header.pixels_offset = extended_bytes;
    set_format(by_number, load_u32(at + 128), texture);
    texture.layers = load_u32(at + 140);
    // Clamped so that the product cannot wrap; no file has that many layers.
    if ((load_u32(at + 136) & is_cube_extended) != 0) {
      texture.layers = std::min(texture.layers, UINT32_MAX / 6) * 6;
    }
  } else if (coded) {
    set_format(by_code, load_u32(at + 84), texture);
  } else {
    set_format_by_masks(at, texture);
  }
  return header;
}

result<void> check(const asset_info& texture) noexcept {
  if (texture.format == none) return fail(errc::unsupported, "unsupported DDS pixel format");
  if (texture.width == 0 || texture.height == 0 || texture.depth == 0 || texture.layers == 0) {
    return fail(errc::corrupt, "DDS texture without pixels");
  }
  const std::uint32_t side = std::max({texture.width, texture.height, texture.depth});
  if (side > limits::image_side_max) {
    return fail(errc::limit, limit_text::image_side);
  }
  if (texture.levels > static_cast<std::uint32_t>(std::bit_width(side))) {
    return fail(errc::corrupt, "DDS texture with too many mip levels for its size");
  }
  return {};
}

class dds final : public decoder {
 public:
  const char* name() const noexcept override { return "dds"; }

  bool accepts(std::string_view path, std::span<const std::byte> bytes) const noexcept override {
    return is_file_of(file_format::dds, path, bytes);
  }

  result<decoded_asset> decode(std::span<const std::byte> bytes, allocator& memory,
                               parallel_runner&) const noexcept override {
    const result<dds_header> header = parse_dds(bytes);
    if (!header) return tl::unexpected<error>(header.error());
    if (const result<void> checked = check(header->texture); !checked) {
      return tl::unexpected<error>(checked.error());
    }
    const std::uint64_t layer = layer_bytes(header->texture);
    if (!fits(header->pixels_offset, header->texture.layers, layer, bytes.size())) {
      return fail(errc::corrupt, "the DDS file is truncated");
    }
    const std::uint64_t size = layer * header->texture.layers;
    if (size > limits::image_bytes_max) {
      return fail(errc::limit, limit_text::image_bytes);
    }
    result<decoded_asset> texture = decoded_asset::make(asset_kind::texture, size, memory);
    if (!texture) return texture;
    static_cast<asset_info&>(*texture) = header->texture;
    std::memcpy(texture->bytes().data(), bytes.data() + header->pixels_offset, size);
    return texture;
  }
};

}  // namespace

const decoder& dds_decoder() noexcept {
  static const dds instance;
  return instance;
}

}  // namespace overture::decoders_detail

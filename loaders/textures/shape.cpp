// SPDX-License-Identifier: Zlib
//
// The formats of Vulkan by their numbers, which are in runs: one row for each set of channels.
#include <algorithm>
#include <iterator>

#include "loaders/textures/shape.hpp"

namespace overture::loaders {

namespace {

constexpr const char* whole[] = {"UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "SRGB"};
constexpr const char* half[] = {"UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "SFLOAT"};
constexpr const char* full[] = {"UINT", "SINT", "SFLOAT"};
constexpr const char* packed[] = {"UNORM_PACK16"};
constexpr const char* packed32[] = {"UNORM_PACK32",   "SNORM_PACK32", "USCALED_PACK32",
                                    "SSCALED_PACK32", "UINT_PACK32",  "SINT_PACK32",
                                    "SRGB_PACK32"};
constexpr const char* shared[] = {"UFLOAT_PACK32"};
constexpr const char* colour[] = {"UNORM_BLOCK", "SRGB_BLOCK"};
constexpr const char* plain[] = {"UNORM_BLOCK", "SNORM_BLOCK"};
constexpr const char* wide[] = {"UFLOAT_BLOCK", "SFLOAT_BLOCK"};
constexpr const char* high[] = {"SFLOAT_BLOCK"};

struct run {
  std::uint32_t first;
  std::uint8_t count;
  const char* const* numbers;
  const char* channels;
  std::uint8_t bytes;
  std::uint8_t width = 1;
  std::uint8_t height = 1;
};

constexpr run runs[] = {
    {2, 1, packed, "R4G4B4A4", 2},
    {3, 1, packed, "B4G4R4A4", 2},
    {4, 1, packed, "R5G6B5", 2},
    {5, 1, packed, "B5G6R5", 2},
    {6, 1, packed, "R5G5B5A1", 2},
    {7, 1, packed, "B5G5R5A1", 2},
    {8, 1, packed, "A1R5G5B5", 2},
    {9, 7, whole, "R8", 1},
    {16, 7, whole, "R8G8", 2},
    {23, 7, whole, "R8G8B8", 3},
    {30, 7, whole, "B8G8R8", 3},
    {37, 7, whole, "R8G8B8A8", 4},
    {44, 7, whole, "B8G8R8A8", 4},
    {51, 7, packed32, "A8B8G8R8", 4},
    {58, 6, packed32, "A2R10G10B10", 4},
    {64, 6, packed32, "A2B10G10R10", 4},
    {70, 7, half, "R16", 2},
    {77, 7, half, "R16G16", 4},
    {84, 7, half, "R16G16B16", 6},
    {91, 7, half, "R16G16B16A16", 8},
    {98, 3, full, "R32", 4},
    {101, 3, full, "R32G32", 8},
    {104, 3, full, "R32G32B32", 12},
    {107, 3, full, "R32G32B32A32", 16},
    {122, 1, shared, "B10G11R11", 4},
    {123, 1, shared, "E5B9G9R9", 4},
    {131, 2, colour, "BC1_RGB", 8, 4, 4},
    {133, 2, colour, "BC1_RGBA", 8, 4, 4},
    {135, 2, colour, "BC2", 16, 4, 4},
    {137, 2, colour, "BC3", 16, 4, 4},
    {139, 2, plain, "BC4", 8, 4, 4},
    {141, 2, plain, "BC5", 16, 4, 4},
    {143, 2, wide, "BC6H", 16, 4, 4},
    {145, 2, colour, "BC7", 16, 4, 4},
    {147, 2, colour, "ETC2_R8G8B8", 8, 4, 4},
    {149, 2, colour, "ETC2_R8G8B8A1", 8, 4, 4},
    {151, 2, colour, "ETC2_R8G8B8A8", 16, 4, 4},
    {153, 2, plain, "EAC_R11", 8, 4, 4},
    {155, 2, plain, "EAC_R11G11", 16, 4, 4},
    {1000340000, 1, packed, "A4R4G4B4", 2},
    {1000340001, 1, packed, "A4B4G4R4", 2},
};

// ASTC: plain ones from 157 on, two each, and high dynamic range from 1000066000 on.
struct astc_size {
  const char* name;
  std::uint8_t width;
  std::uint8_t height;
};
constexpr astc_size astc_sizes[] = {
    {"ASTC_4x4", 4, 4},     {"ASTC_5x4", 5, 4},     {"ASTC_5x5", 5, 5},   {"ASTC_6x5", 6, 5},
    {"ASTC_6x6", 6, 6},     {"ASTC_8x5", 8, 5},     {"ASTC_8x6", 8, 6},   {"ASTC_8x8", 8, 8},
    {"ASTC_10x5", 10, 5},   {"ASTC_10x6", 10, 6},   {"ASTC_10x8", 10, 8}, {"ASTC_10x10", 10, 10},
    {"ASTC_12x10", 12, 10}, {"ASTC_12x12", 12, 12},
};
constexpr std::uint32_t astc_first = 157;
constexpr std::uint32_t astc_high_first = 1000066000;
constexpr std::uint32_t astc_bytes = 16;

struct number_pair {
  std::uint32_t vulkan;
  std::uint32_t dxgi;
};
constexpr number_pair dxgi_of[] = {
    {4, 85},           {8, 86},   {9, 61},   {10, 63},  {13, 62},  {14, 64},  {16, 49},  {17, 51},
    {20, 50},          {21, 52},  {37, 28},  {38, 31},  {41, 30},  {42, 32},  {43, 29},  {44, 87},
    {50, 91},          {64, 24},  {68, 25},  {70, 56},  {71, 58},  {74, 57},  {75, 59},  {76, 54},
    {77, 35},          {78, 37},  {81, 36},  {82, 38},  {83, 34},  {91, 11},  {92, 13},  {95, 12},
    {96, 14},          {97, 10},  {98, 42},  {99, 43},  {100, 41}, {101, 17}, {102, 18}, {103, 16},
    {104, 7},          {105, 8},  {106, 6},  {107, 3},  {108, 4},  {109, 2},  {122, 26}, {123, 67},
    {131, 71},         {132, 72}, {133, 71}, {134, 72}, {135, 74}, {136, 75}, {137, 77}, {138, 78},
    {139, 80},         {140, 81}, {141, 83}, {142, 84}, {143, 95}, {144, 96}, {145, 98}, {146, 99},
    {1000340000, 115},
};

gpu_format astc_of(std::uint32_t vulkan) noexcept {
  const bool is_high = vulkan >= astc_high_first;
  const std::uint32_t at = is_high ? vulkan - astc_high_first : (vulkan - astc_first) / 2;
  if (vulkan < astc_first || at >= std::size(astc_sizes)) return {};
  const char* const numbers = is_high ? high[0] : colour[(vulkan - astc_first) % 2];
  return {vulkan,    0, astc_sizes[at].name, numbers, astc_sizes[at].width, astc_sizes[at].height,
          astc_bytes};
}

struct decoded_format {
  texture_format format;
  std::uint32_t vulkan;
  std::uint32_t srgb = 0;
};
}  // namespace

gpu_format gpu_format_of(std::uint32_t vulkan) noexcept {
  for (const run& each : runs) {
    if (vulkan < each.first || vulkan - each.first >= each.count) continue;
    gpu_format found{vulkan,     0,           each.channels, each.numbers[vulkan - each.first],
                     each.width, each.height, each.bytes};
    for (const number_pair& pair : dxgi_of) {
      if (pair.vulkan == vulkan) found.dxgi = pair.dxgi;
    }
    return found;
  }
  return astc_of(vulkan);
}

gpu_format gpu_format_of(texture_format format, bool srgb) noexcept {
  using enum texture_format;
  static constexpr decoded_format decoded_formats[] = {
      {bc1, 133, 134},    {bc2, 135, 136},     {bc3, 137, 138},     {bc4_unorm, 139},
      {bc4_snorm, 140},   {bc5_unorm, 141},    {bc5_snorm, 142},    {bc6h_ufloat, 143},
      {bc6h_sfloat, 144}, {bc7, 145, 146},     {r8, 9, 15},         {rg8, 16, 22},
      {bgr8, 30, 36},     {rgba8, 37, 43},     {bgra8, 44, 50},     {bgrx8, 44, 50},
      {b5g6r5, 4},        {b5g5r5a1, 8},       {bgra4, 1000340000}, {r16_float, 76},
      {rgba16_float, 97}, {rgba32_float, 109},
  };
  for (const decoded_format& each : decoded_formats) {
    if (each.format != format) continue;
    gpu_format found = gpu_format_of(srgb && each.srgb != 0 ? each.srgb : each.vulkan);
    // Vulkan has no format without alpha for them.
    if (format == bgrx8) found.dxgi = srgb ? 93 : 88;
    return found;
  }
  return {};
}

void measure_level(const gpu_format& format, const texture_sides& sides, std::uint32_t level,
                   texture_level& into) noexcept {
  const auto smaller = [level](std::uint32_t side) { return std::max(side >> level, 1u); };
  const auto blocks = [](std::uint32_t side, std::uint32_t block) {
    return (std::uint64_t{side} + block - 1) / block;
  };
  into.width = smaller(sides.width);
  into.height = smaller(sides.height);
  into.depth = smaller(sides.depth);
  into.row_bytes = blocks(into.width, format.block_width) * format.block_bytes;
  into.slice_bytes = into.row_bytes * blocks(into.height, format.block_height);
  into.part_bytes = into.slice_bytes * into.depth;
}

}  // namespace overture::loaders

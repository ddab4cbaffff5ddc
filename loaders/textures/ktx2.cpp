// SPDX-License-Identifier: Zlib
#include "loaders/textures/ktx2.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <string_view>

#include "base/limit_text.hpp"
#include "base/little_endian.hpp"
#include "loaders/textures/shape.hpp"
#include "overture/base/limits.hpp"

namespace overture::loaders {

using namespace base_detail;

namespace {

constexpr std::string_view identifier("\xABKTX 20\xBB\r\n\x1A\n", 12);
constexpr std::size_t index_at = 80;
constexpr std::size_t index_entry_bytes = 24;
constexpr std::uint64_t level_alignment = 16;

constexpr const char* truncated = "the KTX2 file is truncated";

// The layout of pixels in the data format descriptor, where Vulkan has no number for it.
constexpr std::uint8_t model_etc1s = 163;
constexpr std::uint8_t model_uastc = 166;

struct stated {
  std::uint32_t format, width, height, depth, layers, faces, levels, scheme, descriptor_at;
  ktx2_values values;
};

stated read_header(const std::byte* at) noexcept {
  return {.format = load_u32(at + 12),
          .width = load_u32(at + 20),
          .height = load_u32(at + 24),
          .depth = load_u32(at + 28),
          .layers = load_u32(at + 32),
          .faces = load_u32(at + 36),
          .levels = load_u32(at + 40),
          .scheme = load_u32(at + 44),
          .descriptor_at = load_u32(at + 48),
          .values = {load_u32(at + 56), load_u32(at + 60)}};
}

tl::unexpected<error> refuse_format(const stated& says, std::span<const std::byte> bytes) noexcept {
  constexpr std::uint64_t model_at = 12;  // in the descriptor
  std::uint8_t model = 0;
  if (says.format == 0 && fits(says.descriptor_at, model_at + 1, 1, bytes.size())) {
    model = static_cast<std::uint8_t>(load_u8(&bytes[says.descriptor_at + model_at]));
  }
  if (model == model_uastc) {
    return fail(errc::unsupported, "KTX2 with Basis Universal (UASTC), which must be transcoded");
  }
  if (model == model_etc1s || says.scheme == 1) {
    return fail(errc::unsupported, "KTX2 with Basis Universal (ETC1S), which must be transcoded");
  }
  return fail(errc::unsupported, "unsupported KTX2 pixel format", {}, 12);
}

result<compression> compression_of(std::uint32_t scheme) noexcept {
  switch (scheme) {
    case 0:
      return compression::none;
    case 2:
      return compression::zstd;
    case 3:
      return compression::zlib;
    default:
      return fail(errc::unsupported, "unsupported KTX2 supercompression", {}, 44);
  }
}

result<void> check_sizes(const stated& says) noexcept {
  if (says.width == 0) return fail(errc::corrupt, "KTX2 texture without pixels");
  if (says.height == 0 && says.depth != 0) {
    return fail(errc::corrupt, "KTX2 texture with a depth but no height");
  }
  const std::uint32_t side = std::max({says.width, says.height, says.depth});
  if (side > limits::image_side_max) return fail(errc::limit, limit_text::image_side);
  if (says.levels > static_cast<std::uint32_t>(std::bit_width(side))) {
    return fail(errc::corrupt, "KTX2 texture with too many mip levels for its size");
  }
  if (says.faces != 1 && says.faces != 6) {
    return fail(errc::corrupt, "KTX2 texture with other than one or six faces");
  }
  if (says.faces == 6 && (says.width != says.height || says.depth != 0)) {
    return fail(errc::corrupt, "KTX2 cube whose faces are not square");
  }
  if (says.layers > limits::image_bytes_max) return fail(errc::limit, limit_text::image_bytes);
  return {};
}

// Sizes of levels, each after the other, without those before `first_level`. The sides and layers
// are within the limits, so that the sum of one level cannot overflow.
result<std::uint64_t> place_levels(texture_shape& made, const stated& says) noexcept {
  const std::uint64_t parts = std::uint64_t{made.layers} * made.faces;
  const std::uint64_t alignment = std::lcm(std::uint64_t{made.format.block_bytes}, level_alignment);
  std::uint64_t end = 0;
  for (std::uint32_t i = 0; i < made.levels; ++i) {
    texture_level& level = made.level[i];
    measure_level(made.format, {says.width, says.height, says.depth}, made.first_level + i, level);
    if (level.part_bytes > limits::image_bytes_max / parts) {
      return fail(errc::limit, limit_text::image_bytes);
    }
    level.part_stride = level.part_bytes;
    level.offset = (end + alignment - 1) / alignment * alignment;
    end = level.offset + level.part_bytes * parts;
    if (end > limits::image_bytes_max) return fail(errc::limit, limit_text::image_bytes);
  }
  return end;
}

// Levels lie behind the index, and have the size that follows from the format.
result<void> find_levels(ktx2_header& header, std::span<const std::byte> bytes,
                         std::uint64_t file_bytes) noexcept {
  const texture_shape& made = header.shape;
  const std::uint64_t parts = std::uint64_t{made.layers} * made.faces;
  const std::uint64_t index_end = index_at + std::uint64_t{made.levels} * index_entry_bytes;
  if (bytes.size() < index_end) return fail(errc::corrupt, truncated);
  for (std::uint32_t i = 0; i < made.levels; ++i) {
    const std::size_t entry = index_at + i * index_entry_bytes;
    ktx2_level& level = header.level[i];
    level = {load_u64(&bytes[entry]), load_u64(&bytes[entry + 8])};
    if (level.offset < index_end) {
      return fail(errc::corrupt, "a mip level of the KTX2 file lies in its header", {}, entry);
    }
    if (!fits(level.offset, level.bytes, 1, file_bytes)) return fail(errc::corrupt, truncated);
    const std::uint64_t expected = made.level[i].part_bytes * parts;
    const std::uint64_t unpacked =
        header.packed == compression::none ? level.bytes : load_u64(&bytes[entry + 16]);
    if (unpacked != expected) {
      return fail(errc::corrupt, "a mip level of the KTX2 file has the wrong size", {}, entry);
    }
  }
  return {};
}

// Of the beginning of a file: the large levels are at the end.
void leave_out_levels(ktx2_header& header, std::span<const std::byte> bytes) noexcept {
  texture_shape& made = header.shape;
  std::uint32_t first = made.levels;
  while (first > 0) {
    const ktx2_level& level = header.level[first - 1];
    if (!fits(level.offset, level.bytes, 1, bytes.size())) break;
    --first;
  }
  std::copy(header.level + first, header.level + made.levels, header.level);
  made.first_level = first;
  made.levels -= first;
}

// A u32 of how many bytes follow: a key, a NUL, and the value; and padding to a multiple of four.
constexpr std::size_t value_length_bytes = 4;

result<void> check_values(const ktx2_values& values, std::span<const std::byte> bytes) noexcept {
  if (values.bytes == 0) return {};
  if (!fits(values.offset, values.bytes, 1, bytes.size())) return fail(errc::corrupt, truncated);
  std::span<const std::byte> rest = bytes.subspan(values.offset, values.bytes);
  std::string_view key;
  for (std::span<const std::byte> value; take_ktx2_value(rest, key, value);) continue;
  if (rest.empty()) return {};
  const auto at = values.offset + values.bytes - rest.size();
  return fail(errc::corrupt, "a key or value of the KTX2 file is damaged", {}, at);
}

}  // namespace

bool take_ktx2_value(std::span<const std::byte>& rest, std::string_view& key,
                     std::span<const std::byte>& value) noexcept {
  if (rest.size() < value_length_bytes) return false;
  const std::uint64_t length = load_u32(rest.data());
  if (length > rest.size() - value_length_bytes) return false;
  const std::span<const std::byte> both = rest.subspan(value_length_bytes, length);
  const std::string_view text(reinterpret_cast<const char*>(both.data()), both.size());
  const std::size_t end = text.find('\0');
  if (end == std::string_view::npos || end == 0) return false;
  key = text.substr(0, end);
  value = both.subspan(end + 1);
  // The last one may lack its padding.
  const std::size_t padded = (length + value_length_bytes + 3) / 4 * 4;
  rest = rest.subspan(std::min<std::size_t>(padded, rest.size()));
  return true;
}

bool is_ktx2(std::span<const std::byte> bytes) noexcept {
  return bytes.size() >= identifier.size() &&
         std::memcmp(bytes.data(), identifier.data(), identifier.size()) == 0;
}

result<ktx2_header> parse_ktx2(std::span<const std::byte> bytes,
                               std::uint64_t file_bytes) noexcept {
  if (!is_ktx2(bytes)) return fail(errc::corrupt, "not a KTX2 file");
  if (bytes.size() < index_at) return fail(errc::corrupt, truncated);
  const stated says = read_header(bytes.data());
  if (const result<void> checked = check_sizes(says); !checked) {
    return tl::unexpected<error>(checked.error());
  }
  ktx2_header header;
  texture_shape& made = header.shape;
  made.format = gpu_format_of(says.format);
  if (made.format.block_bytes == 0) return refuse_format(says, bytes);
  const result<compression> packed = compression_of(says.scheme);
  if (!packed) return tl::unexpected<error>(packed.error());
  header.packed = *packed;
  made.layers = std::max(says.layers, 1u);
  made.faces = says.faces;
  made.levels = std::max(says.levels, 1u);  // 0: the others are to be made of the first
  result<std::uint64_t> size = place_levels(made, says);
  if (!size) return tl::unexpected<error>(size.error());
  if (const result<void> found = find_levels(header, bytes, file_bytes); !found) {
    return tl::unexpected<error>(found.error());
  }
  leave_out_levels(header, bytes);
  if (made.levels == 0) return fail(errc::corrupt, truncated);
  if (made.first_level > 0) size = place_levels(made, says);
  header.bytes = *size;
  const bool is_beyond =
      bytes.size() < file_bytes && !fits(says.values.offset, says.values.bytes, 1, bytes.size());
  header.values = says.values.bytes == 0 || is_beyond ? ktx2_values{} : says.values;
  if (const result<void> checked = check_values(header.values, bytes); !checked) {
    return tl::unexpected<error>(checked.error());
  }
  // As for images, which compress no better: a tiny file must not claim a huge texture.
  if (*size > limits::image_bytes_always &&
      *size / 4 / limits::image_pixels_per_byte_max > bytes.size()) {
    return fail(errc::limit, limit_text::image_ratio);
  }
  return header;
}

result<texture> decode_ktx2(std::span<const std::byte> bytes, std::uint64_t file_bytes,
                            allocator& memory) noexcept {
  result<ktx2_header> header = parse_ktx2(bytes, file_bytes);
  if (!header) return tl::unexpected<error>(header.error());
  const ktx2_values& values = header->values;
  result<decoded_asset> content =
      decoded_asset::make(asset_kind::texture, header->bytes + values.bytes, memory);
  if (!content) return tl::unexpected<error>(content.error());
  const texture_shape& found = header->shape;
  const std::span<std::byte> all = content->bytes();
  unpacker unpack;
  std::uint64_t end = 0;
  for (std::uint32_t i = 0; i < found.levels; ++i) {
    const texture_level& level = found.level[i];
    std::memset(all.data() + end, 0, level.offset - end);
    const auto to = all.subspan(level.offset, level.part_bytes * found.layers * found.faces);
    end = level.offset + to.size();
    const ktx2_level& from = header->level[i];
    const auto packed = bytes.subspan(from.offset, from.bytes);
    if (const result<void> done = unpack.unpack(header->packed, packed, to); !done) {
      error failure = done.error();
      failure.offset += from.offset;
      return tl::unexpected<error>(failure);
    }
  }
  if (values.bytes != 0) {
    std::memcpy(all.data() + end, bytes.data() + values.offset, values.bytes);
  }
  return texture(found, *std::move(content), values.bytes);
}

}  // namespace overture::loaders

// SPDX-License-Identifier: Zlib
#include "decoders/mpeg_frames.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/little_endian.hpp"

namespace overture::decoders_detail {
using namespace base_detail;

// ISO/IEC 11172-3, 2.4.1.3, and 13818-3 for the lower rates. Layer III only.
mpeg_frame parse_mpeg_frame(std::span<const std::byte> at) noexcept {
  if (at.size() < 4 || load_u8(&at[0]) != 0xFF) return {};
  const std::uint32_t second = load_u8(&at[1]);
  const std::uint32_t third = load_u8(&at[2]);
  const std::uint32_t version = second >> 3 & 3;  // 3: MPEG 1; 2: MPEG 2; 0: MPEG 2.5
  const std::uint32_t rate_index = third >> 4;
  const std::uint32_t frequency_index = third >> 2 & 3;
  const bool is_layer_3 = second >> 5 == 7 && (second >> 1 & 3) == 1;
  if (!is_layer_3 || version == 1 || rate_index == 0 || rate_index == 15 || frequency_index == 3) {
    return {};
  }
  static constexpr std::uint32_t kilobits[2][15] = {
      {0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
      {0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320}};
  static constexpr std::uint32_t frequencies[3] = {44'100, 48'000, 32'000};
  const bool is_first = version == 3;
  const std::uint32_t frequency = frequencies[frequency_index] >> (is_first       ? 0
                                                                   : version == 2 ? 1
                                                                                  : 2);
  mpeg_frame header;
  header.samples = is_first ? 1152 : 576;
  header.channels = load_u8(&at[3]) >> 6 == 3 ? 1 : 2;
  header.bytes =
      header.samples / 8 * kilobits[is_first][rate_index] * 1000 / frequency + (third >> 1 & 1);
  const std::size_t mono_bytes = is_first ? 17 : 9;
  const std::size_t stereo_bytes = is_first ? 32 : 17;
  header.tag_at = 4 + (header.channels == 1 ? mono_bytes : stereo_bytes);
  return header;
}

// Its length has seven bits in each byte.
std::size_t id3_bytes(std::span<const std::byte> file) noexcept {
  if (file.size() < 10 || std::memcmp(file.data(), "ID3", 3) != 0) return 0;
  std::size_t length = 10;
  for (std::size_t i = 0, shift = 21; i < 4; ++i, shift -= 7) {
    length += std::size_t{load_u8(&file[6 + i]) & 127} << shift;
  }
  return std::min(length, file.size());
}

mpeg_frame_count count_mpeg_frames(std::span<const std::byte> file) noexcept {
  mpeg_frame_count count;
  std::span<const std::byte> rest = file.subspan(id3_bytes(file));
  for (;;) {
    const mpeg_frame header = parse_mpeg_frame(rest);
    if (header.bytes == 0) return count;
    if (header.bytes > rest.size()) {
      count.last_is_cut = true;
      return count;
    }
    if (count.frames == 0) {
      count.channels = header.channels;
      const std::string_view tag(reinterpret_cast<const char*>(rest.data()), header.bytes);
      const bool has_tag =
          tag.size() >= header.tag_at + 12 &&
          (tag.substr(header.tag_at, 4) == "Xing" || tag.substr(header.tag_at, 4) == "Info");
      if (has_tag && (load_u8(&rest[header.tag_at + 7]) & 1) != 0) {
        for (std::size_t i = 8; i < 12; ++i) {
          count.stated_frames = count.stated_frames << 8 | load_u8(&rest[header.tag_at + i]);
        }
      }
    }
    ++count.frames;
    count.samples += header.samples;
    rest = rest.subspan(header.bytes);
  }
}

}  // namespace overture::decoders_detail

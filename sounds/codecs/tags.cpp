// SPDX-License-Identifier: Zlib
#include "sounds/codecs/tags.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/little_endian.hpp"

namespace overture::sounds_detail {
using namespace base_detail;

namespace {

constexpr std::size_t id3_header_bytes = 10;

char lower(char letter) noexcept {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

bool is_name(std::string_view given, std::string_view name) noexcept {
  return given.size() == name.size() && std::equal(given.begin(), given.end(), name.begin(),
                                                   [](char a, char b) { return lower(a) == b; });
}

std::optional<std::uint64_t> frame_number(std::string_view text) noexcept {
  constexpr std::uint64_t most = std::uint64_t{1} << 40;
  std::uint64_t number = 0;
  if (text.empty()) return std::nullopt;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return std::nullopt;
    number = number * 10 + static_cast<unsigned>(digit - '0');
    if (number > most) return std::nullopt;
  }
  return number;
}

void take_tag(loop_tags& tags, std::string_view name, std::string_view text) noexcept {
  const std::optional<std::uint64_t> number = frame_number(text);
  if (!number) return;
  if (is_name(name, "loopstart")) {
    tags.has_begin = true;
    tags.begin = *number;
  } else if (is_name(name, "looplength")) {
    tags.length = *number;
  } else if (is_name(name, "loopend")) {
    tags.end = *number;
  }
}

std::uint32_t big_endian(const std::byte* at) noexcept {
  return load_u8(at) << 24 | load_u8(at + 1) << 16 | load_u8(at + 2) << 8 | load_u8(at + 3);
}
// Seven bits in each byte.
std::uint32_t id3_number(const std::byte* at) noexcept {
  return (load_u8(at) & 127) << 21 | (load_u8(at + 1) & 127) << 14 | (load_u8(at + 2) & 127) << 7 |
         (load_u8(at + 3) & 127);
}

// The description and the text of a TXXX frame. Names and numbers are ASCII, so what UTF-16 adds
// can be left out.
void take_id3_text(loop_tags& tags, std::span<const std::byte> frame) noexcept {
  constexpr std::size_t texts_max = 64;
  char texts[2][texts_max] = {};
  std::size_t sizes[2] = {};
  if (frame.empty() || load_u8(frame.data()) > 3) return;
  const bool is_wide = load_u8(frame.data()) == 1 || load_u8(frame.data()) == 2;
  std::size_t text = 0;
  unsigned zeros = 0;
  for (const std::byte each : frame.subspan(1)) {
    const std::uint32_t byte = load_u8(&each);
    zeros = byte == 0 ? zeros + 1 : 0;
    // In UTF-16 a letter brings one zero, or two meet at the end of a text.
    if (byte == 0 && zeros >= (is_wide ? 2u : 1u) && text == 0 && sizes[0] != 0) text = 1;
    if (byte == 0 || byte >= 128) continue;
    if (sizes[text] == texts_max) return;
    texts[text][sizes[text]++] = static_cast<char>(byte);
  }
  take_tag(tags, {texts[0], sizes[0]}, {texts[1], sizes[1]});
}

}  // namespace

loop_tags tags_of_comments(std::span<const std::byte> list) noexcept {
  loop_tags tags;
  std::size_t at = 0;
  const auto next = [&]() -> std::optional<std::string_view> {
    if (!fits(at, 4, 1, list.size())) return std::nullopt;
    const std::uint32_t bytes = load_u32(&list[at]);
    at += 4;
    if (!fits(at, bytes, 1, list.size())) return std::nullopt;
    const std::string_view text(reinterpret_cast<const char*>(list.data()) + at, bytes);
    at += bytes;
    return text;
  };
  if (!next() || !fits(at, 4, 1, list.size())) return tags;
  at += 4;  // the number of comments; those that there are count
  while (const std::optional<std::string_view> comment = next()) {
    const std::size_t equals = comment->find('=');
    if (equals == std::string_view::npos) continue;
    take_tag(tags, comment->substr(0, equals), comment->substr(equals + 1));
  }
  return tags;
}

std::uint64_t id3_tag_bytes(std::span<const std::byte> front) noexcept {
  if (front.size() < id3_header_bytes || std::memcmp(front.data(), "ID3", 3) != 0) return 0;
  return id3_header_bytes + std::uint64_t{id3_number(&front[6])};
}

loop_tags tags_of_id3(std::span<const std::byte> tag) noexcept {
  loop_tags tags;
  const std::uint64_t bytes = id3_tag_bytes(tag);
  if (bytes == 0) return tags;
  tag = tag.first(std::min<std::size_t>(tag.size(), bytes));
  const std::uint32_t version = load_u8(&tag[3]);
  if (version != 3 && version != 4) return tags;
  constexpr std::size_t frame_header_bytes = 10;
  for (std::size_t at = id3_header_bytes; fits(at, frame_header_bytes, 1, tag.size());) {
    const std::byte* const header = &tag[at];
    const std::uint32_t size = version == 4 ? id3_number(header + 4) : big_endian(header + 4);
    if (load_u8(header) == 0) break;  // padding
    at += frame_header_bytes;
    if (!fits(at, size, 1, tag.size())) break;
    if (std::memcmp(header, "TXXX", 4) == 0) take_id3_text(tags, tag.subspan(at, size));
    at += size;
  }
  return tags;
}

}  // namespace overture::sounds_detail

// SPDX-License-Identifier: Zlib
//
// Text: becomes UTF-8, with its lines counted.
#include <algorithm>
#include <array>
#include <cstring>

#include "base/ascii.hpp"
#include "decoders/table.hpp"
#include "decoders/text_of.hpp"
#include "overture/base/path.hpp"

namespace overture::decoders_detail {
using namespace base_detail;

namespace {

// What is text by its name, whatever its encoding. Formats that declare their encoding somewhere
// inside (.po, .html) are left out; XML declares it up front.
constexpr std::array<std::string_view, 23> text_extensions = {
    "txt",  "md",  "cfg",    "ini",   "conf",   "yaml", "yml",  "csv",
    "lua",  "js",  "py",     "stl",   "nfo",    "stwm", "glsl", "frag",
    "vert", "lst", "shader", "arena", "script", "menu", "info"};

// UTF-8 by specification: anything else is damaged.
constexpr std::array<std::string_view, 3> utf8_extensions = {"json", "gltf", "toml"};

bool is_one_of(std::span<const std::string_view> extensions, std::string_view path) noexcept {
  const std::string_view ending = extension(path);
  return std::any_of(extensions.begin(), extensions.end(), [ending](std::string_view known) {
    return equals_ignoring_case(ending, known);
  });
}

// Whether an XML file is in another encoding, by its byte order mark, a first character of two or
// four bytes, or its declaration (XML 1.0, appendix F).
bool is_xml_in_other_encoding(std::string_view content) noexcept {
  if (content.starts_with("\xFF\xFE") || content.starts_with("\xFE\xFF")) return true;
  if (content.substr(0, 4).find('\0') != std::string_view::npos) return true;
  if (!content.starts_with("<?xml")) return false;
  constexpr std::size_t declaration_bytes_max = 256;
  std::string_view rest = content.substr(0, declaration_bytes_max);
  rest = rest.substr(0, rest.find("?>"));
  constexpr std::string_view key = "encoding";
  const std::size_t at = rest.find(key);
  if (at == std::string_view::npos) return false;
  rest.remove_prefix(at + key.size());
  const std::size_t begin = rest.find_first_of("\"'");
  if (begin == std::string_view::npos) return false;
  const std::string_view name =
      rest.substr(begin + 1, rest.find(rest[begin], begin + 1) - begin - 1);
  return !equals_ignoring_case(name, "utf-8") && !equals_ignoring_case(name, "us-ascii");
}

// The offset of the first byte that is not valid UTF-8, or the size. NULs are valid.
std::size_t first_ill_formed(std::string_view content) noexcept {
  std::size_t i = 0;
  while (i < content.size()) {
    std::uint64_t eight = 0;
    if (content.size() - i >= sizeof eight) {
      std::memcpy(&eight, content.data() + i, sizeof eight);
      if ((eight & 0x8080808080808080u) == 0) {
        i += sizeof eight;
        continue;
      }
    }
    const std::size_t length = detail::utf8_length(content.substr(i));
    if (length == 0) return i;
    i += length;
  }
  return i;
}

// Whether a text was cut inside this character.
bool is_part_of_character(std::string_view rest) noexcept {
  const auto lead = static_cast<unsigned char>(rest[0]);
  const std::size_t bytes = lead < 0xC2   ? 1
                            : lead < 0xE0 ? 2
                            : lead < 0xF0 ? 3
                            : lead < 0xF5 ? 4
                                          : 1;
  return rest.size() < bytes &&
         std::all_of(
             rest.begin() + 1, rest.end(),
             [](char each) { return (static_cast<unsigned char>(each) & 0xC0) == 0x80; });
}

// Whether the content alone says that it is text. It may end inside a character: large files are
// looked at in pieces.
bool is_text(std::string_view content) noexcept {
  constexpr std::size_t first_look = 64;  // enough for most files that are no text
  const auto is_valid = [](std::string_view part) {
    if (part.find('\0') != std::string_view::npos) return false;
    const std::size_t flaw = first_ill_formed(part);
    return flaw == part.size() || (flaw > 0 && is_part_of_character(part.substr(flaw)));
  };
  return !content.empty() && is_valid(content.substr(0, first_look)) && is_valid(content);
}

enum class byte_order : std::uint8_t { none, little, big };

// The order of UTF-16 with a byte order mark. The mark of UTF-32 begins with the same bytes.
byte_order utf16_order(std::string_view content) noexcept {
  if (content.starts_with("\xFE\xFF")) return byte_order::big;
  if (!content.starts_with("\xFF\xFE")) return byte_order::none;
  return content.substr(2, 2) == std::string_view("\0\0", 2) ? byte_order::none
                                                             : byte_order::little;
}

// Calls put(code point) for each character of UTF-16. Returns the offset of the first flaw, or the
// size.
template <class Put>
std::size_t walk_utf16(std::string_view content, byte_order order, Put&& put) noexcept {
  const auto unit = [&](std::size_t at) {
    const std::uint32_t first = static_cast<unsigned char>(content[at]);
    const std::uint32_t second = static_cast<unsigned char>(content[at + 1]);
    return order == byte_order::big ? first << 8 | second : second << 8 | first;
  };
  std::size_t at = 2;  // after the mark
  while (content.size() - at >= 2) {
    std::uint32_t point = unit(at);
    std::size_t bytes = 2;
    if (point >= 0xD800 && point < 0xE000) {
      const std::uint32_t low = content.size() - at >= 4 ? unit(at + 2) : 0;
      if (point >= 0xDC00 || low < 0xDC00 || low >= 0xE000) return at;
      point = 0x10000 + (point - 0xD800) * 0x400 + (low - 0xDC00);
      bytes = 4;
    }
    if (point == 0) return at;  // no text
    put(point);
    at += bytes;
  }
  return at;
}

std::size_t utf8_bytes(std::uint32_t point) noexcept {
  return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
}

std::byte* put_utf8(std::uint32_t point, std::byte* to) noexcept {
  const std::size_t bytes = utf8_bytes(point);
  static constexpr std::uint32_t leads[] = {0, 0xC0, 0xE0, 0xF0};
  for (std::size_t i = bytes - 1; i > 0; --i, point >>= 6) {
    to[i] = static_cast<std::byte>(0x80 | (point & 0x3F));
  }
  to[0] = static_cast<std::byte>(leads[bytes - 1] | point);
  return to + bytes;
}

// Text that is not decoded: the host gets its bytes.
decoded_asset as_it_is(const char* why, std::size_t offset) noexcept {
  decoded_asset asset;
  asset.warning = why;
  asset.warning_offset = offset;
  return asset;
}

void count_lines(decoded_asset& asset) noexcept {
  const std::string_view content = text_of(asset.bytes());
  asset.lines = static_cast<std::uint64_t>(std::count(content.begin(), content.end(), '\n'));
  if (!content.empty() && content.back() != '\n') ++asset.lines;
}

result<decoded_asset> decode_utf16(std::string_view content, byte_order order,
                                   allocator& memory) noexcept {
  std::size_t bytes = 0;
  const std::size_t end =
      walk_utf16(content, order, [&](std::uint32_t point) { bytes += utf8_bytes(point); });
  if (end != content.size()) return as_it_is("damaged UTF-16 text; not decoded", end);
  result<decoded_asset> made = decoded_asset::make(asset_kind::text, bytes, memory);
  if (!made) return made;
  std::byte* to = made->bytes().data();
  (void)walk_utf16(content, order, [&](std::uint32_t point) { to = put_utf8(point, to); });
  count_lines(*made);
  return made;
}

// Errors: corrupt, if it is not UTF-8.
result<decoded_asset> decode_utf8(std::string_view content, allocator& memory) noexcept {
  const std::size_t mark = content.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  content.remove_prefix(mark);
  if (const std::size_t flaw = first_ill_formed(content); flaw != content.size()) {
    return fail(errc::corrupt, "text is not valid UTF-8", {}, flaw + mark);
  }
  result<decoded_asset> made = decoded_asset::make(asset_kind::text, content.size(), memory);
  if (!made) return made;
  if (!content.empty()) std::memcpy(made->bytes().data(), content.data(), content.size());
  count_lines(*made);
  return made;
}

class utf8 final : public decoder {
 public:
  const char* name() const noexcept override { return "utf8"; }

  bool accepts(std::string_view path, std::span<const std::byte>) const noexcept override {
    return is_one_of(utf8_extensions, path);
  }

  result<decoded_asset> decode(std::span<const std::byte> bytes, allocator& memory,
                               parallel_runner&) const noexcept override {
    return decode_utf8(text_of(bytes), memory);
  }
};

class text final : public decoder {
 public:
  const char* name() const noexcept override { return "text"; }

  bool accepts(std::string_view path, std::span<const std::byte> bytes) const noexcept override {
    const std::string_view content = text_of(bytes);
    const bool is_xml = equals_ignoring_case(extension(path), "xml");
    if (is_xml ? is_xml_in_other_encoding(content) : !is_one_of(text_extensions, path)) {
      return is_text(content);
    }
    return utf16_order(content) != byte_order::none || content.find('\0') == std::string_view::npos;
  }

  result<decoded_asset> decode(std::span<const std::byte> bytes, allocator& memory,
                               parallel_runner&) const noexcept override {
    const std::string_view content = text_of(bytes);
    const byte_order order = utf16_order(content);
    if (order != byte_order::none) return decode_utf16(content, order, memory);
    result<decoded_asset> made = decode_utf8(content, memory);
    if (made || made.error().code != errc::corrupt) return made;
    return as_it_is("text is not UTF-8; not decoded", made.error().offset);
  }
};

}  // namespace

const decoder& utf8_decoder() noexcept {
  static const utf8 instance;
  return instance;
}

const decoder& text_decoder() noexcept {
  static const text instance;
  return instance;
}

}  // namespace overture::decoders_detail

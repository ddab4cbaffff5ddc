// SPDX-License-Identifier: Zlib
//
// Writes one object in a style: the implementation of write_object() in text/write.hpp.
//
// Everything but the values is a constant: names, formats and the bytes between them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

#include "overture/base/api.hpp"
#include "overture/text/fields.hpp"
#include "overture/text/style.hpp"

namespace overture::text::detail {

// Text known at compile time, copied in one piece.
template <std::size_t N>
struct fixed_text {
  char bytes[N == 0 ? 1 : N] = {};
  std::size_t used = 0;
  constexpr void add(std::string_view text) {
    for (const char c : text) bytes[used++] = c;
  }
};
template <const auto& Text>
inline char* put_text(char* out) noexcept {
  std::memcpy(out, Text.bytes, Text.used);
  return out + Text.used;
}

// Quoted and escaped.
OVERTURE_API char* write_quoted(char* out, std::string_view text) noexcept;
OVERTURE_API char* write_json_string(char* out, std::string_view text) noexcept;

template <class Style>
constexpr std::size_t string_bytes_max(std::size_t bytes) noexcept {
  return 2 + bytes * (Style::notation == notation::json ? 6 : 4);
}
template <class Style>
inline char* put_string(char* out, std::string_view text) noexcept {
  if constexpr (Style::notation == notation::json) return write_json_string(out, text);
  return write_quoted(out, text);
}

template <class V>
inline std::string_view view_of(const V& text) noexcept {
  constexpr std::size_t size = array_of<V>::size;
  const char* const bytes = &text[0];
  const void* const end = std::memchr(bytes, '\0', size);
  return {bytes, end ? static_cast<std::size_t>(static_cast<const char*>(end) - bytes) : size};
}

// Short character arrays, quoted without a branch on the length of the string. Null if anything in
// it must be escaped.
template <class V>
inline constexpr bool is_short_text = std::endian::native == std::endian::little &&
                                      (array_of<V>::size == 8 || array_of<V>::size == 16);

// The high bit of each byte that ends the string or must be escaped; valid up to the first one.
template <class Style>
inline std::uint64_t special_bytes(std::uint64_t bytes) noexcept {
  constexpr std::uint64_t ones = 0x0101010101010101u;
  constexpr std::uint64_t high = ones * 0x80;
  const auto equal = [bytes](std::uint64_t wanted) {
    const std::uint64_t other = bytes ^ ones * wanted;
    return (other - ones) & ~other;
  };
  const std::uint64_t control = (bytes - ones * 0x20) & ~bytes;
  const std::uint64_t found = (control | equal('"') | equal('\\') | equal(0x7F)) & high;
  // JSON must be UTF-8, which the slower writer checks.
  return Style::notation == notation::json ? found | (bytes & high) : found;
}

template <class Style, class V>
inline char* put_short_text(char* out, const V& text) noexcept {
  constexpr std::size_t size = array_of<V>::size;
  *out++ = '"';
  std::memcpy(out, &text[0], size);
  std::size_t length = 0;
  for (; length < size; length += 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, out + length, sizeof bytes);
    const std::uint64_t special = special_bytes<Style>(bytes);
    if (special == 0) continue;
    length += static_cast<std::size_t>(std::countr_zero(special)) / 8;
    if (out[length] != '\0') return nullptr;
    break;
  }
  out[length] = '"';
  return out + length + 1;
}

// Elements of an array are written on one line.
template <class Style>
struct one_line : Style {
  static constexpr bool indented = false;
};
// The same style for all depths, so that types may contain themselves.
template <class Style>
using element_style = std::conditional_t<Style::indented, one_line<Style>, Style>;

// -- maximum sizes --

template <class Style, class V, class Format, int Depth>
constexpr std::size_t value_bytes_max() noexcept;

template <class Style, int Depth>
constexpr std::size_t indent_bytes() noexcept {
  return Style::indented ? 2 * static_cast<std::size_t>(Depth) : 0;
}

// What precedes the value of a field: ` name=`, `"name":` and so on.
template <class Style, class T, std::size_t I, int Depth>
constexpr auto make_prefix() noexcept {
  constexpr std::string_view name = std::get<I>(description<T>).name;
  fixed_text<name.size() + 4 + indent_bytes<Style, Depth + 1>()> prefix;
  if constexpr (Style::notation == notation::script) {
    prefix.add(Style::indented ? "\n" : " ");
    for (std::size_t i = 0; i < indent_bytes<Style, Depth + 1>(); ++i) prefix.add(" ");
    prefix.add(name);
    prefix.add("=");
  } else if constexpr (Style::notation == notation::json) {
    prefix.add("\"");
    prefix.add(name);
    prefix.add("\":");
  }
  return prefix;
}
template <class Style, class T, std::size_t I, int Depth>
inline constexpr auto prefix = make_prefix<Style, T, I, Depth>();

template <class Style, class T, int Depth, std::size_t... I>
constexpr std::size_t block_bytes_max(std::index_sequence<I...> /*all*/) noexcept {
  std::size_t bytes = 4 + indent_bytes<Style, Depth>();
  ((bytes += prefix<Style, T, I, Depth>.used + 1 +
             value_bytes_max<Style, typename field_at<T, I>::member_type,
                             typename field_at<T, I>::format_type, Depth + 1>()),
   ...);
  return bytes;
}

// Whether a V can be written as "none", which stands for an empty optional.
template <class Style, class V>
constexpr bool may_read_as_empty() noexcept {
  if constexpr (Style::notation != notation::json && named<V>) {
    for (const auto& each : name_table<V>) {
      if (each.name == "none") return true;
    }
  }
  return false;
}

// Whether an optional is empty in one way only.
template <class V>
constexpr bool has_one_empty_state() noexcept {
  using value = typename V::value_type;
  if constexpr (variant<value>) return !alternatives_of<value>::can_be_empty;
  return !optional<value>;
}

template <class Style, class V, class Format, int Depth>
constexpr std::size_t value_bytes_max() noexcept {
  static_assert(allows_format<V, Format>(),
                "this format is not for members of this type: see text/fields.hpp");
  if constexpr (std::is_same_v<V, bool>) {
    return 5;
  } else if constexpr (integer<V>) {
    return integer_bytes_max<V>() + 2;
  } else if constexpr (floating<V>) {
    if constexpr (is_fixed<Format>) return fixed_bytes_max<V>(Format::decimals) + 2;
    return shortest_bytes_max<V> + 2;
  } else if constexpr (std::is_enum_v<V>) {
    static_assert(integer<std::underlying_type_t<V>>,
                  "an enum over bool is not supported: give it another underlying type");
    std::size_t bytes = integer_bytes_max<std::underlying_type_t<V>>();
    if constexpr (named<V>) {
      static_assert(are_words(value_names<V>),
                    "the name of an enum value must be a word: letters, digits, _ . -");
      static_assert(all_differ(value_names<V>), "two values of an enum have the same name");
      for (const auto& each : name_table<V>) bytes = std::max(bytes, each.name.size());
    }
    return bytes + 2;
  } else if constexpr (character_array<V>) {
    return string_bytes_max<Style>(array_of<V>::size);
  } else if constexpr (string<V>) {
    static_assert(is_quoted<Format>, "a string needs a maximum length, such as text::quoted<64>{}");
    return string_bytes_max<Style>(Format::bytes_max);
  } else if constexpr (optional<V>) {
    static_assert(has_one_empty_state<V>(),
                  "an optional of an optional is not supported: it could be empty in two ways");
    return 4 + value_bytes_max<Style, typename V::value_type, Format, Depth>();
  } else if constexpr (array<V>) {
    using element = typename array_of<V>::element;
    return 4 + array_of<V>::size *
                   (1 + value_bytes_max<element_style<Style>, element, Format, Depth + 1>());
  } else {
    static_assert(are_words(field_names<V>),
                  "the name of a field must be a word: letters, digits, _ . -");
    static_assert(all_differ(field_names<V>), "two fields have the same name");
    return block_bytes_max<Style, V, Depth>(std::make_index_sequence<field_count<V>>());
  }
}

// -- writing --

template <class Style, class V, class Format, int Depth>
inline char* put_value(char* out, const V& value) noexcept;

// In write_container.hpp.
template <class Style, class Format, class V>
char* put_sequence(char* out, const V& values) noexcept;
template <class Style, class Format, class V>
char* put_map(char* out, const V& values) noexcept;
template <class Style, class V>
char* put_variant(char* out, const V& value) noexcept;

template <class Style, class Format>
inline char* put_bool(char* out, bool value) noexcept {
  struct word {
    char text[7];
    std::uint8_t bytes;
  };
  if constexpr (Style::notation != notation::json && std::is_same_v<Format, y_n>) {
    *out = value ? 'y' : 'n';
    return out + 1;
  } else {
    static constexpr word json_words[] = {{"false", 5}, {"true", 4}};
    static constexpr word plain_words[] = {{"no", 2}, {"yes", 3}};
    const word& chosen =
        (Style::notation == notation::json ? json_words : plain_words)[value ? 1 : 0];
    std::memcpy(out, chosen.text, sizeof chosen.text);
    return out + chosen.bytes;
  }
}

template <class Style, class Format, class V>
inline char* put_floating(char* out, V value) noexcept {
  bool quotes = false;
  if constexpr (Style::notation == notation::json) {
    using layout = float_layout<V>;
    quotes = float_parts<V>(value).exponent == layout::exponent_mask - layout::bias;
    *out = '"';
    out += quotes ? 1 : 0;
  }
  if constexpr (is_fixed<Format>) {
    out = write_fixed<Format::decimals>(out, value);
  } else {
    out = write_shortest(out, value);
  }
  if constexpr (Style::notation == notation::json) {
    *out = '"';
    out += quotes ? 1 : 0;
  }
  return out;
}

template <class Style, class Format, class V>
inline char* put_integer(char* out, V value) noexcept {
  if constexpr (!std::is_same_v<Format, hex>) {
    return write_integer(out, value);
  } else if constexpr (Style::notation == notation::json) {
    *out++ = '"';
    out = write_hex(out, value);
    *out++ = '"';
    return out;
  } else {
    return write_hex(out, value);
  }
}

// Names padded to one width, so that they are copied with a constant length.
template <class V>
struct padded_names {
  static constexpr std::size_t longest() noexcept {
    std::size_t bytes = 0;
    for (const auto& each : name_table<V>) bytes = std::max(bytes, each.name.size());
    return bytes;
  }
  // The padding copied beyond a name must stay within the slack.
  static constexpr bool used = longest() <= slack;
  static constexpr std::size_t width = used ? longest() : 0;
  struct entry {
    char text[width + 1];
  };
  static constexpr auto make() noexcept {
    std::array<entry, name_table<V>.size()> all{};
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string_view name = name_table<V>[i].name;
      for (std::size_t c = 0; c < name.size() && c < width; ++c) all[i].text[c] = name[c];
    }
    return all;
  }
  static constexpr std::array<entry, name_table<V>.size()> texts = make();
};

template <class Style, class V>
inline char* put_enum(char* out, V value) noexcept {
  if constexpr (named<V>) {
    for (std::size_t i = 0; i < name_table<V>.size(); ++i) {
      const auto& each = name_table<V>[i];
      if (each.value != value) continue;
      if constexpr (Style::notation == notation::json) *out++ = '"';
      if constexpr (padded_names<V>::used) {
        std::memcpy(out, padded_names<V>::texts[i].text, padded_names<V>::width);
      } else {
        std::memcpy(out, each.name.data(), each.name.size());
      }
      out += each.name.size();
      if constexpr (Style::notation == notation::json) *out++ = '"';
      return out;
    }
  }
  return write_integer(out, static_cast<std::underlying_type_t<V>>(value));
}

template <class Style, class Format, int Depth, class V>
inline char* put_array(char* out, const V& values) noexcept {
  using element = typename array_of<V>::element;
  if constexpr (Style::notation == notation::json) *out++ = '[';
  if constexpr (Style::notation == notation::script) *out++ = '{';
  for (const element& each : values) {
    if constexpr (Style::notation == notation::script) *out++ = ' ';
    out = put_value<element_style<Style>, element, Format, Depth + 1>(out, each);
    if (!out) return nullptr;
    if constexpr (Style::notation == notation::json) *out++ = ',';
    if constexpr (Style::notation == notation::rows) *out++ = Style::separator;
  }
  if constexpr (Style::notation == notation::json) out[-1] = ']';
  if constexpr (Style::notation == notation::rows) --out;
  if constexpr (Style::notation == notation::script) {
    *out++ = ' ';
    *out++ = '}';
  }
  return out;
}

template <class Style, class T, std::size_t I, int Depth>
inline char* put_field(char* out, const T& object) noexcept {
  using field = field_at<T, I>;
  using member = typename field::member_type;
  const member& value = member_of<I>(object);
  if constexpr (Style::notation == notation::script && optional<member>) {
    if (!value.has_value()) return out;
  }
  out = put_text<prefix<Style, T, I, Depth>>(out);
  out = put_value<Style, member, typename field::format_type, Depth + 1>(out, value);
  if constexpr (Style::notation == notation::json) {
    if (out) *out++ = ',';
  }
  if constexpr (Style::notation == notation::rows) {
    if (out) *out++ = Style::separator;
  }
  return out;
}

template <class Style, int Depth, class T, std::size_t... I>
inline char* put_block(char* out, const T& object, std::index_sequence<I...> /*all*/) noexcept {
  if constexpr (Style::notation != notation::rows) *out++ = '{';
  const bool done = ((out = put_field<Style, T, I, Depth>(out, object)) && ...);
  if (!done) return nullptr;
  if constexpr (Style::notation == notation::json) {
    out[-1] = '}';
  } else if constexpr (Style::notation == notation::rows) {
    --out;
  } else if constexpr (Style::indented) {
    *out++ = '\n';
    for (std::size_t i = 0; i < indent_bytes<Style, Depth>(); ++i) *out++ = ' ';
    *out++ = '}';
  } else {
    *out++ = ' ';
    *out++ = '}';
  }
  return out;
}

template <class Style, class V, class Format, int Depth>
inline char* put_value(char* out, const V& value) noexcept {
  if constexpr (std::is_same_v<V, bool>) {
    return put_bool<Style, Format>(out, value);
  } else if constexpr (integer<V>) {
    return put_integer<Style, Format>(out, value);
  } else if constexpr (floating<V>) {
    return put_floating<Style, Format>(out, value);
  } else if constexpr (std::is_enum_v<V>) {
    return put_enum<Style>(out, value);
  } else if constexpr (character_array<V>) {
    if constexpr (is_short_text<V>) {
      if (char* const end = put_short_text<Style>(out, value)) return end;
    }
    return put_string<Style>(out, view_of(value));
  } else if constexpr (string<V>) {
    static_assert(!std::is_class_v<V> || std::is_nothrow_convertible_v<const V&, std::string_view>,
                  "the conversion of this string to std::string_view must be noexcept");
    const std::string_view text = value;
    if constexpr (is_quoted<Format>) {
      if (text.size() > Format::bytes_max) return nullptr;
    }
    return put_string<Style>(out, text);
  } else if constexpr (optional<V>) {
    static_assert(
        Style::notation != notation::rows ||
            !(block<typename V::value_type> || array<typename V::value_type>),
        "rows have a fixed number of cells, so an optional in them must be a single value");
    static_assert(!may_read_as_empty<Style, typename V::value_type>(),
                  "an optional enum must not have a value named \"none\", which means empty");
    if (value.has_value()) {
      return put_value<Style, typename V::value_type, Format, Depth>(out, *value);
    }
    return std::copy_n(Style::notation == notation::json ? "null" : "none", 4, out);
  } else if constexpr (array<V>) {
    static_assert(array_of<V>::size > 0, "an array must have elements");
    return put_array<Style, Format, Depth>(out, value);
  } else if constexpr (sequence<V>) {
    return put_sequence<Style, Format>(out, value);
  } else if constexpr (map<V>) {
    return put_map<Style, Format>(out, value);
  } else if constexpr (variant<V>) {
    return put_variant<Style>(out, value);
  } else {
    static_assert(field_count<V> > 0, "a type must have fields");
    return put_block<Style, Depth>(out, value, std::make_index_sequence<field_count<V>>());
  }
}

template <class Style>
constexpr auto make_opening() noexcept {
  if constexpr (Style::notation == notation::script) {
    fixed_text<Style::name.size() + 1> opening;
    opening.add(Style::name);
    opening.add("=");
    return opening;
  } else {
    return fixed_text<0>{};
  }
}
template <class Style>
inline constexpr auto opening = make_opening<Style>();

}  // namespace overture::text::detail

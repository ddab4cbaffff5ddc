// SPDX-License-Identifier: Zlib
//
// Writes members whose size is known only at run time, and bounds the text of objects that have
// such members.
//
// The bound is much cheaper than writing: no number is converted, and a vector of numbers or of
// blocks of numbers takes one multiplication.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "overture/base/detail/compiler.hpp"
#include "overture/base/limits.hpp"
#include "overture/text/detail/write_value.hpp"
#include "overture/text/pages.hpp"

namespace overture::text::detail {

// -- writing --

template <class Style, class Format, class V>
char* put_sequence(char* out, const V& values) noexcept {
  constexpr bool is_json = Style::notation == notation::json;
  const char* const empty = out + 1;
  *out++ = is_json ? '[' : '{';
  for (const auto& each : values) {
    if constexpr (!is_json) *out++ = ' ';
    out = put_value<element_style<Style>, typename V::value_type, Format, 0>(out, each);
    if (!out) return nullptr;
    if constexpr (is_json) *out++ = ',';
  }
  if constexpr (is_json) {
    if (out != empty) --out;
    *out++ = ']';
  } else {
    *out++ = ' ';
    *out++ = '}';
  }
  return out;
}

// Strings are quoted, as values are. JSON has no other keys.
template <class Style, class Key>
inline char* put_key(char* out, const Key& key) noexcept {
  if constexpr (string<Key>) {
    return put_string<Style>(out, key);
  } else {
    constexpr bool quotes = Style::notation == notation::json;
    if constexpr (quotes) *out++ = '"';
    if constexpr (std::is_enum_v<Key>) {
      out = put_enum<script<>>(out, key);
    } else {
      out = write_integer(out, key);
    }
    if constexpr (quotes) *out++ = '"';
    return out;
  }
}

template <class Style, class Format, class V, class Entry>
inline char* put_entry(char* out, const Entry& entry) noexcept {
  constexpr bool is_json = Style::notation == notation::json;
  if constexpr (!is_json) *out++ = ' ';
  out = put_key<Style, typename V::key_type>(out, entry.first);
  *out++ = is_json ? ':' : '=';
  out = put_value<element_style<Style>, typename V::mapped_type, Format, 0>(out, entry.second);
  if constexpr (is_json) {
    if (out) *out++ = ',';
  }
  return out;
}

template <class V>
using entry_of = std::remove_reference_t<decltype(*std::declval<const V&>().begin())>;

// The room that put_sorted_entries() needs beside that of the text.
template <class V>
inline std::size_t sorting_bytes(const V& values) noexcept {
  if constexpr (is_ordered<V>) return 0;
  return (values.size() + 1) * sizeof(entry_of<V>*);
}

// Sorts without memory of its own: pointers to the entries stand where the text will be, the text
// is written behind them and moved over them.
template <class Style, class Format, class V>
char* put_sorted_entries(char* out, const V& values) noexcept {
  using entry = entry_of<V>;
  char* const begin = out;
  const auto past = reinterpret_cast<std::uintptr_t>(out) % alignof(entry*);
  char* const aligned = past == 0 ? out : out + (alignof(entry*) - past);
  auto* const first = reinterpret_cast<entry**>(aligned);
  entry** last = first;
  for (entry& each : values) ::new (static_cast<void*>(last++))(entry*)(&each);
  std::sort(first, last, [](const entry* a, const entry* b) noexcept {
    if constexpr (string<typename V::key_type>) {
      return std::string_view(a->first) < std::string_view(b->first);
    } else {
      return a->first < b->first;
    }
  });
  char* const text = reinterpret_cast<char*>(last);
  out = text;
  for (entry** each = first; each != last && out; ++each) {
    out = put_entry<Style, Format, V>(out, **each);
  }
  if (!out) return nullptr;
  const auto bytes = static_cast<std::size_t>(out - text);
  std::memmove(begin, text, bytes);
  return begin + bytes;
}

template <class Style, class Format, class V>
char* put_map(char* out, const V& values) noexcept {
  constexpr bool is_json = Style::notation == notation::json;
  *out++ = '{';
  const char* const empty = out;
  if constexpr (is_ordered<V>) {
    for (const auto& each : values) {
      out = put_entry<Style, Format, V>(out, each);
      if (!out) return nullptr;
    }
  } else {
    out = put_sorted_entries<Style, Format>(out, values);
    if (!out) return nullptr;
  }
  if constexpr (is_json) {
    if (out != empty) --out;
  } else {
    *out++ = ' ';
  }
  *out++ = '}';
  return out;
}

// What precedes the value of an alternative.
template <class Style, class V, std::size_t I>
constexpr auto make_alternative_opening() noexcept {
  fixed_text<alternative_names<V>[I].size() + 4> text;
  text.add(Style::notation == notation::json ? "{\"" : "{ ");
  text.add(alternative_names<V>[I]);
  text.add(Style::notation == notation::json ? "\":" : "=");
  return text;
}
template <class Style, class V, std::size_t I>
inline constexpr auto alternative_opening = make_alternative_opening<Style, V, I>();

template <class Style, class V, std::size_t I>
inline char* put_alternative(char* out, const V& value) noexcept {
  using alternative = std::variant_alternative_t<I, V>;
  constexpr bool is_json = Style::notation == notation::json;
  if constexpr (std::is_same_v<alternative, std::monostate>) {
    return std::copy_n(is_json ? "null" : "none", 4, out);
  } else {
    out = put_text<alternative_opening<Style, V, I>>(out);
    const alternative& held = *std::get_if<I>(&value);
    out = put_value<element_style<Style>, alternative, default_format, 0>(out, held);
    if (!out) return nullptr;
    if constexpr (!is_json) *out++ = ' ';
    *out++ = '}';
    return out;
  }
}

// Null if the variant is valueless.
template <class Style, class V, std::size_t... I>
inline char* put_held(char* out, const V& value, std::index_sequence<I...> /*all*/) noexcept {
  char* end = nullptr;
  (void)((value.index() == I ? (end = put_alternative<Style, V, I>(out, value), true) : false) ||
         ...);
  return end;
}
template <class Style, class V>
char* put_variant(char* out, const V& value) noexcept {
  return put_held<Style>(out, value, std::make_index_sequence<alternatives_of<V>::size>());
}

// -- bounds --

// The bytes that an object can take; they end at a number that no memory has. A level is an open
// bracket.
struct text_bound {
  static constexpr std::size_t most = page_room::most + 1;

  std::size_t bytes = 0;
  std::size_t level = 0;
  bool too_deep = false;

  void add(std::size_t each, std::size_t count = 1) noexcept {
    std::size_t more = 0;
    const bool fits = overture::detail::multiply(each, count, more);
    bytes = !fits || more > most - bytes ? most : bytes + more;
  }
  // False if there are too many levels to be read back.
  bool enter() noexcept {
    if (level == limits::text_depth_max) too_deep = true;
    return !too_deep && ++level > 0;
  }
  void leave() noexcept { --level; }
};

template <class Style, class V, class Format, int Depth>
void add_value(text_bound& to, const V& value) noexcept;

template <class Style, class Format, class V>
inline void add_elements(text_bound& to, const V& values) noexcept {
  using element = typename V::value_type;
  using inner = element_style<Style>;
  to.add(4);
  if constexpr (measured<element, Format>) {
    for (const auto& each : values) {
      to.add(1);
      add_value<inner, element, Format, 0>(to, each);
    }
  } else {
    to.add(1 + value_bytes_max<inner, element, Format, 0>(), values.size());
  }
}

template <class Style, class Format, class V>
inline void add_entries(text_bound& to, const V& values) noexcept {
  using key = typename V::key_type;
  using mapped = typename V::mapped_type;
  using inner = element_style<Style>;
  static_assert(string<key> || integer<key> || std::is_enum_v<key>,
                "the keys of a map must be strings, integers or enums");
  to.add(4 + sorting_bytes(values));
  if constexpr (string<key> || measured<mapped, Format>) {
    for (const auto& each : values) {
      to.add(2);
      add_value<inner, key, default_format, 0>(to, each.first);
      add_value<inner, mapped, Format, 0>(to, each.second);
    }
  } else {
    to.add(4 + value_bytes_max<inner, key, default_format, 0>() +
               value_bytes_max<inner, mapped, Format, 0>(),
           values.size());
  }
}

template <class Style, class V, std::size_t... I>
inline void add_held(text_bound& to, const V& value, std::index_sequence<I...> /*all*/) noexcept {
  static_assert(are_words(alternative_names<V>) && all_differ(alternative_names<V>),
                "the alternatives of this variant need names() that are different words");
  const auto add = [&to](const auto& held, std::size_t name_bytes) {
    using alternative = std::remove_cvref_t<decltype(held)>;
    to.add(name_bytes + 3);
    if constexpr (!std::is_same_v<alternative, std::monostate>) {
      add_value<element_style<Style>, alternative, default_format, 0>(to, held);
    }
  };
  (void)((value.index() == I
              ? (add(*std::get_if<I>(&value), alternative_opening<Style, V, I>.used), true)
              : false) ||
         ...);
}

template <class Style, int Depth, class T, std::size_t... I>
inline void add_fields(text_bound& to, const T& object,
                       std::index_sequence<I...> /*all*/) noexcept {
  static_assert(are_words(field_names<T>),
                "the name of a field must be a word: letters, digits, _ . -");
  static_assert(all_differ(field_names<T>), "two fields have the same name");
  to.add(4 + indent_bytes<Style, Depth>() +
         ((prefix<Style, T, I, Depth>.used + 1) + ... + std::size_t{0}));
  (add_value<Style, typename field_at<T, I>::member_type, typename field_at<T, I>::format_type,
             Depth + 1>(to, member_of<I>(object)),
   ...);
}

template <class Style, class V, class Format, int Depth>
inline void add_nested(text_bound& to, const V& value) noexcept {
  if (!to.enter()) return;
  if constexpr (array<V>) {
    to.add(4 + array_of<V>::size);
    for (const auto& each : value) {
      add_value<element_style<Style>, typename array_of<V>::element, Format, Depth + 1>(to, each);
    }
  } else if constexpr (sequence<V>) {
    add_elements<Style, Format>(to, value);
  } else if constexpr (map<V>) {
    add_entries<Style, Format>(to, value);
  } else if constexpr (variant<V>) {
    add_held<Style>(to, value, std::make_index_sequence<alternatives_of<V>::size>());
  } else {
    add_fields<Style, Depth>(to, value, std::make_index_sequence<field_count<V>>());
  }
  to.leave();
}

template <class Style, class V, class Format, int Depth>
void add_value(text_bound& to, const V& value) noexcept {
  if constexpr (!measured<V, Format>) {
    to.add(value_bytes_max<Style, V, Format, Depth>());
  } else {
    constexpr bool is_rows = Style::notation == notation::rows;
    static_assert(!is_rows || !string<V>,
                  "a string in rows needs a maximum length, such as text::quoted<64>{}");
    static_assert(!is_rows || block<V> || string<V> || array<V>,
                  "rows have a fixed number of cells: a vector, map or variant needs script or "
                  "JSON");
    static_assert(allows_format<V, Format>(),
                  "this format is not for members of this type: see text/fields.hpp");
    if constexpr (string<V>) {
      to.add(string_bytes_max<Style>(std::string_view(value).size()));
    } else if constexpr (optional<V>) {
      static_assert(has_one_empty_state<V>(),
                    "an optional of an optional, or of a variant with std::monostate, is not "
                    "supported: it could be empty in two ways");
      to.add(4);
      if (value.has_value()) {
        add_value<Style, typename V::value_type, Format, Depth>(to, *value);
      }
    } else {
      add_nested<Style, V, Format, Depth>(to, value);
    }
  }
}

// Makes the compiler report what is wrong with a description.
template <class Style, class T>
constexpr void check_type() noexcept {
  if constexpr (measured<T>) {
    constexpr auto instantiated = &add_value<Style, T, default_format, 0>;
    (void)instantiated;
  } else {
    static_assert(value_bytes_max<Style, T, default_format, 0>() > 0);
  }
}

}  // namespace overture::text::detail

// SPDX-License-Identifier: Zlib
//
// Reads one object in a style: the reader that accepts everything text/read.hpp promises.
//
// The fast path (fast_read.hpp) goes first. Where an object is not exactly as it was written, this
// reader takes over from the start of that object. Objects of any size are read by this one alone,
// which takes their members by the fast path (read_container.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include "overture/text/detail/cursor.hpp"
#include "overture/text/detail/fast_read.hpp"
#include "overture/text/style.hpp"

namespace overture::text::detail {

template <class Style>
inline constexpr bool has_comments = Style::notation != notation::json;

template <class Style>
inline std::string_view next_word(cursor& from) noexcept {
  if constexpr (Style::notation == notation::rows) return from.cell(Style::separator);
  return from.token();
}

inline bool parse_bool(cursor& from, std::string_view word, bool& value) noexcept {
  if (word.size() == 1 && (word[0] == 'y' || word[0] == 'n')) {
    value = word[0] == 'y';
    return true;
  }
  const bool yes = word == "yes" || word == "true" || word == "1";
  if (!yes && word != "no" && word != "false" && word != "0") {
    return from.fail_in(word, errc::corrupt, "expected yes or no");
  }
  value = yes;
  return true;
}

// Whether this character may follow a value.
template <class Style>
inline bool ends_value(char next) noexcept {
  if constexpr (Style::notation == notation::rows) {
    return next == Style::separator || next == '\n' || next == '\r';
  } else {
    return cursor::ends_token(next);
  }
}

template <class Format, class V>
inline parsed_number read_with_format(const char* first, const char* end, V& value) noexcept {
  if constexpr (std::is_same_v<Format, hex>) {
    std::uint64_t bits = 0;
    parsed_number read = read_hex(first, end, bits);
    if (bits >> (sizeof(V) * 8 - 1) >> 1 != 0) read.ok = false;
    if (read.ok) value = static_cast<V>(bits);
    return read;
  } else {
    return read_number(first, end, value);
  }
}

template <class Format, class V>
inline bool parse_number(
    cursor& from, std::string_view word, V& value,
    const char* otherwise = "not a number, or out of range for this field") noexcept {
  const char* const first = word.data();
  const char* const end = first + word.size();
  const parsed_number read = read_with_format<Format>(first, end, value);
  if (read.ok && read.next == end) return true;
  return from.fail_in(word, errc::corrupt, otherwise);
}

// The same without searching for the end of the word first. Returns false, and changes nothing, if
// there is no plain number here.
template <class Style, class Format, class V>
inline bool parse_number_in_place(cursor& from, V& value) noexcept {
  V number{};
  const parsed_number read = read_with_format<Format>(from.here(), from.end(), number);
  if (!read.ok) return false;
  if (read.next != from.end() && !ends_value<Style>(*read.next)) return false;
  value = number;
  from.move_to(read.next);
  return true;
}

template <std::size_t N>
constexpr std::size_t longest_of(const std::array<std::string_view, N>& names) noexcept {
  std::size_t bytes = 0;
  for (const std::string_view name : names) bytes = std::max(bytes, name.size());
  return bytes;
}

template <class V>
inline bool parse_enum(cursor& from, std::string_view word, V& value) noexcept {
  if constexpr (named<V>) {
    char room[longest_of(value_names<V>) + cursor::escape_bytes_max];
    const std::string_view name = cursor::unescaped(word, room);
    for (const auto& each : name_table<V>) {
      if (each.name != name) continue;
      value = each.value;
      return true;
    }
  }
  std::underlying_type_t<V> number{};
  constexpr const char* otherwise = named<V> ? "not a name or number of this enum"
                                             : "not a number, or out of range for this enum";
  if (!parse_number<default_format>(from, word, number, otherwise)) return false;
  value = static_cast<V>(number);
  return true;
}

template <class V>
bool parse_characters(cursor& from, V& value) noexcept {
  constexpr std::size_t size = array_of<V>::size;
  std::size_t bytes = 0;
  if (!from.string(&value[0], size, bytes)) return false;
  for (; bytes < size; ++bytes) value[bytes] = '\0';
  return true;
}

// In read_container.hpp.
template <class V>
bool parse_long_string(cursor& from, V& value);
template <class Style, class Format, class V>
bool parse_sequence(cursor& from, V& values);
template <class Style, class Format, class V>
bool parse_map(cursor& from, V& values);
template <class Style, class V>
bool parse_variant(cursor& from, V& value);
template <class Style, class T>
bool parse_measured_block(cursor& from, T& object);

inline bool out_of_memory(cursor& from) noexcept {
  return from.fail(errc::out_of_memory, "a member of the object got no memory");
}
// Whether a container took what it was given. Those that never say no return anything but a bool;
// a call must return it by reference, as a string returns itself.
template <class Call>
bool was_taken(cursor& from, Call call) {
  if constexpr (std::is_same_v<decltype(call()), bool>) {
    return call() || out_of_memory(from);
  } else {
    (void)call();
    return true;
  }
}

template <class Format, class V>
bool parse_string(cursor& from, V& value) {
  static_assert(
      requires { value.assign("", std::size_t{0}); },
      "reading a string type needs assign(const char*, std::size_t)");
  char text[Format::bytes_max == 0 ? 1 : Format::bytes_max];
  std::size_t bytes = 0;
  if (!from.string(text, Format::bytes_max, bytes)) return false;
  return was_taken(from, [&]() -> decltype(auto) { return value.assign(text, bytes); });
}

template <class Style, class Format, class V>
bool parse_optional(cursor& from, V& value) {
  const cursor before = from;
  if (from.peek() != '"' && from.peek() != '{' && from.peek() != '[') {
    const std::string_view word = next_word<Style>(from);
    if (word == (Style::notation == notation::json ? "null" : "none")) {
      value.reset();
      return true;
    }
  }
  from = before;
  typename V::value_type inner{};
  if (!parse_value<Style, typename V::value_type, Format>(from, inner)) return false;
  value = std::move(inner);
  return true;
}

inline bool row_ended(const cursor& from) noexcept {
  return from.at_end() || from.peek() == '\n' || from.peek() == '\r';
}
// Moves from the end of a cell to the next cell. False at the end of the row and on error.
template <class Style>
inline bool next_cell(cursor& from) noexcept {
  if (row_ended(from)) return false;
  if (!from.take(Style::separator)) return from.fail(errc::corrupt, "expected a separator");
  return !row_ended(from);
}

template <class Style, class Format, class V>
bool parse_array(cursor& from, V& values) {
  using element = typename array_of<V>::element;
  if constexpr (Style::notation == notation::rows) {
    bool first = true;
    for (element& each : values) {
      if (!first && !next_cell<Style>(from)) return !from.failed();
      first = false;
      if (!parse_value<Style, element, Format>(from, each)) return false;
    }
    return true;
  } else {
    constexpr bool is_json = Style::notation == notation::json;
    constexpr char close = is_json ? ']' : '}';
    if (!from.take(is_json ? '[' : '{')) {
      return from.fail(errc::corrupt, is_json ? "expected '['" : "expected '{'");
    }
    constexpr bool counts = measured<element, Format>;
    if (counts && !from.enter()) return false;
    for (std::size_t i = 0;; ++i) {
      from.skip_space(has_comments<Style>);
      if (from.take(close)) {
        if (counts) from.leave();
        return true;
      }
      if (i > 0 && is_json) {
        if (!from.take(',')) return from.fail(errc::corrupt, "expected ','");
        from.skip_space(false);
      }
      // Elements beyond the size of the array, from a version with a larger one, are skipped.
      const bool read = i < array_of<V>::size ? parse_value<Style, element, Format>(from, values[i])
                                              : from.skip_value();
      if (!read) return false;
    }
  }
}

template <class Style, class T, std::size_t I>
bool parse_field(cursor& from, T& object) {
  using field = field_at<T, I>;
  return parse_value<Style, typename field::member_type, typename field::format_type>(
      from, mutable_member<I>(object));
}

// Takes what stands between a name and its value.
template <class Style>
bool take_after_name(cursor& from) noexcept {
  constexpr bool is_json = Style::notation == notation::json;
  from.skip_space(has_comments<Style>);
  if (!from.take(is_json ? ':' : '=')) {
    return from.fail(errc::corrupt,
                     is_json ? "expected ':' after a name" : "expected '=' after a name");
  }
  from.skip_space(has_comments<Style>);
  return true;
}

// Reads the field of that name. 0 = failed, 1 = read, 2 = no such field.
template <class Style, class T, std::size_t... I>
int parse_named(cursor& from, std::string_view name, T& object, std::index_sequence<I...> /*all*/) {
  int outcome = 2;
  (void)((name == std::get<I>(description<T>).name
              ? (outcome = parse_field<Style, T, I>(from, object) ? 1 : 0, true)
              : false) ||
         ...);
  return outcome;
}

template <class Style, class T, std::size_t... I>
bool parse_row(cursor& from, T& object, std::index_sequence<I...> /*all*/) {
  // If the row ends early, the remaining fields keep their defaults.
  const auto next = [&](auto index) {
    if (index.value > 0 && !next_cell<Style>(from)) return false;
    return parse_field<Style, T, index.value>(from, object);
  };
  (void)(next(std::integral_constant<std::size_t, I>{}) && ...);
  return !from.failed();
}

// The fields of a block and its closing bracket. `first`: no field has been read yet.
template <class Style, class T>
bool parse_fields(cursor& from, T& object, bool first) {
  constexpr bool is_json = Style::notation == notation::json;
  constexpr auto all = std::make_index_sequence<field_count<T>>();
  char room[longest_of(field_names<T>) + cursor::escape_bytes_max];
  for (;; first = false) {
    from.skip_space(has_comments<Style>);
    if (from.take('}')) return true;
    if (from.at_end()) return from.fail(errc::truncated, "text ends inside a block");
    if (!first && is_json) {
      if (!from.take(',')) return from.fail(errc::corrupt, "expected ','");
      from.skip_space(false);
    }
    const std::string_view name = cursor::unescaped(from.token(), room);
    if (from.failed() || !take_after_name<Style>(from)) return false;
    const int outcome = parse_named<Style>(from, name, object, all);
    if (outcome == 0 || (outcome == 2 && !from.skip_value())) return false;
  }
}

template <class Style, class T>
bool parse_block(cursor& from, T& object) {
  constexpr auto all = std::make_index_sequence<field_count<T>>();
  if constexpr (Style::notation == notation::rows) {
    return parse_row<Style>(from, object, all);
  } else if constexpr (measured<T>) {
    return parse_measured_block<Style>(from, object);
  } else {
    const char* const begin = from.here();
    if (!from.take('{')) return from.fail(errc::corrupt, "expected '{'");
    const char* const fast_end = fast_fields<Style, 0>(begin, {begin, from.end()}, object, all);
    if (fast_end > from.here()) from.move_to(fast_end);
    return parse_fields<Style>(from, object, from.here() == begin + 1);
  }
}

template <class Style, class V, class Format>
bool parse_value(cursor& from, V& value) {
  if constexpr (character_array<V>) {
    return parse_characters(from, value);
  } else if constexpr (string<V> && !is_quoted<Format>) {
    return parse_long_string(from, value);
  } else if constexpr (string<V>) {
    return parse_string<Format>(from, value);
  } else if constexpr (optional<V>) {
    return parse_optional<Style, Format>(from, value);
  } else if constexpr (array<V>) {
    return parse_array<Style, Format>(from, value);
  } else if constexpr (sequence<V>) {
    return parse_sequence<Style, Format>(from, value);
  } else if constexpr (map<V>) {
    return parse_map<Style, Format>(from, value);
  } else if constexpr (variant<V>) {
    return parse_variant<Style>(from, value);
  } else if constexpr (block<V>) {
    return parse_block<Style>(from, value);
  } else {
    if constexpr (integer<V> || floating<V>) {
      if (parse_number_in_place<Style, Format>(from, value)) return true;
    }
    const std::string_view word = next_word<Style>(from);
    if (from.failed()) return false;
    if constexpr (std::is_same_v<V, bool>) {
      return parse_bool(from, word, value);
    } else if constexpr (std::is_enum_v<V>) {
      return parse_enum(from, word, value);
    } else {
      return parse_number<Format>(from, word, value);
    }
  }
}

// Skips what may precede an object: space, comments, unknown blocks, and the name of the object.
// False at the end of the page and on error.
template <class Style>
bool parse_opening(cursor& from) {
  for (;;) {
    from.skip_space(has_comments<Style>);
    if (from.at_end()) return false;
    if constexpr (Style::notation == notation::script) {
      const std::string_view name = from.token();
      from.skip_space(true);
      if (!from.failed() && !from.take('=')) {
        from.fail(errc::corrupt, "expected '=' after a name");
      }
      from.skip_space(true);
      if (from.failed()) return false;
      if (name == Style::name) return true;
      if (!from.skip_value()) return false;
    } else {
      return true;
    }
  }
}

// An object and what may follow it on its line. Out of line, because the loop that calls it seldom
// needs it and should stay short.
template <class Style, class T>
[[gnu::noinline]] bool parse_object(cursor& from, T& object) {
  if (!parse_value<Style, T, default_format>(from, object)) return false;
  if constexpr (Style::notation == notation::rows) {
    // Extra cells, from a later version.
    if (from.peek() != '\n') from.skip_line();
  } else if constexpr (Style::notation == notation::json) {
    while (from.peek() == ' ' || from.peek() == '\t' || from.peek() == '\r') from.advance();
    if (!from.at_end() && from.peek() != '\n') {
      return from.fail(errc::corrupt, "unexpected text after the object on this line");
    }
  }
  return true;
}

// Reads the objects of one page. objects.add() makes one more, or returns null if the page is full.
template <class Style, class Appender>
error read_page(std::string_view page, Appender& objects) {
  cursor from(page);
  const char* const end = from.end();
  // A local instead of the cursor's own position, which is visible to others: stays in a register.
  const char* at = from.here();
  const text_bounds text(at, end);
  for (;;) {
    const char* value = fast_opening<Style>(at, end);
    if (!value) {
      from.move_to(at);
      if (!parse_opening<Style>(from)) return from.problem();
      value = from.here();
    }
    auto* object = objects.add();
    if (!object) {
      from.fail_at(value, errc::corrupt, "page holds more objects than the page table says");
      return from.problem();
    }
    at = fast_object<Style>(value, text, *object);
    if (at) continue;
    from.move_to(value);
    if (!parse_object<Style>(from, *object)) return from.problem();
    (void)from.take('\n');
    at = from.here();
  }
}

}  // namespace overture::text::detail

// SPDX-License-Identifier: Zlib
//
// Reads members whose size is known only at run time, and the objects that have such members.
//
// Every byte is read once, but for members of fixed size that are not as they were written: the
// fast path is tried first for each of those. How deep blocks nest is up to the text, so trying two
// ways for a block that may contain others would take time exponential in that depth.
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "overture/text/detail/cursor.hpp"
#include "overture/text/detail/fast_read.hpp"
#include "overture/text/detail/read_value.hpp"

namespace overture::text::detail {

template <class V>
bool parse_long_string(cursor& from, V& value) {
  static_assert(
      requires {
        value.assign("", std::size_t{0});
        value.append("", std::size_t{0});
      },
      "reading a string type without a maximum length needs assign() and append(), both of "
      "(const char*, std::size_t)");
  const char* const first = from.here();
  if (!from.take('"')) return from.fail(errc::corrupt, "expected a quoted string");
  char undone[cursor::escape_bytes_max];
  // In one piece, unless there are escapes.
  std::string_view piece = from.string_piece(first, undone);
  if (piece.empty()) {
    return !from.failed() &&
           was_taken(from, [&]() -> decltype(auto) { return value.assign("", 0); });
  }
  bool taken =
      was_taken(from, [&]() -> decltype(auto) { return value.assign(piece.data(), piece.size()); });
  while (taken) {
    piece = from.string_piece(first, undone);
    if (piece.empty()) break;
    taken = was_taken(from,
                      [&]() -> decltype(auto) { return value.append(piece.data(), piece.size()); });
  }
  return !from.failed();
}

// A field, element or value.
template <class Style, class V, class Format>
inline bool read_member(cursor& from, V& value) {
  if constexpr (!measured<V, Format>) {
    const text_bounds text(from.begin(), from.end());
    if (const char* const end = fast_value<Style, V, Format, 0>(from.here(), text, value)) {
      from.move_to(end);
      return true;
    }
  }
  return parse_value<Style, V, Format>(from, value);
}

// Moves to the next element or entry; `first`: there was none. False at the closing bracket, which
// it takes, and on error.
template <class Style, char Close>
inline bool next_item(cursor& from, bool first) noexcept {
  from.skip_space(has_comments<Style>);
  if (from.take(Close)) {
    from.leave();
    return false;
  }
  if (from.at_end()) return from.fail(errc::truncated, "text ends inside a block");
  if (!first && Style::notation == notation::json) {
    if (!from.take(',')) return from.fail(errc::corrupt, "expected ','");
    from.skip_space(false);
  }
  return true;
}

template <class Style, class Format, class V>
inline bool read_element(cursor& from, V& values) {
  using element = typename V::value_type;
  if (!from.may_take(sizeof(element))) return false;
  if constexpr (std::is_class_v<element> && requires {
                  { values.emplace_back() } -> std::same_as<element&>;
                }) {
    return read_member<Style, element, Format>(from, values.emplace_back());
  } else {
    element made{};
    if (!read_member<Style, element, Format>(from, made)) return false;
    return was_taken(from, [&]() -> decltype(auto) { return values.push_back(std::move(made)); });
  }
}

template <class Style, class Format, class V>
bool parse_sequence(cursor& from, V& values) {
  constexpr bool is_json = Style::notation == notation::json;
  if (!from.take(is_json ? '[' : '{')) {
    return from.fail(errc::corrupt, is_json ? "expected '['" : "expected '{'");
  }
  if (!from.enter()) return false;
  values.clear();
  for (bool first = true; next_item<Style, is_json ? ']' : '}'>(from, first); first = false) {
    if (!read_element<Style, Format>(from, values)) return false;
  }
  return !from.failed();
}

template <class Key>
bool parse_key(cursor& from, Key& key) {
  if constexpr (string<Key>) {
    if (from.peek() == '"') return parse_long_string(from, key);
    const std::string_view word = from.token();
    if (from.failed()) return false;
    return was_taken(from,
                     [&]() -> decltype(auto) { return key.assign(word.data(), word.size()); });
  } else {
    const std::string_view word = from.token();
    if (from.failed()) return false;
    if constexpr (std::is_enum_v<Key>) {
      return parse_enum(from, word, key);
    } else {
      return parse_number<default_format>(from, word, key,
                                          "not a number, or out of range for this key");
    }
  }
}

template <class Style, class Format, class V>
bool parse_map(cursor& from, V& values) {
  using mapped = typename V::mapped_type;
  if (!from.take('{')) return from.fail(errc::corrupt, "expected '{'");
  if (!from.enter()) return false;
  values.clear();
  for (bool first = true; next_item<Style, '}'>(from, first); first = false) {
    typename V::key_type key{};
    if (!from.may_take(sizeof key + sizeof(mapped))) return false;
    if (!parse_key(from, key) || !take_after_name<Style>(from)) return false;
    const auto made = values.try_emplace(std::move(key));
    mapped& value = made.first->second;
    if (!made.second) value = mapped{};
    if (!read_member<Style, mapped, Format>(from, value)) return false;
  }
  return !from.failed();
}

// Makes the I-th alternative and reads it, if that is its name.
template <class Style, class V, std::size_t I>
bool is_alternative(cursor& from, std::string_view name, V& value) {
  using alternative = std::variant_alternative_t<I, V>;
  if constexpr (std::is_same_v<alternative, std::monostate>) {
    return false;
  } else {
    if (name != alternative_names<V>[I]) return false;
    (void)read_member<Style, alternative, default_format>(from, value.template emplace<I>());
    return true;
  }
}
template <class Style, class V, std::size_t... I>
bool parse_alternative(cursor& from, V& value, std::index_sequence<I...> /*all*/) {
  char room[longest_of(alternative_names<V>) + cursor::escape_bytes_max];
  const std::string_view word = from.token();
  if (from.failed() || !take_after_name<Style>(from)) return false;
  const std::string_view name = cursor::unescaped(word, room);
  if (!(is_alternative<Style, V, I>(from, name, value) || ...)) {
    return from.fail_in(word, errc::corrupt, "not the name of an alternative of this variant");
  }
  return !from.failed();
}

template <class Style, class V>
bool parse_variant(cursor& from, V& value) {
  if constexpr (alternatives_of<V>::can_be_empty) {
    if (from.peek() != '{') {
      const std::string_view word = from.token();
      if (from.failed()) return false;
      if (word != (Style::notation == notation::json ? "null" : "none")) {
        return from.fail_in(word, errc::corrupt, "expected '{'");
      }
      value = std::monostate{};
      return true;
    }
  }
  if (!from.take('{')) return from.fail(errc::corrupt, "expected '{'");
  if (!from.enter()) return false;
  from.skip_space(has_comments<Style>);
  constexpr auto all = std::make_index_sequence<alternatives_of<V>::size>();
  if (!parse_alternative<Style>(from, value, all)) return false;
  from.skip_space(has_comments<Style>);
  if (!from.take('}')) return from.fail(errc::corrupt, "expected '}' after the alternative");
  from.leave();
  return true;
}

// The name of a field as it is written, without the blanks before it.
template <class Style, class T, std::size_t I>
constexpr auto make_label() noexcept {
  constexpr std::string_view name = std::get<I>(description<T>).name;
  constexpr bool is_json = Style::notation == notation::json;
  fixed_text<name.size() + 3> label;
  label.add(is_json ? "\"" : "");
  label.add(name);
  label.add(is_json ? "\":" : "=");
  return label;
}
template <class Style, class T, std::size_t I>
inline constexpr auto label = make_label<Style, T, I>();

// Reads this field if it comes next. False only on error.
template <class Style, class T, std::size_t I>
inline bool read_next_field(cursor& from, T& object, bool& first) {
  using field = field_at<T, I>;
  const char* const before = from.here();
  const bool separated = first || Style::notation != notation::json || from.take(',');
  from.skip_space(has_comments<Style>);
  if (!separated || !matches_at<label<Style, T, I>>(from.here(), from.end())) {
    from.move_to(before);
    return true;
  }
  from.move_to(from.here() + label<Style, T, I>.used);
  from.skip_space(has_comments<Style>);
  first = false;
  return read_member<Style, typename field::member_type, typename field::format_type>(
      from, mutable_member<I>(object));
}

// Fields in the order of the description need no search for their names.
template <class Style, class T, std::size_t... I>
bool read_fields_in_order(cursor& from, T& object, bool& first, std::index_sequence<I...> /*all*/) {
  return (read_next_field<Style, T, I>(from, object, first) && ...);
}

template <class Style, class T>
bool parse_measured_block(cursor& from, T& object) {
  if (!from.take('{')) return from.fail(errc::corrupt, "expected '{'");
  if (!from.enter()) return false;
  bool first = true;
  constexpr auto all = std::make_index_sequence<field_count<T>>();
  if (!read_fields_in_order<Style>(from, object, first, all)) return false;
  if (!parse_fields<Style>(from, object, first)) return false;
  from.leave();
  return true;
}

}  // namespace overture::text::detail

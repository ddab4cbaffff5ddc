// SPDX-License-Identifier: Zlib
//
// Members whose size is known only at run time, for text/fields.hpp, which says what they may be.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <source_location>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace overture::text::detail {

// A container that grows at its end, such as std::vector.
template <class T>
concept growable = requires(T& to, const T& from, typename T::value_type element) {
  to.clear();
  to.push_back(std::move(element));
  { from.size() } -> std::convertible_to<std::size_t>;
  from.begin();
  from.end();
};

// A container of keys with values, such as std::map.
template <class T>
concept associative =
    requires(T& to, const T& from, typename T::key_type key, typename T::mapped_type value) {
      to.clear();
      to.try_emplace(std::move(key)).first->second = std::move(value);
      { from.size() } -> std::convertible_to<std::size_t>;
      from.begin();
      from.end();
    };

// Whether a map has an order of its own, in which it is written.
template <class T>
inline constexpr bool is_ordered = requires { typename T::key_compare; };

template <class T>
struct alternatives_of : std::false_type {};
template <class... Alternatives>
struct alternatives_of<std::variant<Alternatives...>> : std::true_type {
  static constexpr std::size_t size = sizeof...(Alternatives);
  // Whether "none" or null stands for one of them.
  static constexpr bool can_be_empty = (std::is_same_v<Alternatives, std::monostate> || ...);
};
template <class T>
concept variant = alternatives_of<T>::value;

template <class T>
consteval const char* name_with_type() {
  return std::source_location::current().function_name();
}
// The last word of "... [with T = game::sword]" or "... [T = game::sword]".
template <class T>
consteval std::string_view type_word() {
  std::string_view text = name_with_type<T>();
  while (text.ends_with(']') || text.ends_with(')')) text.remove_suffix(1);
  return text.substr(text.find_last_of(".:> ") + 1);
}

// The names of alternatives that have none in names(): those of the types. Types that are not the
// host's own are called differently by each compiler, so they have no name.
template <class T>
struct alternative_words;
template <class... Alternatives>
struct alternative_words<std::variant<Alternatives...>> {
  template <class T>
  static consteval std::string_view word() {
    if constexpr (std::is_class_v<T> || std::is_enum_v<T>) return type_word<T>();
    return {};
  }
  static constexpr std::array<std::string_view, sizeof...(Alternatives)> all = {
      word<Alternatives>()...};
};

}  // namespace overture::text::detail

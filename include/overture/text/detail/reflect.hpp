// SPDX-License-Identifier: Zlib
//
// Reflection of aggregates, for text/fields.hpp, which says what can be reflected.
//
// Members are counted by how many initialisers the type accepts and bound by structured bindings,
// as Boost.PFR (Antony Polukhin) and reflect-cpp do. Their names are taken, as there, from the name
// that the compiler gives a function whose template argument is the member's address.
#pragma once

#include <cstddef>
#include <source_location>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace overture::text {

// The most members that an aggregate without fields() may have.
inline constexpr std::size_t reflected_fields_max = 24;

namespace detail {

// -- how many members --

// Each {} initialises one member, arrays included, so the type has as many members as it accepts
// {}; the table goes one past the limit. Without braces an array would take one initialiser for
// each element, possibly thousands.
// clang-format off: one line per count
template <class T>
constexpr std::size_t count_members() {
  constexpr bool accepts[] = {
    requires { T{{}}; },
    requires { T{{},{}}; },
    requires { T{{},{},{}}; },
    requires { T{{},{},{},{}}; },
    requires { T{{},{},{},{},{}}; },
    requires { T{{},{},{},{},{},{}}; },
    requires { T{{},{},{},{},{},{},{}}; },
    requires { T{{},{},{},{},{},{},{},{}}; },
    requires { T{{},{},{},{},{},{},{},{},{}}; },
    requires { T{{},{},{},{},{},{},{},{},{},{}}; },
    requires { T{{},{},{},{},{},{},{},{},{},{},{}}; },
    requires { T{{},{},{},{},{},{},{},{},{},{},{},{}}; },
    requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{}}; },
    requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{},{}}; },
    requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}}; },
    requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}}; },
    requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}}; },
    requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}}; },
    requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}}; },
    requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}}; },
    requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}}; },
    requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}}; },
    requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}}; },
    requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}}; },
    requires { T{{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}}; },
  };
  static_assert(sizeof accepts == reflected_fields_max + 1);
  std::size_t count = 0;
  for (const bool one_more : accepts) count += one_more ? 1 : 0;
  return count;
}
// clang-format on

// Converts to bases of T only; never called.
template <class T>
struct base_of {
  template <class Base>
    requires(std::is_base_of_v<Base, T> && !std::is_same_v<Base, T>)
  operator Base() const noexcept;  // NOLINT(google-explicit-constructor)
};
// A base is initialised before the members and would be counted as one.
template <class T>
inline constexpr bool has_base = requires { T{base_of<T>{}}; };

// -- the members --

// C++20 has no structured binding of variable length: one for each number of members.
template <std::size_t Count, class Object>
constexpr auto tie_up_to_12(Object& object) noexcept {
  if constexpr (Count == 1) {
    auto& [a] = object;
    return std::tie(a);
  } else if constexpr (Count == 2) {
    auto& [a, b] = object;
    return std::tie(a, b);
  } else if constexpr (Count == 3) {
    auto& [a, b, c] = object;
    return std::tie(a, b, c);
  } else if constexpr (Count == 4) {
    auto& [a, b, c, d] = object;
    return std::tie(a, b, c, d);
  } else if constexpr (Count == 5) {
    auto& [a, b, c, d, e] = object;
    return std::tie(a, b, c, d, e);
  } else if constexpr (Count == 6) {
    auto& [a, b, c, d, e, f] = object;
    return std::tie(a, b, c, d, e, f);
  } else if constexpr (Count == 7) {
    auto& [a, b, c, d, e, f, g] = object;
    return std::tie(a, b, c, d, e, f, g);
  } else if constexpr (Count == 8) {
    auto& [a, b, c, d, e, f, g, h] = object;
    return std::tie(a, b, c, d, e, f, g, h);
  } else if constexpr (Count == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = object;
    return std::tie(a, b, c, d, e, f, g, h, i);
  } else if constexpr (Count == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = object;
    return std::tie(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (Count == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = object;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (Count == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = object;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l);
  }
}
template <std::size_t Count, class Object>
constexpr auto tie_up_to_24(Object& object) noexcept {
  if constexpr (Count == 13) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = object;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m);
  } else if constexpr (Count == 14) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = object;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
  } else if constexpr (Count == 15) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = object;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
  } else if constexpr (Count == 16) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = object;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
  } else if constexpr (Count == 17) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q] = object;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q);
  } else if constexpr (Count == 18) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r] = object;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r);
  } else if constexpr (Count == 19) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s] = object;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s);
  } else if constexpr (Count == 20) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t] = object;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t);
  } else if constexpr (Count == 21) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u] = object;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u);
  } else if constexpr (Count == 22) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v] = object;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v);
  } else if constexpr (Count == 23) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w] = object;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w);
  } else if constexpr (Count == 24) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x] = object;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x);
  }
}
template <std::size_t Count, class Object>
constexpr auto tie_members(Object& object) noexcept {
  if constexpr (Count <= 12) {
    return tie_up_to_12<Count>(object);
  } else {
    return tie_up_to_24<Count>(object);
  }
}

// -- their names --

// Gives the members of a T addresses without constructing one.
template <class T>
union unconstructed {
  char none;
  T value;
  constexpr unconstructed() noexcept : none{} {}
  constexpr ~unconstructed() {}
};
template <class T>
inline constexpr unconstructed<T> unconstructed_object{};

template <auto Member>
consteval const char* name_with_member() {
  return std::source_location::current().function_name();
}
// The last word of "... [with auto Member = (&
// unconstructed_object<unit>.unconstructed<unit>::value.unit::speed)]" or "... [Member =
// &unconstructed_object.value.speed]".
consteval std::string_view last_word(std::string_view text) {
  while (text.ends_with(']') || text.ends_with(')')) text.remove_suffix(1);
  return text.substr(text.find_last_of(".:> ") + 1);
}

template <class T>
inline constexpr std::size_t member_count = count_members<T>();

template <class T>
inline constexpr auto unconstructed_members =
    tie_members<member_count<T>>(unconstructed_object<T>.value);

template <class T, std::size_t I>
inline constexpr std::string_view member_name =
    last_word(name_with_member<&std::get<I>(unconstructed_members<T>)>());

template <class T, std::size_t I>
using member_type = std::remove_cvref_t<
    std::tuple_element_t<I, decltype(tie_members<member_count<T>>(std::declval<T&>()))>>;

}  // namespace detail
}  // namespace overture::text

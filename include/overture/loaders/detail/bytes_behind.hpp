// SPDX-License-Identifier: Zlib
//
// How much memory the strings, vectors and maps of a value hold, by its description.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>

#include "overture/text/detail/containers.hpp"
#include "overture/text/fields.hpp"

namespace overture::loaders::detail {

template <class T>
[[nodiscard]] std::uint64_t bytes_behind(const T& value) noexcept;

template <class T, std::size_t... I>
[[nodiscard]] std::uint64_t bytes_behind_fields(const T& value,
                                                std::index_sequence<I...> /*all*/) noexcept {
  return (std::uint64_t{0} + ... + bytes_behind(text::detail::member_of<I>(value)));
}

// Those of containers of the host's own count by their elements, whatever room they keep.
template <class T>
std::uint64_t bytes_behind(const T& value) noexcept {
  constexpr std::uint64_t node = 4 * sizeof(void*);  // about what a map adds to each entry
  std::uint64_t sum = 0;
  if constexpr (text::detail::string<T>) {
    const std::string_view characters = value;
    if constexpr (sizeof(T) > sizeof(std::string_view)) {
      if (characters.size() < sizeof(T) / 2) return 0;  // inside the object, of all known strings
    }
    sum = characters.size();
  } else if constexpr (text::detail::map<T>) {
    for (const auto& [key, mapped] : value) {
      sum += node + sizeof(key) + sizeof(mapped) + bytes_behind(key) + bytes_behind(mapped);
    }
  } else if constexpr (text::detail::sequence<T>) {
    // Those of bits have no references to their elements.
    for (auto&& each : value) {
      sum += sizeof(typename T::value_type);
      if constexpr (std::is_reference_v<decltype(each)>) sum += bytes_behind(each);
    }
  } else if constexpr (text::detail::array<T>) {
    for (const auto& each : value) sum += bytes_behind(each);
  } else if constexpr (text::detail::optional<T>) {
    if (value.has_value()) sum = bytes_behind(*value);
  } else if constexpr (text::detail::variant<T>) {
    sum = std::visit([](const auto& held) { return bytes_behind(held); }, value);
  } else if constexpr (text::detail::block<T>) {
    sum = bytes_behind_fields(value, std::make_index_sequence<text::detail::field_count<T>>());
  }
  return sum;
}

}  // namespace overture::loaders::detail

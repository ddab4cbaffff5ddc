// SPDX-License-Identifier: Zlib
//
// How a store tells the types of assets apart: by name, size and alignment. So a loader that the
// program has added also serves a plug-in (.so, DLL) whose symbols are hidden, and the other way
// round; the library needs no type information of the compiler.
//
// The name is the one that the compiler spells, with its namespaces. Compilers spell some types
// differently: where a plug-in may come from another one, give the type a name of your own.
//
//   struct texture {
//     static constexpr std::string_view asset_type_name = "my game's texture";
//     ...
//   };
//
// Types in an unnamed namespace or in a function are not shared: each library has its own. If two
// libraries have different types of one name, as after a change of one of them, the second loader
// is refused, and so is an asset for which there is no loader of that size: explain() names both.
//
// Before a plug-in is unloaded, everything that it brought must be gone: its handles, the stores
// that have its loaders, and the values that its loaders made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "overture/base/hash.hpp"

namespace overture::detail {

template <class T>
[[nodiscard]] constexpr std::string_view spelled_with() noexcept {
#if defined(_MSC_VER) && !defined(__clang__)
  return __FUNCSIG__;
#else
  return __PRETTY_FUNCTION__;
#endif
}

template <class T>
[[nodiscard]] constexpr std::string_view type_name() noexcept {
  if constexpr (requires { std::string_view(T::asset_type_name); }) {
    return T::asset_type_name;
  } else {
    constexpr std::string_view known = spelled_with<double>();
    constexpr std::size_t before = known.find("double");
    constexpr std::size_t after = known.size() - before - std::string_view("double").size();
    constexpr std::string_view all = spelled_with<T>();
    return all.substr(before, all.size() - before - after);
  }
}

// Whether types of this name in two libraries may have nothing in common.
[[nodiscard]] constexpr bool is_local_name(std::string_view name) noexcept {
  for (const std::string_view sign : {"anonymous", "(", "lambda", "unnamed"}) {
    if (name.find(sign) != std::string_view::npos) return true;
  }
  return false;
}

struct asset_type {
  std::string_view name;
  std::uint64_t id = 0;  // of the name; 0: the type is told apart by the address of this
  std::size_t bytes = 0;
  std::size_t alignment = 0;
};

template <class T>
inline constexpr asset_type type_of{
    .name = type_name<T>(),
    .id = is_local_name(type_name<T>()) ? 0 : hash64(type_name<T>()),
    .bytes = sizeof(T),
    .alignment = alignof(T)};

}  // namespace overture::detail

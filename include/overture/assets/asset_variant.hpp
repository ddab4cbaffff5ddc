// SPDX-License-Identifier: Zlib
//
// asset_variant<T>: what makes two assets of one file and type different: which part of the file it
// is, and with which settings it is made.
//
//   struct texture_settings {
//     bool srgb = true;
//     bool mips = true;
//   };
//   struct texture {
//     using settings = texture_settings;                 // so loads of textures have settings
//     ...
//   };
//
//   asset<texture> normals = store.get<texture>("gfx/wall_n.png"_path,
//                                               {.settings = {.srgb = false}});
//   asset<mesh> wheel = store.get<mesh>("car.gltf"_path, {.part = "wheel"});
//
// The loader asks its context: context.settings<texture>(), context.part(). Requests with the same
// part and settings share an asset; a request without settings has the default ones. A reload keeps
// both. Parts are made from a value of the whole file, which is read and decoded once: see
// part_loader.hpp. Without a part_loader, each part reads the file.
//
// Settings are compared byte by byte, so they must have no padding and no floating-point numbers:
// use integers, such as per mille, and fill gaps with members of your own.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>

#include "overture/assets/asset_type.hpp"
#include "overture/base/api.hpp"

namespace overture {

struct no_settings {};

namespace detail {

template <class T>
struct settings_of_type {
  using type = no_settings;
};
template <class T>
  requires requires { typename T::settings; }
struct settings_of_type<T> {
  using type = typename T::settings;
};

}  // namespace detail

template <class T>
using settings_of = typename detail::settings_of_type<T>::type;

template <class T>
struct asset_variant {
  std::string_view part = {};  // empty: the whole file
  settings_of<T> settings = {};
};

// Writes the bytes of settings, as known_asset and asset_event have them, for people: text in
// quotes, all else in hex, "0x0100", without the zeros at the end. Cut to fit. Returns the length.
OVERTURE_API std::size_t settings_text(std::string_view settings, std::span<char> text) noexcept;

namespace detail {

// Which asset of a path is asked for. What it refers to lives for the call.
struct asset_wanted {
  const asset_type* type = nullptr;
  std::string_view part = {};
  std::string_view settings = {};  // its bytes
};

inline constexpr std::size_t settings_bytes_max = 64;

template <class T>
[[nodiscard]] asset_wanted wanted_of(const asset_variant<T>& as) noexcept {
  using settings = settings_of<T>;
  if constexpr (std::is_empty_v<settings>) {
    return {.type = &type_of<T>, .part = as.part};
  } else {
    static_assert(std::has_unique_object_representations_v<settings>,
                  "settings of assets are compared byte by byte: no padding, no floating point");
    static_assert(sizeof(settings) <= settings_bytes_max,
                  "settings of assets have 64 bytes at most");
    return {.type = &type_of<T>,
            .part = as.part,
            .settings = {reinterpret_cast<const char*>(&as.settings), sizeof(settings)}};
  }
}

template <class T>
[[nodiscard]] settings_of<T> settings_from(std::string_view bytes) noexcept {
  settings_of<T> made{};
  if constexpr (!std::is_empty_v<settings_of<T>>) {
    if (bytes.size() == sizeof made) bytes.copy(reinterpret_cast<char*>(&made), sizeof made);
  }
  return made;
}

template <class T>
[[nodiscard]] asset_variant<T> variant_from(const asset_wanted& what) noexcept {
  return {.part = what.part, .settings = settings_from<T>(what.settings)};
}

}  // namespace detail
}  // namespace overture

// SPDX-License-Identifier: Zlib
//
// What the files of the asset store share.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "c/handles.hpp"
#include "c/program_loader.hpp"
#include "overture/assets/asset_group.hpp"
#include "overture/assets/asset_store.hpp"
#include "overture/c/assets.h"

struct overture_needs {
  overture::asset_context& context;
  overture::load_context* decoding;  // that context; null in build()
  overture_store& store;
  overture::c::c_path part;
};

struct overture_asset {
  overture::asset<overture::c::program_value> handle;
  overture_store* store = nullptr;
  overture_asset_type type = 0;
  bool is_counted = false;  // false for one that another asset needs: that ends with the store
};

namespace overture::c {

inline constexpr const char* no_store = "the store is NULL";
inline constexpr const char* no_asset = "the asset is NULL";
inline constexpr const char* no_such_priority =
    "a priority below OVERTURE_ASSET_LOWEST or above OVERTURE_ASSET_HIGHEST";

inline constexpr std::int32_t above_lowest = static_cast<std::int32_t>(asset_priority::normal);
static_assert(OVERTURE_ASSET_LOW + above_lowest == static_cast<int>(asset_priority::low));
static_assert(OVERTURE_ASSET_HIGH + above_lowest == static_cast<int>(asset_priority::high));
static_assert(OVERTURE_ASSET_BACKGROUND + above_lowest ==
              static_cast<int>(asset_priority::background));

[[nodiscard]] inline std::optional<asset_priority> asset_priority_of(
    std::int32_t priority) noexcept {
  if (priority < -above_lowest || priority > UINT8_MAX - above_lowest) return std::nullopt;
  return static_cast<asset_priority>(priority + above_lowest);
}

}  // namespace overture::c

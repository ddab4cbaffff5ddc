// SPDX-License-Identifier: Zlib
//
// What the files of the asset store share: its assets, whatever their types.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "c/handles.hpp"
#include "overture/assets/asset_group.hpp"
#include "overture/assets/asset_store.hpp"
#include "overture/c/assets.h"

// What a program does with an asset, whatever its type.
struct overture_asset {
  overture_asset() = default;
  virtual ~overture_asset() = default;
  overture_asset(const overture_asset&) = delete;
  overture_asset& operator=(const overture_asset&) = delete;

  [[nodiscard]] virtual void* value() const noexcept = 0;
  [[nodiscard]] virtual overture::result<void> status() const noexcept = 0;
  [[nodiscard]] virtual bool wait_for(overture::asset_store& in, std::uint64_t ns) noexcept = 0;
  virtual std::size_t explain(const overture::asset_store& in,
                              std::span<char> text) const noexcept = 0;
  virtual void raise(overture::asset_store& in, overture::asset_priority to) const noexcept = 0;
  [[nodiscard]] virtual overture::priority_change to_priority(
      overture::asset_priority to) const noexcept = 0;
  [[nodiscard]] virtual overture::result<void> join(
      overture::asset_group& group) const noexcept = 0;
  virtual void retry(overture::asset_store& in) const noexcept = 0;
  [[nodiscard]] virtual overture::result<void> reload_status(
      const overture::asset_store& in) const noexcept = 0;
  // The place of the asset that the handle is on.
  [[nodiscard]] virtual bool is_at(const void* head) const noexcept = 0;
  virtual void end() noexcept = 0;

  overture_store* store = nullptr;
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

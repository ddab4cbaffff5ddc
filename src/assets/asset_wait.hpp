// SPDX-License-Identifier: Zlib
//
// What an asset waits for, as a timeline has it: a function of its arguments only.
#pragma once

#include "assets/life.hpp"
#include "overture/assets/asset_waits.hpp"

namespace overture::assets_detail {

// Null while a thread works for it, and where it waits for nothing. `lacks_room`: the budget has
// refused it since it came into this state.
[[nodiscard]] constexpr const char* wait_of(const life& now, bool lacks_room) noexcept {
  switch (now.state) {
    case asset_state::queued:
      if (now.leaving) return asset_waits::unload;
      return lacks_room ? asset_waits::room : asset_waits::turn;
    case asset_state::reading:
      return lacks_room ? asset_waits::room : asset_waits::read;
    case asset_state::decoding:
      if (now.in != place::to_decode) return nullptr;
      return lacks_room ? asset_waits::room : asset_waits::decode;
    case asset_state::needing:
      return asset_waits::need;
    case asset_state::finalizing:
      if (now.in == place::for_main) return asset_waits::pump;
      if (now.in != place::for_workers) return nullptr;
      return now.building ? asset_waits::build : asset_waits::finalize;
    case asset_state::unloaded:
    case asset_state::ready:
    case asset_state::failed:
      return nullptr;
  }
  return nullptr;
}

// What a timeline calls this step of a life, if it marks it; else null.
[[nodiscard]] constexpr const char* mark_of(const life& before, life_event event, const life& next,
                                            bool is_reload) noexcept {
  if (next.state == before.state) return nullptr;
  switch (next.state) {
    case asset_state::queued:
      if (event == life_event::read_refused) return nullptr;
      if (is_reload || event == life_event::superseded) return asset_marks::reloaded;
      return event == life_event::retried ? asset_marks::retried : asset_marks::asked;
    case asset_state::ready:
      return asset_marks::ready;
    case asset_state::failed:
      return asset_marks::failed;
    case asset_state::unloaded:
      return is_settled(before.state) ? nullptr : asset_marks::given_up;
    default:
      return nullptr;
  }
}

}  // namespace overture::assets_detail

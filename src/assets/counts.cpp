// SPDX-License-Identifier: Zlib
#include "assets/counts.hpp"

#include <algorithm>

namespace overture::assets_detail {

template <class Change>
void counts::each(const slot& one, Change change) noexcept {
  const life& now = one.now;
  std::uint32_t& movers = moving[one.moves_as];
  change(in_state[static_cast<std::size_t>(now.state)], 1u);
  if (one.is_second) change(reloads_in_state[static_cast<std::size_t>(now.state)], 1u);
  if (one.is_idle) {
    change(kept, 1u);
    change(kept_bytes, one.value_bytes);
  }
  if (now.state == asset_state::ready && !one.is_second) change(loaded_bytes, one.value_bytes);
  if (needs_room(one)) change(in_flight_bytes, one.room_bytes);
  if (has_file(now.state)) change(files_in_memory, 1u);
  if (moves(one)) change(movers, 1u);
  if (now.state == asset_state::needing) change(chains[one.moves_as], 1u);
  if (one.read_waits) change(waiting_reads[one.moves_as], 1u);
  if (moves(one) && now.in == place::to_decode) {
    change(waiting_decodes[class_of(one.priority)][one.moves_as], 1u);
  }
  if (now.leaving) {
    change(movers, 1u);
    change(leaving_bytes, one.leaving_bytes);
    change(leaving_needs_bytes, one.leaving_bytes - std::min(one.leaving_bytes, one.value_bytes));
  }
}

void counts::put_in(const slot& one) noexcept {
  each(one, [](auto& count, auto by) { count += by; });
}

void counts::take_out(const slot& one) noexcept {
  each(one, [](auto& count, auto by) { count -= by; });
}

}  // namespace overture::assets_detail

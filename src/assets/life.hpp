// SPDX-License-Identifier: Zlib
//
// An asset's life: what becomes of it at each event, as a function of its arguments only.
//
//   unloaded -> queued -> reading -> decoding -> [needing] -> finalizing -> ready, or failed
//
// One whose loader builds() is `finalizing` while it is built, too, and `needing` again if build()
// asks for more.
//
// The value of an asset leaves on its own way, beside whatever the asset does next: it waits to be
// unloaded, and an asset that is asked for meanwhile is read once its old value has left.
// store_core::happens() carries out what step() says, and nothing else changes a life.
#pragma once

#include <cstdint>

#include "overture/assets/asset.hpp"

namespace overture::assets_detail {

// The list that an asset is in.
enum class place : std::uint8_t {
  none,
  to_read,
  to_decode,
  for_main,     // to be finalized in pump()
  for_workers,  // to be built or finalized there
  kept,         // loaded, though nothing holds it
  unload_main,  // its value is to be unloaded in pump()
  unload_any,   // or on whatever thread
};
inline constexpr std::size_t place_count = 8;

struct life {
  asset_state state = asset_state::unloaded;
  place in = place::none;
  bool leaving = false;   // its value is to be unloaded, or is being unloaded
  bool settling = false;  // ready or failed, but those who wait have not been told
  bool again = false;     // queued, to be read once it has left or settled
  bool begun = false;     // finalize() was called, so its value must be unloaded where that was
  bool building = false;  // build() comes before finalize(), or is running
  bool built = false;     // it waits for what build() has asked for

  friend bool operator==(const life&, const life&) = default;
};

enum class life_event : std::uint8_t {
  asked,          // a handle was made
  refused,        // likewise, but its path or type cannot be
  retried,        // it has failed, and is to be loaded again
  read_begins,    //
  read_ends,      // its file is in memory; the job that says so decodes
  read_fails,     //
  read_refused,   // its file is larger than the room that there is
  decode_begins,  //
  decode_ends,    //
  decode_fails,   //
  needs_settle,   // all that it waits for is ready or has failed
  superseded,     // its file has changed: it waits for what it may not need any more
  step_begins,    // of build() or finalize()
  built,          // build() has ended
  step_again,     // which wants another
  step_ends,      // which was the last
  step_fails,     //
  told,           // those who wait know that it has settled
  let_go,         // nothing holds it
  evicted,        // too much is kept, or its file has changed
  exchanged,      // of a reload: pump() has put its value in place of the old one, or left that
  unload_begins,  //
  unload_ends,    //
  store_ends,     //
};
inline constexpr std::size_t life_event_count = 24;

// What else decides.
struct life_facts {
  bool held = false;           // by a handle, or by what needs it
  bool ending = false;         // the store ends
  bool has_value = false;      //
  bool free_threaded = false;  // its loader is
  bool builds = false;         // likewise
  bool need_failed = false;    // something that it needs has
  bool needs_pending = false;  // it waits for something that it needs
  bool is_reload = false;      // it brings another value of an asset
  bool is_part = false;        // a part of its file was read, for a stage
};

// What is to be done, in this order.
struct life_actions {
  bool raise = false;         // the barricade of those who wait
  bool drop_needs = false;    // gives up what it needs
  bool drop_file = false;     // its content is not needed any more
  bool settle = false;        // shows the value if there is one; wakes what needs it; then `told`
  bool finalize_job = false;  // queues a job: that builds or finalizes
  bool unload_job = false;    // that unloads
  bool exchange = false;      // pump() takes the value of a reload
  bool wake_main = false;     // something waits for pump()

  friend bool operator==(const life_actions&, const life_actions&) = default;
};

struct life_step {
  life next;
  life_actions todo;
};

// An event that cannot be in this state changes nothing.
[[nodiscard]] life_step step(const life& now, life_event event, const life_facts& is) noexcept;

// Whether it goes on by itself: some thread works for it, or it waits for one. What waits for its
// turn does not, nor what waits for others.
[[nodiscard]] constexpr bool is_moving(asset_state state) noexcept {
  return state == asset_state::reading || state == asset_state::decoding ||
         state == asset_state::finalizing;
}
// Whether it takes room of the budget.
[[nodiscard]] constexpr bool takes_room(asset_state state) noexcept {
  return is_moving(state) || state == asset_state::needing;
}
// Whether its file is in memory, or being read.
[[nodiscard]] constexpr bool has_file(asset_state state) noexcept {
  return state == asset_state::reading || state == asset_state::decoding;
}
// Whether nothing waits for it any more.
[[nodiscard]] constexpr bool is_settled(asset_state state) noexcept {
  return state == asset_state::ready || state == asset_state::failed;
}

}  // namespace overture::assets_detail

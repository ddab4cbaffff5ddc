// SPDX-License-Identifier: Zlib
//
// What a store knows of one asset.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "assets/fetch.hpp"
#include "assets/life.hpp"
#include "assets/lists.hpp"
#include "overture/assets/asset_group.hpp"
#include "overture/assets/asset_stage.hpp"
#include "sync/object_use.hpp"

namespace overture::assets_detail {

class store_core;
struct need;
using overture::detail::group_member;

// A place in a text, counted from 1, columns in bytes; 0: in no text.
struct text_place {
  std::size_t line = 0;
  std::size_t column = 0;
};

// A type of assets, as two libraries know it.
struct type_key {
  std::uint64_t id = 0;  // of its name
  std::size_t bytes = 0;
  std::size_t alignment = 0;

  friend bool operator==(const type_key&, const type_key&) = default;
};
[[nodiscard]] inline type_key key_of(const overture::detail::asset_type& type) noexcept {
  const auto here = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&type));
  return {.id = type.id != 0 ? type.id : here, .bytes = type.bytes, .alignment = type.alignment};
}

// How much of its file a value is made of.
struct value_stage {
  unsigned index = 0;
  bool is_part = false;
  bool has_parts = false;  // less than all of it could be read
  std::uint64_t file_bytes = 0;
};

// A loader that was added, and memory for its values.
struct loader_entry {
  overture::detail::any_loader* by = nullptr;
  type_key type;
  std::string_view type_name;
  bool free_threaded = false;
  bool builds = false;
  bool reads = true;
  bool dependent = false;
  std::size_t value_bytes = 0;
  std::size_t value_alignment = 0;
  std::array<std::uint64_t, asset_stages_max> stage_bytes{};
  unsigned last_stage = 0;  // that of the whole file
  const void* placeholder = nullptr;
  void* free_values = nullptr;  // linked through their first bytes
  // Of the assets that it has decoded and built, for a guess at what the next one takes.
  std::uint64_t decoded = 0;
  std::uint64_t decoded_bytes = 0;
  std::uint64_t content_bytes = 0;
  loader_entry* next = nullptr;
  sync_detail::object_uses<1>* use = nullptr;  // with contracts, of the loader
};

// Lives as long as its store. What is not atomic is guarded by the store's lock, except that
// `value` belongs to the thread that decodes, finalizes or unloads it.
struct slot : overture::detail::asset_head {
  store_core* store = nullptr;
  loader_entry* of = nullptr;  // null: no loader for this type
  type_key type;
  asset_path path;                 // the text lives as long as the store
  std::string_view part;           // of the file, and so does this
  std::string_view settings;       // their bytes, and these
  bool is_bad_path = false;        // nothing can have this path
  std::uint32_t subject = 0;       // its number in a timeline, that of the asset for a reload
  std::uint64_t hash = 0;          // of all that makes it what it is, for the table
  slot* next_in_bucket = nullptr;  //
  slot* first_of_path = nullptr;   // of those with its path
  slot* next_of_path = nullptr;    // from the first of them
  slot* next_in_paths = nullptr;   // of those first ones
  std::uint32_t waiting_reads_of_path = 0;  // if it is such a first one: that may share a read

  life now;  // its state is in asset_head::state too
  asset_priority priority =
      asset_priority::normal;                      // the highest of `wanted` and what waits for it
  asset_priority wanted = asset_priority::normal;  // by the program
  std::uint64_t number = 0;                        // the lowest of a priority was asked for first
  void* value = nullptr;
  std::uint64_t value_bytes = 0;     // as its loader says
  std::size_t moves_as = 0;          // the class in which it counts: see note_class()
  value_stage stage;                 // of the value, or of that which is being loaded
  unsigned last_stage = all_stages;  // that the program wants
  unsigned stages_left_out = 0;      // bits: no value can be made of so little of the file
  unsigned asked_stage = 0;          // of a reload: a file that is shorter now ends in another one
  bool is_of_change = false;         // a reload that reads a change of the file
  bool was_too_little = false;       // its decode() failed, and left its stage out
  std::uint64_t since_ns = 0;        // when it came into its state
  error failure;                     // if it has failed
  bool has_failed = false;           // and has not loaded since
  slot* failed_need = nullptr;       // that made it fail
  text_place failed_at;              // if its file is a text
  fetch_request fetch;
  // Several assets of one file share its read: see share_read().
  slot* read_by = nullptr;    // the one whose request reads it; null: its own does
  slot* shared_by = nullptr;  // those that share its request, linked by this

  // What it takes of the budget while it needs_room(), and what was taken for it.
  std::uint64_t room_bytes = 0;
  std::uint64_t taken_bytes = 0;
  std::uint64_t stated_bytes = 0;   // what its loader said that decode() needs; 0: nothing
  std::uint64_t known_bytes = 0;    // what there was no room for, the last time
  bool read_waits = false;          // for room in the ledger of the files
  std::uint64_t leaving_bytes = 0;  // what is free once its value has left

  // What is kept: see store_keeping.cpp.
  bool is_idle = false;            // nothing but what is kept holds it
  bool lends = false;              // its needs have its handles in idle_handles
  bool goes_first = false;         // it was kept loaded by what has gone
  std::uint8_t idle_depth = 0;     // needs between it and what is kept
  std::uint32_t idle_handles = 0;  // of its handles, those of idle assets
  slot* idle_next = nullptr;       // in look_if_idle()
  bool in_idle_look = false;

  // For a record: whether it was ever decoded, when it was first read (counted from 1), and what
  // that cost the last time.
  bool was_loaded = false;
  std::uint64_t read_number = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t cost_ns = 0;

  // For a timeline: see store_trace.cpp.
  const char* waits_for = nullptr;   // one of asset_waits; null: for nothing
  std::uint64_t waits_since_ns = 0;  // 0: not known
  bool lacks_room = false;           // the budget has refused it
  const slot* let_go_by = nullptr;   // the last of its needs to settle

  // Events: see store_events.cpp.
  bool has_event = false;  // it is in the list of those, linked by event_next
  bool left_since_told = false;
  bool failed_since_told = false;
  bool reload_failed_since_told = false;
  bool told_ready = false;
  std::uint32_t told_version = 0;
  slot* event_next = nullptr;

  need* needs = nullptr;                         // of this one
  need* needed_by = nullptr;                     // those of others for this one
  need* failed_with = nullptr;                   // what it needed when it failed
  need* failed_parents = nullptr;                // those of others for this one
  group_member* groups = nullptr;                // that it is in
  std::uint32_t pending_needs = 0;               // that are not settled
  bool lacks = false;                            // it cannot do without what has just failed
  std::int64_t rank = 0;                         // lower than those of all that it needs
  std::uint32_t visit = 0;                       // the last walk that came here
  std::uint32_t seen_handles = 0;                // that this walk has explained
  asset_holder held_by = asset_holder::nothing;  // as for_each_asset() found it
  slot* walk_next = nullptr;

  // Reloads: see store_reload.cpp.
  bool is_second = false;         // one that brings other values, not one of the table
  slot* reload_of = nullptr;      // it brings another value of that one
  slot* reload = nullptr;         // that is under way
  std::uint64_t replaced_in = 0;  // the generation of calls in which it got the old value
  bool changed = false;           // since its last load or reload began
  bool is_outdated = false;       // what it needs has another value than it may have copied
  std::uint64_t due_ns = 0;       // when it may be reloaded, if so
  bool in_changed = false;        // in the list of those, though it may have been loaded since
  slot* changed_next = nullptr;
  result<void> last_reload;
  slot* reload_failed_need = nullptr;  // that made it fail
  bool gave_up = false;                // let go of while it loaded: why it may fail is not known
  bool blamed = false;                 // others have failed because of it
  bool may_come = false;               // it is loaded again, or has been
  bool in_troubled = false;            // it is in the list of those that have failed
  slot* troubled_next = nullptr;       //
  std::uint32_t blame_look = 0;        // the last look at its blame, and what that found:
  bool blame_comes = false;            // one of those to blame may come
  std::uint64_t retry = 0;        // that is under way for it, and goes on to what it needs; 0: none
  std::uint64_t last_retry = 0;   // each tries it once
  std::uint64_t tried_after = 0;  // so many words of the program, and since then it was
  unsigned tries = 0;             // by the store itself; at most tries_max
  std::uint64_t circle_at = 0;    // saves that there were when one of its needs closed a circle
  bool saved = false;             // the program said that its file has changed

  bool in_call = false;             // of its loader
  std::uint8_t call_parity = 0;     // the generation that this belongs to, even or odd
  linked_list<slot>* in = nullptr;  // the list that it is in
  slot* before = nullptr;
  slot* after = nullptr;
  slot* settled_next = nullptr;  // in actions
  slot* work_next = nullptr;
  slot* woken_next = nullptr;
  slot* lowered_next = nullptr;  // in lower_needs()
  bool is_lowered = false;       // it is there
  slot* look_next = nullptr;     // likewise, and in store_core::unwanted_
  bool is_looked_at = false;

  atomic<slot*> unused_next{nullptr};
  atomic<bool> in_unused{false};
};

// Empty before there is a loader for it.
[[nodiscard]] inline std::string_view type_name_of(const slot& one) noexcept {
  return one.of != nullptr ? one.of->type_name : std::string_view();
}
[[nodiscard]] inline bool is_held(const slot& one) noexcept {
  return one.handles.load(std::memory_order_seq_cst) != 0;
}
// Its need has two handles, of which decode() may have dropped one.
[[nodiscard]] inline bool has_only_idle_handles(const slot& one) noexcept {
  return !one.is_second && one.handles.load(std::memory_order_seq_cst) <= one.idle_handles;
}
// Whether a reload in this state has a handle of its asset: from its read on, not while it waits
// for its turn.
[[nodiscard]] constexpr bool reload_keeps_asset(asset_state state) noexcept {
  return state != asset_state::unloaded && state != asset_state::queued;
}
// How much of its file is to be read; 0: all of it.
[[nodiscard]] inline std::uint64_t bytes_to_read(const slot& one) noexcept {
  return one.stage.index < one.of->last_stage ? one.of->stage_bytes[one.stage.index] : 0;
}
// The stage that its value should have next; the one that it has if that is right.
[[nodiscard]] inline unsigned next_stage(const slot& one) noexcept {
  const value_stage& now = one.stage;
  const auto from = [&one](unsigned stage) {
    while (stage < one.of->last_stage && (one.stages_left_out >> stage & 1) != 0) ++stage;
    return stage;
  };
  const unsigned last = from(std::min(one.last_stage, one.of->last_stage));
  if (now.is_part && now.index < last) return from(now.index + 1);
  const bool is_coarser =
      now.index > last && now.has_parts && one.of->stage_bytes[last] < now.file_bytes;
  return is_coarser ? last : now.index;
}
// For threads without the store's lock too.
[[nodiscard]] inline bool is_settled(const slot& one) noexcept {
  return is_settled(one.state.load(std::memory_order_relaxed));
}

// Without a word of the program the store tries an asset so often.
inline constexpr unsigned tries_max = 8;

// Whether what needs it need not wait any longer. One that has failed is still open while a reload
// is ahead, which tries again.
[[nodiscard]] inline bool is_decided(const slot& one) noexcept {
  const asset_state state = one.state.load(std::memory_order_relaxed);
  return is_settled(state) && (state != asset_state::failed || !one.changed);
}

// `parent` fails for the want of `child`, unless another did it before.
inline void blame(slot& parent, slot& child) noexcept {
  if (parent.failed_need != nullptr) return;
  parent.failed_need = &child;
  child.blamed = true;
}

// `first`, the need that made it fail, the one that made that fail, and so on, until `visit`
// returns false. Assets that failed together may blame each other in a circle, which ends it too.
template <class Visit>
void each_to_blame(const slot& first, Visit visit) {
  const slot* mark = nullptr;
  std::size_t steps = 0;
  for (const slot* one = &first; one != nullptr && one != mark; one = one->failed_need) {
    if (!visit(*one)) return;
    ++steps;
    if ((steps & (steps - 1)) == 0) mark = one;
  }
}

// A reload is ready until pump() has exchanged the values, and the old one may be unloaded: both
// are in memory as long, so it moves, and takes its room. What another reads for does not move.
[[nodiscard]] inline bool brings_value(const slot& one) noexcept {
  return one.is_second && one.now.state == asset_state::ready;
}
[[nodiscard]] inline bool moves(const slot& one) noexcept {
  return (is_moving(one.now.state) && one.read_by == nullptr) || brings_value(one);
}
[[nodiscard]] inline bool needs_room(const slot& one) noexcept {
  return takes_room(one.now.state) || brings_value(one);
}

// While it takes room it counts in the most urgent class that it has had since: lowering it makes
// no room for another.
inline void note_class(slot& one) noexcept {
  const std::size_t now = class_of(one.priority);
  const bool keeps_room = needs_room(one) || one.now.leaving;
  one.moves_as = keeps_room ? std::max(one.moves_as, now) : now;
}

using slot_list = linked_list<slot>;
using slot_lines = priority_lines<slot>;

}  // namespace overture::assets_detail

// SPDX-License-Identifier: Zlib
//
// What a timeline and an asset_store tell of the store's assets, as plain values.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "overture/assets/asset_store.hpp"
#include "overture/trace/timeline.hpp"

namespace overture::report_detail {

// What the time of an asset from asking to ready is divided into.
enum class asset_part : std::uint8_t {
  turn,      // in its line
  room,      // in the budget
  read,      // from the begin of its read to its end
  thread,    // it waits for a thread to decode, build or finalize it
  decode,    //
  need,      // an asset that it needs
  build,     //
  pump,      // it waits for pump()
  finalize,  //
  other,     // what the timeline does not have, and for its old value to be unloaded
};
inline constexpr std::size_t asset_part_count = 10;
// "waiting for pump()"
[[nodiscard]] const char* words_of(asset_part part);
[[nodiscard]] constexpr bool is_wait(asset_part part) {
  return part != asset_part::read && part != asset_part::decode && part != asset_part::build &&
         part != asset_part::finalize;
}

struct asset_times {
  std::string path = {};
  std::array<std::uint64_t, asset_part_count> ns{};  // of all its loads
  std::uint64_t total_ns = 0;                        // likewise, but for one that has not ended
  std::uint32_t asked = 0;
  std::uint32_t retried = 0;
  std::uint32_t reloaded = 0;
  std::uint32_t ended = 0;          // ready, failed, or given up
  std::uint64_t again_ns = 0;       // work for it after it was asked for again, but for reloads
  std::uint32_t steps = 0;          // of finalize()
  std::uint64_t longest_ns = 0;     // of those
  std::uint64_t need_ns = 0;        // the longest wait for a need,
  std::uint32_t need = no_subject;  // and for which
  // As the store has it.
  asset_state state = asset_state::unloaded;
  std::uint64_t bytes = 0;
  std::string failure = {};  // why it failed, or its last reload

  [[nodiscard]] std::uint64_t part_ns(asset_part part) const {
    return ns[static_cast<std::size_t>(part)];
  }
  // However it began.
  [[nodiscard]] std::uint32_t loads() const { return asked + retried + reloaded; }
};

// Times are since the timeline began.
struct asset_delay {
  std::uint32_t asset = no_subject;
  asset_part part = asset_part::other;
  std::string what = {};
  std::uint64_t begin_ns = 0;
  std::uint64_t ns = 0;
  std::uint32_t ended_by = no_subject;
};

struct pump_overrun {
  std::uint64_t at_ns = 0;
  std::uint64_t budget_ns = 0;
  std::uint64_t took_ns = 0;
  std::uint32_t asset = no_subject;  // whose step took longest
  const char* step = "";             // of that: "finalize", "unload"; empty: not known
  std::uint64_t step_ns = 0;

  [[nodiscard]] std::uint64_t over_ns() const { return took_ns - budget_ns; }
};

// A wait that has not ended.
struct open_wait {
  std::uint32_t asset = no_subject;
  std::string state;
  std::string what;
  std::string need;
  std::uint64_t ns = 0;
};

struct store_report {
  std::vector<asset_times> assets;     // by their numbers
  std::vector<asset_delay> delays;     // the longest first
  std::vector<pump_overrun> overruns;  // by time
  std::vector<open_wait> open;         // the longest first
  std::uint64_t begin_ns = 0;          // the first was asked for
  std::uint64_t end_ns = 0;            // the last was ready, or had failed
  std::uint64_t ended = 0;             // loads that have
  std::uint64_t unpumped_ns = 0;       // some asset waited for pump(), which did not run
  // How long any asset was in that part.
  std::array<std::uint64_t, asset_part_count> any_ns{};
  // The longest wait for a need that was asked for later than what needs it, by `late_ns`.
  asset_delay late_need = {};
  std::uint64_t late_ns = 0;
  std::uint64_t untold = 0;  // assets that are ready, of which the timeline does not have that

  [[nodiscard]] std::uint64_t span_ns() const { return end_ns - begin_ns; }
  [[nodiscard]] std::string path_of(std::uint32_t asset) const {
    return asset < assets.size() ? assets[asset].path : std::string();
  }
};

// Of what the store knows now. Threads: as for reading the timeline.
[[nodiscard]] store_report collect_store(const asset_store& store, const timeline& record);

}  // namespace overture::report_detail

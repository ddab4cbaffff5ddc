// SPDX-License-Identifier: Zlib
//
// The names of the events that a store records in a timeline, beside the zones of its assets'
// steps. For programs that read timelines: write_report() shows all of it
// (overture/report/write_report.hpp).
//
//   (void)track.for_each_event([&](const trace_event& event) {
//     if (event.kind != event_kind::delay) return;
//     if (event.name == std::string_view(asset_waits::room)) waited.push_back(event.subject);
//   });
//
// The thread that ends a wait records it: threads that are attached to no timeline record none.
//
// Cost: some ten events for each asset, together 0.7 us while it loads. Nothing where no thread
// records.
#pragma once

namespace overture {

// Delays (event_kind::delay): what an asset waits for, on no thread. With "decode", "build" and
// "finalize" they cover the time from asking to ready without a gap.
struct asset_waits {
  static constexpr const char* unload = "its old value to be unloaded";
  static constexpr const char* turn = "its turn to be read";
  static constexpr const char* room = "room in the budget";
  static constexpr const char* read = "its file to be read";  // the zones "read" are inside
  static constexpr const char* decode = "a thread to decode it";
  static constexpr const char* need = "an asset that it needs";  // ended by the last one to come
  static constexpr const char* build = "a worker to build it";
  static constexpr const char* pump = "pump() on the main thread";
  static constexpr const char* finalize = "a worker to finalize it";
};

// Points in time (event_kind::instant).
struct asset_marks {
  static constexpr const char* asked = "asked";  // to load: by get(), or by what needs it
  static constexpr const char* retried = "retried";
  static constexpr const char* reloaded = "reloaded";  // begins to load again: its file has changed
  static constexpr const char* ready = "ready";
  static constexpr const char* failed = "failed";
  static constexpr const char* given_up = "given up";  // before it was ready
  // Inside the zone "pump": its budget ends here, and goes on for `value` nanoseconds. The subject
  // is the asset whose step took longest.
  static constexpr const char* over_budget = "over budget";
};

}  // namespace overture

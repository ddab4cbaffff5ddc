// SPDX-License-Identifier: Zlib
//
// What a store tells the timeline beside the zones of its steps. Each thread records what it has
// done to an asset: what is done by one that records nothing is missing, and nothing else.
#include "assets/asset_wait.hpp"
#include "assets/store_core.hpp"
#include "overture/base/spin.hpp"
#include "overture/trace/timeline.hpp"

namespace overture::assets_detail {

// After each step of a life.
void store_core::trace(slot& one, const life& before, life_event event) noexcept {
  const bool changes_state = one.now.state != before.state;
  if (changes_state) one.lacks_room = event == life_event::read_refused;
  const char* const mark = mark_of(before, event, one.now, one.is_second);
  if (mark != nullptr && is_recording()) {
    overture::record({.begin_ns = one.since_ns,
                      .end_ns = one.since_ns,
                      .name = mark,
                      .subject = one.subject,
                      .kind = event_kind::instant});
  }
  trace_wait(one, changes_state ? one.since_ns : 0);
  if (changes_state) one.let_go_by = nullptr;
}

void store_core::trace_room(slot& one, bool lacks) noexcept {
  one.lacks_room = lacks;
  trace_wait(one, 0);
}

// `now`: if the clock was read already. It is not read here where nothing is recorded, so a wait
// that began there has no begin.
void store_core::trace_wait(slot& one, std::uint64_t now) noexcept {
  const char* const waits_for = wait_of(one.now, one.lacks_room);
  if (waits_for == one.waits_for) return;
  const bool records = is_recording();
  if (now == 0 && records) now = now_ns();
  if (records && one.waits_for != nullptr && one.waits_since_ns != 0) {
    overture::record(
        {.begin_ns = one.waits_since_ns,
         .end_ns = now,
         .name = one.waits_for,
         .value = one.let_go_by != nullptr ? std::uint64_t{one.let_go_by->subject} + 1 : 0,
         .subject = one.subject,
         .kind = event_kind::delay});
  }
  one.waits_for = waits_for;
  one.waits_since_ns = now;
}

// Once the budget of pump() was over.
void store_core::trace_overrun(std::uint64_t end_ns, const slot* longest) noexcept {
  if (!is_recording()) return;
  const std::uint64_t now = now_ns();
  if (now <= end_ns) return;
  overture::record({.begin_ns = end_ns,
                    .end_ns = end_ns,
                    .name = asset_marks::over_budget,
                    .value = now - end_ns,
                    .subject = longest != nullptr ? longest->subject : no_subject,
                    .kind = event_kind::instant});
}

}  // namespace overture::assets_detail

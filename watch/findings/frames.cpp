// SPDX-License-Identifier: Zlib
//
// Frames that a thread shows between its files: each waits for the display, and nothing is loaded
// meanwhile.
#include <fmt/core.h>

#include <algorithm>

#include "report/words/units.hpp"
#include "watch/findings/finding.hpp"
#include "watch/findings/words.hpp"

namespace overture::watch {

namespace {

constexpr std::uint64_t frames_min = 3;

// Of an archive that stays open, say.
bool reads_on(const watched_process& process, const watched_event& event) {
  return event.kind == event_kind::read && !event.failed() && !event.reads_tiny() &&
         is_content_path(process.name(event.id));
}

struct frame_sums {
  std::uint64_t count = 0;
  std::uint64_t ns = 0;
  std::map<std::uint64_t, std::uint64_t> callers = {};
};

// Of those after which the thread loaded on. Of several in a row the first: the others may be what
// the program is to show.
frame_sums frames_between_files(const load_view& view, const watched_thread& thread) {
  frame_sums sums;
  const watched_event* last = nullptr;  // frame, since which nothing was loaded
  bool has_loaded = false;
  for (const watched_event& each : thread.events) {
    if (each.begin_ns >= view.end_ns()) break;
    const bool loads =
        opens_content(view.process, each) || reads_on(view.process, each) || is_decoding(each);
    if (loads && last) {
      ++sums.count;
      sums.ns += last->took_ns;
      sums.callers[last->place()] += last->took_ns;
      last = nullptr;
    }
    if (each.kind == event_kind::frame && has_loaded) last = &each;
    if (each.kind == event_kind::frame || loads) has_loaded = loads;
  }
  return sums;
}

}  // namespace

void find_frames(const load_view& view, std::vector<finding>& to) {
  frame_sums most;
  for (const watched_thread& each : view.process.threads) {
    const frame_sums sums = frames_between_files(view, each);
    if (sums.ns > most.ns) most = sums;
  }
  if (most.count < frames_min) return;
  to.push_back(
      {.kind = finding_kind::frames,
       .ns = most.ns,
       .what = "Frames are shown between files, by the thread that loads.",
       .evidence = {fmt::format(
           "{} of {} each, from {}.", report_detail::counted(most.count, "frame", "frames"),
           time_text(most.ns / most.count), places_words(view.process, most.callers))},
       .advice = "Each may wait for the display: show one now and then, without waiting "
                 "(a swap interval of 0), or load on another thread."});
}

}  // namespace overture::watch

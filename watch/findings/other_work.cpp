// SPDX-License-Identifier: Zlib
//
// What takes time beside files and threads: servers, the display, the program itself.
#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "report/words/units.hpp"
#include "watch/findings/finding.hpp"
#include "watch/findings/load_threads.hpp"
#include "watch/findings/words.hpp"

namespace overture::watch {

namespace {

bool is_work(const watched_event& event, zone_work work) {
  return event.kind == event_kind::zone && zone_of(event.id).work == work;
}

bool is_display(std::string_view name) {
  return name.find("X11") != std::string_view::npos ||
         name.find("wayland") != std::string_view::npos;
}
// A server that answers; a display sends events whenever there are some.
bool is_server(std::string_view name) {
  return name.starts_with("unix:") && !is_display(name);
}

struct work_sums {
  std::uint64_t longest_ns = 0;                  // of a thread
  std::map<std::string, std::uint64_t> by_what;  // functions, and what is waited for
};

// The waits of the main thread that a thread of the driver ended.
std::unordered_set<const watched_event*> waits_for_driver(const watched_process& process) {
  std::unordered_set<const watched_event*> waits;
  for (const watched_wake& each : process.wakes) {
    const watched_thread& to = process.threads[each.to_thread];
    if (to.is_main && is_of_graphics_driver(process, process.threads[each.from_thread])) {
      waits.insert(&to.events[each.to_event]);
    }
  }
  return waits;
}

// What an event is called in a list.
std::string words_for(const watched_process& process, const watched_event& event) {
  if (event.kind == event_kind::zone) {
    const bool is_swap = event.id == static_cast<std::uint32_t>(zone_number::XSync);
    return is_swap ? "XSync, where graphics are in software mostly a swap"
                   : zone_of(event.id).function;
  }
  // Other waits are the driver's.
  const bool is_of_server =
      event.kind == event_kind::wait_poll || event.kind == event_kind::wait_reply;
  if (is_wait(event.kind) && !is_of_server) return "waiting for its threads";
  const std::string_view name = process.name(event.id);
  return name.empty() ? words_of(event.kind) : std::string(name);
}

// What another finding has the time of.
bool has_another_finding(const watched_event& event) {
  return event.kind == event_kind::zone && zone_of(event.id).work != zone_work::files;
}

// The time of such events between two of a thread.
template <class Wanted>
std::uint64_t time_between(const watched_thread& thread, std::uint64_t begin_ns,
                           std::uint64_t end_ns, Wanted wanted) {
  std::uint64_t sum = 0;
  std::uint64_t done = begin_ns;
  auto at = std::ranges::lower_bound(thread.events, begin_ns, {}, &watched_event::begin_ns);
  for (; at != thread.events.end() && at->begin_ns < end_ns; ++at) {
    if (at->begin_ns < done || !wanted(*at)) continue;
    done = std::min(at->end_ns, end_ns);
    sum += done - at->begin_ns;
  }
  return sum;
}

// With what lies inside, but for what has another finding: SDL_Init() opens devices and the
// display.
template <class Wanted>
work_sums time_of(const load_view& view, Wanted wanted) {
  const auto is_others = [&](const watched_event& each) {
    return has_another_finding(each) && !wanted(each);
  };
  work_sums sums;
  for (const watched_thread& thread : view.process.threads) {
    std::uint64_t all = 0;
    each_outermost(thread, view.end_ns(), wanted,
                   [&](std::uint64_t begin, std::uint64_t end, const watched_event& each) {
                     const std::uint64_t ns =
                         end - begin - time_between(thread, begin, end, is_others);
                     all += ns;
                     sums.by_what[words_for(view.process, each)] += ns;
                   });
    sums.longest_ns = std::max(sums.longest_ns, all);
  }
  return sums;
}

std::string list_of(const work_sums& sums) {
  constexpr std::size_t told = 4;
  std::string text;
  std::size_t count = 0;
  for (const auto& [what, ns] : largest_first(sums.by_what)) {
    if (count++ == told) break;
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", what, time_text(ns));
  }
  return text + '.';
}

template <class Wanted>
void add_finding(const load_view& view, std::vector<finding>& to, finding_kind kind,
                 const char* what, const char* advice, Wanted wanted) {
  const work_sums sums = time_of(view, wanted);
  if (sums.longest_ns == 0) return;
  to.push_back({.kind = kind,
                .ns = sums.longest_ns,
                .what = what,
                .evidence = {list_of(sums)},
                .advice = advice});
}

// Waits for one whose time was over.
std::string unanswered_in(const load_view& view) {
  std::map<std::string, std::uint64_t> names;
  std::uint64_t count = 0;
  for (const watched_thread& thread : view.process.threads) {
    for (const watched_event& each : thread.events) {
      const bool is_over = each.kind == event_kind::wait_poll && each.has(plain_event::timeout);
      if (!is_over || each.begin_ns >= view.end_ns()) continue;
      const std::string name(view.process.name(each.id));
      if (!is_server(name)) continue;
      names[name] += each.took_ns;
      count += each.calls();
    }
  }
  if (names.empty()) return {};
  return fmt::format("{} ended without an answer, by a time-out, most of {}.",
                     report_detail::counted(count, "wait", "waits"),
                     largest_first(names).front().first);
}

void find_servers(const load_view& view, std::vector<finding>& to) {
  const work_sums sums = time_of(view, [&](const watched_event& each) {
    return is_work(each, zone_work::device) || is_work(each, zone_work::names) ||
           (each.kind == event_kind::wait_reply && !is_display(view.process.name(each.id))) ||
           (each.kind == event_kind::wait_poll && is_server(view.process.name(each.id)));
  });
  if (sums.longest_ns == 0) return;
  finding made{
      .kind = finding_kind::servers,
      .ns = sums.longest_ns,
      .what = "The game waits for a device or a server.",
      .evidence = {list_of(sums)},
      .advice = "Open devices and ask servers on another thread, and begin to load meanwhile."};
  if (const std::string unanswered = unanswered_in(view); !unanswered.empty()) {
    made.evidence.push_back(unanswered);
    made.advice += " Start without what does not answer, or give it less time.";
  }
  to.push_back(made);
}

// Drivers compile shaders when they like: also when something is drawn.
void find_graphics(const load_view& view, std::vector<finding>& to) {
  const std::unordered_set<const watched_event*> waits = waits_for_driver(view.process);
  work_sums sums = time_of(view, [&](const watched_event& each) {
    return is_work(each, zone_work::textures) || is_work(each, zone_work::shaders) ||
           waits.contains(&each);
  });
  if (const thread_use* const main = view.main()) {
    for (const auto& [file, ns] : driver_code(*main)) {
      sums.by_what[file + ", by samples"] += ns;
      sums.longest_ns += ns;
    }
  }
  if (sums.longest_ns == 0) return;
  std::vector<std::string> evidence{list_of(sums)};
  const bool in_software = std::ranges::any_of(
      view.process.threads, [](const auto& each) { return each.name.starts_with("llvmpipe-"); });
  if (in_software) {
    evidence.emplace_back(
        "It draws in software here: where there is a graphics processor, this takes less.");
  }
  to.push_back({.kind = finding_kind::graphics,
                .ns = sums.longest_ns,
                .what = "The graphics driver uploads textures and compiles shaders.",
                .evidence = std::move(evidence),
                .advice = "Compile shaders once and keep them, or while files are read; upload "
                          "compressed textures."});
}

void find_before_main(const load_view& view, std::vector<finding>& to) {
  if (!view.process.main_ns) return;
  to.push_back(
      {.kind = finding_kind::before_main,
       .ns = std::min(*view.process.main_ns, view.end_ns()),
       .what = "It took long to reach main().",
       .evidence = {fmt::format(
           "{} loaded and set up first.",
           report_detail::counted(view.process.modules.size(), "library was", "libraries were"))},
       .advice = "Link fewer libraries, load rarely used ones later, and do less in "
                 "constructors of globals. LD_DEBUG=statistics shows what linking takes."});
}

}  // namespace

void find_other_work(const load_view& view, std::vector<finding>& to) {
  find_servers(view, to);
  add_finding(view, to, finding_kind::programs, "The game waits for another program.",
              "Start it without waiting for it, or do in the game what it does, and begin to load "
              "meanwhile.",
              [](const watched_event& each) { return is_work(each, zone_work::programs); });
  add_finding(view, to, finding_kind::window, "Opening the window takes time.",
              "Begin to read files on another thread before the window is opened.",
              [](const watched_event& each) { return is_work(each, zone_work::window); });
  find_graphics(view, to);
  add_finding(
      view, to, finding_kind::fonts, "Fonts are looked for, opened and drawn.",
      "Name the font files instead of asking for them, and draw letters when they are shown.",
      [](const watched_event& each) { return is_work(each, zone_work::fonts); });
  find_before_main(view, to);
}

}  // namespace overture::watch

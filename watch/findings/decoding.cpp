// SPDX-License-Identifier: Zlib
//
// Work that one thread does and several could.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "report/words/units.hpp"
#include "watch/findings/finding.hpp"
#include "watch/findings/load_threads.hpp"
#include "watch/findings/words.hpp"

namespace overture::watch {

namespace {

// Code of the game, which may wait through the standard library.
bool is_of_game(const watched_process& process, std::uint64_t caller) {
  const watched_module* const module = process.module_of(caller);
  return process.is_own(caller) ||
         (module && module->path.find("/libstdc++.") != std::string::npos);
}

// A thread that could take work of the game: it does some, or waits in the game's code.
bool is_worker(const load_view& view, std::uint32_t number) {
  const watched_thread& thread = view.process.threads[number];
  if (is_of_driver(view.process, thread)) return false;
  if (view.threads[number].decode_ns() > 0) return true;
  return std::any_of(thread.events.begin(), thread.events.end(), [&](const watched_event& each) {
    const bool counts = is_wait(each.kind) || each.kind == event_kind::open;
    return counts && is_of_game(view.process, each.caller);
  });
}

bool sleeps_idle(event_kind kind) {
  return kind == event_kind::wait_condition || kind == event_kind::wait_semaphore ||
         kind == event_kind::wait_futex || kind == event_kind::wait_join ||
         kind == event_kind::wait_sleep;
}

struct change {
  std::uint64_t at_ns = 0;
  std::uint32_t thread = 0;
  int decoding = 0;
  int sleeping = 0;
};

std::vector<change> changes_of(const load_view& view) {
  std::vector<change> list;
  for (std::uint32_t i = 0; i < view.process.threads.size(); ++i) {
    const watched_thread& thread = view.process.threads[i];
    each_outermost(thread, view.end_ns(), is_decoding,
                   [&](std::uint64_t begin, std::uint64_t end, const watched_event&) {
                     list.push_back({begin, i, 1, 0});
                     list.push_back({end, i, -1, 0});
                   });
    if (!is_worker(view, i)) continue;
    each_outermost(
        thread, view.end_ns(), [](const watched_event& each) { return sleeps_idle(each.kind); },
        [&](std::uint64_t begin, std::uint64_t end, const watched_event&) {
          list.push_back({begin, i, 0, 1});
          list.push_back({end, i, 0, -1});
        });
  }
  std::sort(list.begin(), list.end(),
            [](const change& a, const change& b) { return a.at_ns < b.at_ns; });
  return list;
}

struct alone_sums {
  std::map<std::uint32_t, std::uint64_t> ns_by_thread;
  std::set<std::uint32_t> sleepers;
};

// When exactly one thread decoded and another one slept, and the main thread was one of the two:
// what goes on beside it makes no load longer.
alone_sums alone_in(const load_view& view) {
  alone_sums sums;
  const auto is_main = [&](std::uint32_t thread) { return view.process.threads[thread].is_main; };
  std::set<std::uint32_t> decoding;
  std::set<std::uint32_t> sleeping;
  std::uint64_t now = 0;
  for (const change& each : changes_of(view)) {
    const bool is_alone =
        decoding.size() == 1 && !sleeping.empty() &&
        (is_main(*decoding.begin()) || std::any_of(sleeping.begin(), sleeping.end(), is_main));
    if (is_alone && each.at_ns > now) {
      sums.ns_by_thread[*decoding.begin()] += each.at_ns - now;
      sums.sleepers.insert(sleeping.begin(), sleeping.end());
    }
    now = each.at_ns;
    if (each.decoding > 0) decoding.insert(each.thread);
    if (each.decoding < 0) decoding.erase(each.thread);
    if (each.sleeping > 0) sleeping.insert(each.thread);
    if (each.sleeping < 0) sleeping.erase(each.thread);
  }
  return sums;
}

std::string functions_words(const thread_use& use) {
  std::map<std::uint32_t, std::uint64_t> decoding;
  for (const auto& [number, ns] : use.zone_ns) {
    if (is_decoding({.kind = event_kind::zone, .id = number})) decoding[number] = ns;
  }
  std::string text;
  std::size_t count = 0;
  for (const auto& [number, ns] : largest_first(decoding)) {
    if (count++ == 3) break;
    text +=
        fmt::format("{}{} {}", text.empty() ? "" : ", ", zone_of(number).function, time_text(ns));
  }
  return text;
}

}  // namespace

void find_decoding(const load_view& view, std::vector<finding>& to) {
  const alone_sums alone = alone_in(view);
  std::uint32_t told = UINT32_MAX;
  if (!alone.ns_by_thread.empty()) {
    const auto [thread, ns] = largest_first(alone.ns_by_thread).front();
    told = thread;
    finding made{.kind = finding_kind::decodes_alone, .ns = ns};
    made.what = fmt::format("Only {} decoded, while other threads slept.",
                            thread_words(view.process, thread));
    made.evidence.push_back(
        fmt::format("Its decoding: {}.", functions_words(view.threads[thread])));
    made.evidence.push_back(fmt::format(
        "Meanwhile {} slept.",
        report_detail::counted(alone.sleepers.size(), "other thread", "other threads")));
    made.advice = "Hand files to the other threads as soon as they are read: each decodes its own.";
    to.push_back(made);
  }
  for (std::uint32_t i = 0; i < view.threads.size(); ++i) {
    if (!view.process.threads[i].is_main || i == told) continue;
    finding made{.kind = finding_kind::decodes_on_main, .ns = view.threads[i].decode_ns()};
    made.what = "The main thread decodes and unpacks files itself.";
    made.evidence.push_back(fmt::format("{}.", functions_words(view.threads[i])));
    made.advice =
        "Decode on other threads: the main thread then shows frames meanwhile, and with several "
        "cores the load is shorter.";
    to.push_back(made);
  }
}

}  // namespace overture::watch

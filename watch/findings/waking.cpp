// SPDX-License-Identifier: Zlib
//
// What threads spend to wake others.
#include <fmt/core.h>

#include <algorithm>
#include <bit>

#include "report/words/units.hpp"
#include "watch/findings/finding.hpp"
#include "watch/findings/words.hpp"

namespace overture::watch {

namespace {

constexpr double waking_share_min = 0.05;  // of a thread's time

struct call_sums {
  std::uint64_t calls = 0;
  std::uint64_t ns = 0;
};

struct waking_sums {
  call_sums all;
  std::map<unsigned, call_sums> by_sleepers;  // by the least number that is counted there
  std::map<std::uint64_t, std::uint64_t> callers;
};

waking_sums waking_of(const watched_thread& thread, std::uint64_t end_ns) {
  waking_sums sums;
  for (const watched_event& each : thread.events) {
    if (!each.wakes() || each.begin_ns >= end_ns) continue;
    for (call_sums* const to : {&sums.all, &sums.by_sleepers[std::bit_floor(each.id)]}) {
      to->calls += each.calls();
      to->ns += each.took_ns;
    }
    sums.callers[each.place()] += each.took_ns;
  }
  return sums;
}

// These are short, and times elsewhere have no unit below a millisecond.
std::string call_time_text(std::uint64_t ns) {
  constexpr std::uint64_t ms = 1'000'000;
  return ns < ms ? fmt::format("{:.1f} us", static_cast<double>(ns) / 1e3) : time_text(ns);
}

// "3.1 us where 1 thread slept, 24.0 us where 8 to 15 threads slept"
std::string growth_words(const std::map<unsigned, call_sums>& by_sleepers) {
  std::string text;
  for (const auto& [least, sums] : by_sleepers) {
    const std::string numbers = least == 0 ? "none was known to sleep"
                                : least == 1
                                    ? "1 thread slept"
                                    : fmt::format("{} to {} threads slept", least, 2 * least - 1);
    text += fmt::format("{}{} where {}", text.empty() ? "" : ", ",
                        call_time_text(sums.ns / sums.calls), numbers);
  }
  return text;
}

}  // namespace

// Of threads with one name, which do the same: the one that took longest.
void find_waking(const load_view& view, std::vector<finding>& to) {
  struct of_name {
    std::uint32_t thread = 0;
    waking_sums sums;
    std::size_t threads = 0;
  };
  std::map<std::string, of_name> by_name;
  for (std::uint32_t i = 0; i < view.threads.size(); ++i) {
    waking_sums sums = waking_of(view.process.threads[i], view.end_ns());
    const std::uint64_t lived = view.threads[i].span_ns;
    if (static_cast<double>(sums.all.ns) <= waking_share_min * static_cast<double>(lived)) continue;
    of_name& here = by_name[thread_words(view.process, i)];
    if (here.threads++ == 0 || sums.all.ns > here.sums.all.ns) {
      here.thread = i;
      here.sums = std::move(sums);
    }
  }
  for (const auto& [who, of] : by_name) {
    const waking_sums& sums = of.sums;
    const std::string others =
        of.threads == 1
            ? ""
            : fmt::format(", and of {} of that name",
                          report_detail::counted(of.threads - 1, "other thread", "other threads"));
    finding made{.kind = finding_kind::waking, .ns = sums.all.ns};
    made.what = fmt::format("Much time of {}{} goes into waking other threads.", who, others);
    made.evidence.push_back(fmt::format(
        "{} took {} of its time; one took {}.",
        report_detail::counted(sums.all.calls, "call that wakes", "calls that wake"),
        share_text(sums.all.ns, view.threads[of.thread].span_ns), growth_words(sums.by_sleepers)));
    made.evidence.push_back(fmt::format("From {}.", places_words(view.process, sums.callers)));
    made.advice =
        "Hand over several pieces of work at a time, wake no more threads than there is work for, "
        "and none that is awake: who is woken can wake the next.";
    to.push_back(made);
  }
}

}  // namespace overture::watch

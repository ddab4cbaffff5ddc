// SPDX-License-Identifier: Zlib
//
// Threads that let time pass: sleeps, and polls that end without an event.
#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "report/words/units.hpp"
#include "watch/findings/finding.hpp"
#include "watch/findings/load_threads.hpp"
#include "watch/findings/words.hpp"

namespace overture::watch {

namespace {

constexpr std::uint64_t loop_min = 3;         // fewer are no loop
constexpr std::uint64_t poll_ms_max = 1'000;  // who waits longer waits for something

struct sleep_sums {
  std::uint64_t count = 0;
  std::uint64_t ns = 0;
  std::uint64_t asked_ns = 0;
};

bool is_idle_poll(const watched_event& event) {
  return event.kind == event_kind::wait_poll && event.has(plain_event::timeout) &&
         event.value <= poll_ms_max;
}

finding sleep_finding(const load_view& view, std::uint32_t thread, std::uint64_t caller,
                      const sleep_sums& sums, bool is_sleep) {
  const std::string who = thread_words(view.process, thread);
  const std::string each = time_text(sums.asked_ns / sums.count);
  const std::string where = view.process.place_of(caller);
  if (is_sleep) {
    return {
        .kind = finding_kind::sleeping,
        .ns = sums.ns,
        .what = fmt::format("In a loop, {} slept while the game loaded.", who),
        .evidence = {fmt::format(
            "{} of {} at {}.", report_detail::counted(sums.count, "sleep", "sleeps"), each, where)},
        .advice = "Wait for what the loop looks for: a condition or a semaphore wakes at once."};
  }
  return {
      .kind = finding_kind::polling,
      .ns = sums.ns,
      .what = fmt::format("In a loop, {} waited for events that did not come.", who),
      .evidence = {fmt::format("{} in vain, with a time-out of {}, at {}.",
                               report_detail::counted(sums.count, "poll", "polls"), each, where)},
      .advice = "Look without a time-out while there is work to do."};
}

}  // namespace

void find_sleeps(const load_view& view, std::vector<finding>& to) {
  const std::vector<bool> is_of_load = awaited_threads(view);
  for (std::uint32_t i = 0; i < view.process.threads.size(); ++i) {
    if (!is_of_load[i]) continue;
    std::map<std::pair<bool, std::uint64_t>, sleep_sums> by_place;
    for (const watched_event& each : view.process.threads[i].events) {
      const bool is_sleep = each.kind == event_kind::wait_sleep;
      if ((!is_sleep && !is_idle_poll(each)) || each.begin_ns >= view.end_ns()) continue;
      sleep_sums& sums = by_place[{is_sleep, each.caller}];
      sums.count += each.calls();
      sums.ns += std::min(each.end_ns, view.end_ns()) - each.begin_ns;
      sums.asked_ns += is_sleep ? each.value : each.value * 1'000'000 * each.calls();
    }
    for (const auto& [place, sums] : by_place) {
      if (sums.count >= loop_min)
        to.push_back(sleep_finding(view, i, place.second, sums, place.first));
    }
  }
}

}  // namespace overture::watch

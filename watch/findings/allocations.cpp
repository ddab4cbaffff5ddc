// SPDX-License-Identifier: Zlib
//
// Bursts of allocations.
#include <fmt/core.h>

#include <algorithm>

#include "report/words/units.hpp"
#include "watch/findings/finding.hpp"
#include "watch/findings/words.hpp"

namespace overture::watch {

namespace {

constexpr std::uint64_t calls_told_min = 1'000'000;
constexpr double share_told_min = 0.05;  // of a thread's time

// The calls of an event, which were made since the one before.
struct window {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint64_t calls = 0;
  std::uint64_t ns = 0;
};

struct allocation_sums {
  std::uint64_t calls = 0;
  std::uint64_t ns = 0;
  std::map<std::uint64_t, std::uint64_t> callers;
  std::vector<window> windows;
};

allocation_sums allocations_of(const watched_thread& thread, std::uint64_t end_ns) {
  allocation_sums sums;
  std::uint64_t begin = thread.begin_ns;
  for (const watched_event& each : thread.events) {
    if (each.kind != event_kind::allocate || each.begin_ns >= end_ns) continue;
    sums.calls += each.calls();
    sums.ns += each.value;
    sums.callers[each.place()] += each.value;
    sums.windows.push_back({begin, each.begin_ns, each.calls(), each.value});
    begin = each.begin_ns;
  }
  return sums;
}

struct cost_sums {
  std::uint64_t calls = 0;
  std::uint64_t ns = 0;

  void add(const window& of) {
    calls += of.calls;
    ns += of.ns;
  }
  [[nodiscard]] double of_a_call() const {
    return static_cast<double>(ns) / static_cast<double>(std::max<std::uint64_t>(calls, 1));
  }
};

// Whether a window of a thread, of which there are some, lies in the middle of another one.
bool is_in_one_of(const std::vector<window>& windows, const window& other) {
  const std::uint64_t middle = other.begin_ns + (other.end_ns - other.begin_ns) / 2;
  const auto at =
      std::lower_bound(windows.begin(), windows.end(), middle,
                       [](const window& each, std::uint64_t ns) { return each.end_ns < ns; });
  // One that took long has few calls in it.
  constexpr std::uint64_t burst_ns = 20'000'000;
  return at != windows.end() && at->begin_ns <= middle && at->end_ns - at->begin_ns < burst_ns;
}

// What a call cost while other threads allocated too, and while none did.
std::string together_words(const std::vector<allocation_sums>& all) {
  cost_sums alone;
  cost_sums together;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const window& each : all[i].windows) {
      bool is_alone = true;
      for (std::size_t j = 0; j < all.size() && is_alone; ++j) {
        is_alone = j == i || !is_in_one_of(all[j].windows, each);
      }
      (is_alone ? alone : together).add(each);
    }
  }
  if (together.calls == 0) return {};
  std::string text =
      fmt::format("{} calls were made while other threads allocated: one took {:.0f} ns",
                  count_text(together.calls), together.of_a_call());
  if (alone.calls > 0) text += fmt::format(", alone {:.0f} ns", alone.of_a_call());
  return text + '.';
}

}  // namespace

void find_allocations(const load_view& view, std::vector<finding>& to) {
  std::vector<allocation_sums> all;
  for (const watched_thread& each : view.process.threads) {
    all.push_back(allocations_of(each, view.end_ns()));
  }
  const auto is_told = [&](std::size_t thread) {
    return all[thread].calls > calls_told_min ||
           static_cast<double>(all[thread].ns) >
               share_told_min * static_cast<double>(view.threads[thread].span_ns);
  };
  std::size_t most = all.size();
  std::size_t told = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].calls == 0 || !is_told(i)) continue;
    ++told;
    if (most == all.size() || all[i].ns > all[most].ns) most = i;
  }
  if (told == 0) return;
  const allocation_sums& sums = all[most];
  finding made{.kind = finding_kind::allocating, .ns = sums.ns};
  made.what = "Memory is allocated and freed in many small pieces.";
  made.evidence.push_back(fmt::format("{} of {} took about {} of its time.",
                                      report_detail::counted(sums.calls, "call", "calls"),
                                      thread_words(view.process, static_cast<std::uint32_t>(most)),
                                      share_text(sums.ns, view.threads[most].span_ns)));
  if (told > 1) made.evidence.push_back(fmt::format("{} threads do so.", told));
  made.evidence.push_back(fmt::format("From {}.", places_words(view.process, sums.callers)));
  if (const std::string words = together_words(all); !words.empty()) made.evidence.push_back(words);
  made.advice =
      "Reserve, keep buffers, or take the pieces of a load from one arena. Formatting, locales and "
      "logs allocate too: format into a buffer that stays.";
  to.push_back(made);
}

}  // namespace overture::watch

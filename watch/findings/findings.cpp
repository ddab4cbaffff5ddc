// SPDX-License-Identifier: Zlib
#include "watch/findings/finding.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "report/words/printable.hpp"
#include "report/words/units.hpp"
#include "watch/findings/words.hpp"
#include "watch/model/ordering.hpp"

namespace overture::watch {

using report_detail::human_percent;
using report_detail::human_time;

namespace {

constexpr std::uint64_t felt_ns = 10'000'000;

constexpr const char* kind_names[] = {
    "lock-over-files", "contended-lock", "sleeping",      "polling",         "waking",
    "spinning",        "allocating",     "decodes-alone", "decodes-on-main", "tiny-reads",
    "read-again",      "seeking",        "opens-again",   "many-files",      "misses",
    "look-ups",        "listing",        "cold-reads",    "writing",         "printing",
    "servers",         "programs",       "window",        "graphics",        "fonts",
    "frames",          "exceptions",     "computing",     "unseen",          "new-memory",
    "before-main",
};

// What a player's machine has a graphics card for.
std::string software_graphics(const load_view& view) {
  std::uint64_t core_ns = 0;
  for (const watched_thread& each : view.process.threads) {
    if (each.name.starts_with("llvmpipe-") && each.kernel) core_ns += each.kernel->core_ns;
  }
  if (core_ns == 0) return {};
  return fmt::format(
      " Graphics were drawn in software, which took other threads {} in the whole run.",
      human_time(core_ns));
}

// Then all times are longer than they need be.
std::string busy_machine(const load_view& view) {
  constexpr std::uint64_t busy_parts = 4;
  for (const watched_thread& each : view.process.threads) {
    if (!each.is_main || !each.kernel) continue;
    if (each.kernel->queued_ns < std::max(felt_ns, each.kernel->core_ns / busy_parts)) return {};
    return fmt::format(
        " The machine was busy: in the whole run the main thread had a core for {}, and was ready "
        "without one for {}.",
        human_time(each.kernel->core_ns), human_time(each.kernel->queued_ns));
  }
  return {};
}

// What a network, a disk or a scanner of files multiplies.
std::string requests_words(const load_view& view) {
  const request_counts of = requests_in(view);
  if (of.opens + of.look_ups + of.reads == 0) return {};
  const bool has_frame = view.span.first_frame_ns.has_value();
  return fmt::format(" {} made {}, {} and {} of files.",
                     has_frame ? "Before its first frame it" : "It",
                     report_detail::counted(of.opens, "open", "opens"),
                     report_detail::counted(of.look_ups, "look-up", "look-ups"),
                     report_detail::counted(of.reads, "read", "reads"));
}

std::string end_of(const load_view& view) {
  const std::string time = human_time(view.end_ns());
  switch (view.span.how) {
    case load_end::menu:
      return fmt::format("The menu came after {}", time);
    case load_end::quiet:
      return fmt::format("The last new file was opened after {}", time);
    case load_end::cut:
      break;
  }
  return fmt::format("It ran for {}", time);
}

}  // namespace

const char* to_string(finding_kind kind) {
  return kind_names[static_cast<std::size_t>(kind)];
}

std::vector<finding> findings_of(const load_view& view) {
  static_assert(std::size(kind_names) == static_cast<std::size_t>(finding_kind::before_main) + 1);
  std::vector<finding> all;
  find_locks(view, all);
  find_sleeps(view, all);
  find_waking(view, all);
  find_spins(view, all);
  find_allocations(view, all);
  find_decoding(view, all);
  find_reads(view, all);
  find_names(view, all);
  find_computing(view, all);
  find_unwatched(view, all);
  find_frames(view, all);
  find_writing(view, all);
  find_other_work(view, all);
  // Names can be anything.
  for (finding& each : all) {
    each.what = report_detail::printable(each.what);
    for (std::string& sentence : each.evidence) sentence = report_detail::printable(sentence);
  }
  const std::uint64_t least = std::max(felt_ns, view.end_ns() / 100);
  std::erase_if(all, [&](const finding& each) { return each.ns < least; });
  order(all, [](const finding& a, const finding& b) { return a.ns > b.ns; });
  return all;
}

std::string verdict_of(const load_view& view) {
  std::string text = end_of(view);
  const thread_use* const main = view.main();
  if (!main || view.end_ns() == 0) return text + '.';
  const std::string requests = requests_words(view);
  constexpr std::size_t told = 3;
  constexpr double told_min = 0.05;
  std::string shares;
  std::size_t count = 0;
  for (const main_part& each : main_parts(view)) {
    const double share = static_cast<double>(each.ns) / static_cast<double>(view.end_ns());
    if (count == told || share < told_min) break;
    shares += fmt::format("{}{} {}{}", count++ == 0 ? "" : ", ", human_percent(share),
                          each.is_wait ? "waiting for " : "", each.what);
  }
  if (shares.empty()) return text + '.' + requests + busy_machine(view);
  return fmt::format("{}. The main thread spent {}.{}{}{}", text, shares, software_graphics(view),
                     requests, busy_machine(view));
}

}  // namespace overture::watch

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
    "servers",         "window",         "graphics",      "fonts",           "frames",
    "computing",       "before-main",
};

std::vector<main_part> parts_of(const load_view& view, const thread_use& main) {
  std::vector<main_part> parts;
  parts.push_back({"decoding and unpacking", main.decode_ns()});
  for (std::size_t i = 0; i < zone_works; ++i) {
    const auto work = static_cast<zone_work>(i);
    const bool is_apart = decodes(work) || work == zone_work::files;
    if (!is_apart) parts.push_back({words_of(work), main.ns(work)});
  }
  parts.push_back({"in file access", main.file_ns()});
  parts.push_back({"waking other threads", main.ns(event_kind::release)});
  parts.push_back({"spinning", main.ns(event_kind::spin)});
  parts.push_back({"showing frames", main.ns(event_kind::frame)});
  for (std::size_t i = 0; i < event_kinds; ++i) {
    const auto kind = static_cast<event_kind>(i);
    if (is_wait(kind)) {
      parts.push_back({words_of(kind), main.ns(kind), true});
    }
  }
  const std::uint64_t before =
      std::min(view.process.main_ns.value_or(view.process.recorder_ns), view.end_ns());
  parts.push_back({"before main()", before});
  std::uint64_t known = 0;
  for (const main_part& each : parts) known += each.ns;
  std::uint64_t rest = view.end_ns() > known ? view.end_ns() - known : 0;
  // What is known by a part of it is a guess of the rest, and no more than it.
  const std::uint64_t allocating = std::min(main.allocate_ns, rest);
  parts.push_back({"allocating memory", allocating});
  rest -= allocating;
  for (const auto& [file, ns] : largest_first(main.code_ns)) {
    const std::uint64_t sampled = std::min(ns, rest);
    parts.push_back({fmt::format("in {}", file), sampled});
    rest -= sampled;
  }
  parts.push_back({"in code that is not watched", rest});
  order(parts, [](const main_part& a, const main_part& b) { return a.ns > b.ns; });
  return parts;
}

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

std::vector<main_part> main_parts(const load_view& view) {
  const thread_use* const main = view.main();
  return main ? parts_of(view, *main) : std::vector<main_part>();
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
  for (const main_part& each : parts_of(view, *main)) {
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

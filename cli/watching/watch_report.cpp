// SPDX-License-Identifier: Zlib
#include "watching/watch_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "terminal/display.hpp"
#include "terminal/table.hpp"
#include "terminal/units.hpp"
#include "watch/model/ordering.hpp"
#include "watch/model/tables.hpp"

namespace overture::cli {

namespace {

using watch::call_sites;
using watch::code_row;
using watch::code_rows;
using watch::file_use;
using watch::finding;
using watch::load_view;
using watch::lock_row;
using watch::lock_rows;
using watch::site_row;
using watch::thread_row;
using watch::thread_rows;
using watch::watched_process;

constexpr std::size_t rows_shown = 10;

std::string title_line(std::string_view text, const text_style& style) {
  return '\n' + style.bold(std::string(text)) + '\n';
}
std::string more_text(std::size_t all) {
  return all > rows_shown ? fmt::format("  and {} more\n", grouped(all - rows_shown)) : "";
}
std::string bytes_of(std::uint64_t bytes) {
  return bytes == 0 ? "" : human_bytes(static_cast<double>(bytes));
}

std::string repeats_text(const watch_repeats& of, const text_style& style) {
  const std::string sentence = repeats_sentence(of);
  if (sentence.empty()) return {};
  std::string text = wrapped(sentence, style.width, "  ", "  ");
  if (of.runs.size() < 2) return text;
  std::string each_one;
  for (const run_mark& each : of.runs) {
    each_one +=
        fmt::format("{}{} ({})", each_one.empty() ? "" : ", ", human_time(each.ns), each.name);
  }
  return text + wrapped(fmt::format("Each: {}.", each_one), style.width, "  ", "  ");
}

std::string findings_text(const std::vector<finding>& findings, const text_style& style) {
  std::string text = title_line("What to change", style);
  if (findings.empty()) return text + "  nothing that is felt was found\n";
  std::size_t number = 0;
  for (const finding& each : findings) {
    text += wrapped(fmt::format("{}. {}: {}", ++number, human_time(each.ns), each.what),
                    style.width, "  ", "     ");
    for (const std::string& sentence : each.evidence) {
      text += wrapped(sentence, style.width, "     ", "     ");
    }
    text += wrapped(fmt::format("-> {}", each.advice), style.width, "     ", "        ");
  }
  return text;
}

std::string gains_text(const std::vector<watch::gain>& gains, const text_style& style) {
  if (gains.empty()) return {};
  std::string text = title_line("What Overture would give", style);
  for (const watch::gain& each : gains) {
    const std::string shorter =
        each.ns ? fmt::format("about {} less", human_time(*each.ns)) : "to be measured";
    text += wrapped(fmt::format("{}: {}", shorter, each.what), style.width, "  ", "     ");
    text += wrapped(each.basis, style.width, "     ", "     ");
  }
  return text;
}

std::string limits_text(const load_view& view, const text_style& style) {
  const std::vector<std::string> limits = watch::limits_of(view);
  if (limits.empty()) return {};
  std::string text = title_line("What is not known", style);
  for (const std::string& each : limits) text += wrapped(each, style.width, "  ", "  ");
  return text;
}

std::string files_text(const load_view& view, const text_style& style) {
  std::vector<const file_use*> longest;
  for (const file_use& each : view.files) {
    if (each.opens + each.reads > 0) longest.push_back(&each);
  }
  if (longest.empty()) return {};
  watch::order(longest, [](const file_use* a, const file_use* b) {
    return a->access_ns() > b->access_ns();
  });
  table rows({{"time"}, {"opens"}, {"reads"}, {"bytes"}, {"again"}, {"file", align::left}});
  for (std::size_t i = 0; i < std::min(longest.size(), rows_shown); ++i) {
    const file_use& each = *longest[i];
    rows.add({human_time(each.access_ns()), grouped(each.opens), grouped(each.reads),
              bytes_of(each.bytes), bytes_of(each.again_bytes),
              printable(view.process.name(each.name))});
  }
  return title_line("Files", style) + rows.render(style) + more_text(longest.size());
}

std::string locks_text(const load_view& view, const text_style& style) {
  const std::vector<lock_row> all = lock_rows(view);
  if (all.empty()) return {};
  table rows(
      {{"waited"}, {"times"}, {"threads"}, {"lock, and where it is asked for", align::left}});
  for (std::size_t i = 0; i < std::min(all.size(), rows_shown); ++i) {
    rows.add(
        {human_time(all[i].ns), grouped(all[i].waits), grouped(all[i].threads),
         fmt::format("{:#x} {}", all[i].address, printable(view.process.place_of(all[i].caller)))});
  }
  return title_line("Locks", style) + rows.render(style) + more_text(all.size());
}

std::string sites_text(const load_view& view, const text_style& style) {
  const std::vector<site_row> all = call_sites(view);
  if (all.empty()) return {};
  table rows({{"time"}, {"calls"}, {"what", align::left}, {"place", align::left}});
  for (std::size_t i = 0; i < std::min(all.size(), rows_shown); ++i) {
    rows.add({human_time(all[i].ns), grouped(all[i].calls),
              (all[i].is_wait ? "waiting for " : "") + all[i].what,
              printable(view.process.place_of(all[i].caller))});
  }
  return title_line("Call sites", style) + rows.render(style) + more_text(all.size());
}

std::string code_text(const load_view& view, const text_style& style) {
  const std::vector<code_row> all = code_rows(view);
  if (all.empty()) return {};
  table rows({{"main"}, {"others"}, {"code", align::left}});
  for (std::size_t i = 0; i < std::min(all.size(), rows_shown); ++i) {
    const auto shown = [](std::uint64_t ns) { return ns == 0 ? "" : human_time(ns); };
    rows.add({shown(all[i].main_ns), shown(all[i].others_ns), printable(all[i].place)});
  }
  return title_line("Code that was on a core, by samples", style) + rows.render(style) +
         more_text(all.size());
}

std::string threads_text(const load_view& view, const text_style& style) {
  std::vector<thread_row> all = thread_rows(view.process);
  watch::order(all, [](const thread_row& a, const thread_row& b) {
    return std::tuple(b.thread == 0, b.core_ns) < std::tuple(a.thread == 0, a.core_ns);
  });
  table rows(
      {{"lived"}, {"on a core"}, {"ready"}, {"waited"}, {"unknown"}, {"thread", align::left}});
  for (std::size_t i = 0; i < std::min(all.size(), rows_shown); ++i) {
    const thread_row& each = all[i];
    const auto known = [&](std::uint64_t ns) { return each.is_known ? human_time(ns) : "?"; };
    rows.add({human_time(each.life_ns), known(each.core_ns), known(each.queued_ns),
              human_time(each.wait_ns), known(each.unknown_ns), printable(each.name)});
  }
  return title_line("Threads, whole run", style) + rows.render(style) + more_text(all.size());
}

}  // namespace

std::string watch_text(const watch_report& what, const text_style& style) {
  const load_view& view = what.view;
  const std::vector<finding>& findings = what.findings;
  const watched_process& process = view.process;
  std::string text = style.bold(printable(last_element(process.program))) + '\n';
  text += wrapped(watch::verdict_of(view), style.width, "  ", "  ");
  if (!findings.empty()) {
    text += wrapped(fmt::format("The largest finding, {}: {}", human_time(findings.front().ns),
                                findings.front().what),
                    style.width, "  ", "  ");
  }
  if (view.span.first_frame_ns) {
    text += wrapped(
        fmt::format("The first frame came after {}.", human_time(*view.span.first_frame_ns)),
        style.width, "  ", "  ");
  }
  for (const std::string& each : {machine_sentence(what.machine), cache_sentence(view)}) {
    if (!each.empty()) text += wrapped(each, style.width, "  ", "  ");
  }
  if (process.lost_events > 0) {
    text += wrapped(fmt::format("{} did not fit into the recording: its end is not whole.",
                                counted(process.lost_events, "event", "events")),
                    style.width, "  ", "  ");
  }
  return text + repeats_text(what.repeats, style) + findings_text(findings, style) +
         gains_text(what.gains, style) + files_text(view, style) + locks_text(view, style) +
         sites_text(view, style) + code_text(view, style) + threads_text(view, style) +
         limits_text(view, style);
}

std::string repeats_sentence(const watch_repeats& of) {
  if (of.runs.size() < 2) return of.samples.is_cold ? "The run was cold." : "";
  const spread times = of.times();
  return fmt::format("The median of {} {}runs: {}, {} at least, {} at most.", of.runs.size(),
                     of.samples.is_cold ? "cold " : "", human_time(times.median_ns),
                     human_time(times.least_ns), human_time(times.most_ns));
}

std::string other_processes_text(const std::vector<watched_process>& all, std::size_t shown,
                                 const text_style& style) {
  if (all.size() < 2) return {};
  std::string text = title_line("Other programs that ran", style);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == shown) continue;
    text += wrapped(fmt::format("{} for {}", printable(all[i].program), human_time(all[i].end_ns)),
                    style.width, "  ", "    ");
  }
  return text;
}

std::size_t process_to_show(const std::vector<watched_process>& all) {
  const auto rank = [](const watched_process& of) {
    std::uint64_t frames = 0;
    std::uint64_t events = 0;
    for (const watch::watched_thread& thread : of.threads) {
      events += thread.events.size();
      for (const watch::watched_event& each : thread.events) {
        if (each.kind == watch::event_kind::frame) ++frames;
      }
    }
    return std::tuple(frames, events);
  };
  std::size_t best = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (rank(all[i]) > rank(all[best])) best = i;
  }
  return best;
}

}  // namespace overture::cli

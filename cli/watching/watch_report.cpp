// SPDX-License-Identifier: Zlib
#include "watching/watch_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "terminal/display.hpp"
#include "terminal/json_output.hpp"
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

std::string title_line(const char* text, const text_style& style) {
  return '\n' + style.bold(text) + '\n';
}
std::string more_text(std::size_t all) {
  return all > rows_shown ? fmt::format("  and {} more\n", grouped(all - rows_shown)) : "";
}
std::string bytes_of(std::uint64_t bytes) {
  return bytes == 0 ? "" : human_bytes(static_cast<double>(bytes));
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
  const auto ns = [](const file_use* of) { return of->open_ns + of->read_ns + of->look_up_ns; };
  watch::order(longest, [&](const file_use* a, const file_use* b) { return ns(a) > ns(b); });
  table rows({{"time"}, {"opens"}, {"reads"}, {"bytes"}, {"again"}, {"file", align::left}});
  for (std::size_t i = 0; i < std::min(longest.size(), rows_shown); ++i) {
    const file_use& each = *longest[i];
    rows.add({human_time(ns(&each)), grouped(each.opens), grouped(each.reads), bytes_of(each.bytes),
              bytes_of(each.again_bytes), printable(view.process.name(each.name))});
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

json finding_json(const finding& each) {
  return {{"kind", watch::to_string(each.kind)},
          {"ns", each.ns},
          {"what", each.what},
          {"evidence", each.evidence},
          {"advice", each.advice}};
}

json files_json(const load_view& view) {
  json list = json::array();
  for (const file_use& each : view.files) {
    list.push_back({{"path", view.process.name(each.name)},
                    {"first_ns", each.first_ns},
                    {"opens", each.opens},
                    {"misses", each.misses},
                    {"look_ups", each.look_ups},
                    {"lists", each.lists},
                    {"entries", each.entries},
                    {"reads", each.reads},
                    {"tiny_reads", each.tiny_reads},
                    {"bytes", each.bytes},
                    {"bytes_again", each.again_bytes},
                    {"bytes_written", each.written_bytes},
                    {"open_ns", each.open_ns},
                    {"read_ns", each.read_ns},
                    {"look_up_ns", each.look_up_ns},
                    {"list_ns", each.list_ns},
                    {"write_ns", each.write_ns}});
  }
  return list;
}

json locks_json(const load_view& view) {
  json list = json::array();
  for (const lock_row& each : lock_rows(view)) {
    list.push_back({{"address", each.address},
                    {"waits", each.waits},
                    {"ns", each.ns},
                    {"threads", each.threads},
                    {"place", view.process.place_of(each.caller)}});
  }
  return list;
}

json sites_json(const load_view& view) {
  json list = json::array();
  for (const site_row& each : call_sites(view)) {
    list.push_back({{"place", view.process.place_of(each.caller)},
                    {"what", each.what},
                    {"waits", each.is_wait},
                    {"calls", each.calls},
                    {"ns", each.ns}});
  }
  return list;
}

json threads_json(const load_view& view) {
  json list = json::array();
  for (const thread_row& each : thread_rows(view.process)) {
    json row = {{"name", each.name}, {"life_ns", each.life_ns}, {"wait_ns", each.wait_ns}};
    const bool known = each.is_known;
    row.set("core_ns", known ? json(each.core_ns) : json());
    row.set("queued_ns", known ? json(each.queued_ns) : json());
    row.set("unknown_ns", known ? json(each.unknown_ns) : json());
    list.push_back(std::move(row));
  }
  return list;
}

json code_json(const load_view& view) {
  json list = json::array();
  for (const code_row& each : code_rows(view)) {
    list.push_back(
        {{"code", each.place}, {"main_ns", each.main_ns}, {"others_ns", each.others_ns}});
  }
  return list;
}

const char* words_of(watch::load_end how) {
  switch (how) {
    case watch::load_end::menu:
      return "menu";
    case watch::load_end::quiet:
      return "quiet";
    case watch::load_end::cut:
      break;
  }
  return "end";
}

}  // namespace

std::string watch_text(const load_view& view, const std::vector<finding>& findings,
                       const text_style& style) {
  const watched_process& process = view.process;
  std::string text = style.bold(printable(last_element(process.program))) + '\n';
  text += wrapped(watch::verdict_of(view), style.width, "  ", "  ");
  if (!findings.empty()) {
    text += wrapped(fmt::format("The largest finding: {} ({}).", findings.front().what,
                                human_time(findings.front().ns)),
                    style.width, "  ", "  ");
  }
  if (view.span.first_frame_ns) {
    text += wrapped(
        fmt::format("The first frame came after {}.", human_time(*view.span.first_frame_ns)),
        style.width, "  ", "  ");
  }
  if (process.lost_events > 0) {
    text += wrapped(fmt::format("{} did not fit into the recording: its end is not whole.",
                                counted(process.lost_events, "event", "events")),
                    style.width, "  ", "  ");
  }
  return text + findings_text(findings, style) + files_text(view, style) + locks_text(view, style) +
         sites_text(view, style) + code_text(view, style) + threads_text(view, style) +
         limits_text(view, style);
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

std::string watch_json(const load_view& view, const std::vector<finding>& findings) {
  const watched_process& process = view.process;
  json list = json::array();
  for (const finding& each : findings) list.push_back(finding_json(each));
  const auto& frame = view.span.first_frame_ns;
  return json_text({{"overture_watch", 1},
                    {"program", process.program},
                    {"verdict", watch::verdict_of(view)},
                    {"load_ns", view.end_ns()},
                    {"load_ends_with", words_of(view.span.how)},
                    {"first_frame_ns", frame ? json(*frame) : json()},
                    {"frames", view.span.frames},
                    {"main_ns", process.main_ns ? json(*process.main_ns) : json()},
                    {"run_ns", process.end_ns},
                    {"lost_events", process.lost_events},
                    {"lost_names", process.lost_names},
                    {"findings", list},
                    {"limits", watch::limits_of(view)},
                    {"threads", threads_json(view)},
                    {"locks", locks_json(view)},
                    {"call_sites", sites_json(view)},
                    {"sample_ns", process.sample_ns},
                    {"code", code_json(view)},
                    {"files", files_json(view)}});
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

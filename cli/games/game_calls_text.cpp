// SPDX-License-Identifier: Zlib
#include <fmt/core.h>

#include <algorithm>

#include "games/game_calls.hpp"
#include "terminal/display.hpp"
#include "terminal/json_output.hpp"
#include "terminal/table.hpp"
#include "terminal/units.hpp"

namespace overture::cli {

namespace {

constexpr std::size_t names_shown = 10;

std::string heading(const char* text, const text_style& style) {
  return '\n' + style.bold(text) + '\n';
}

std::string up_to(std::uint64_t bytes) {
  return bytes == UINT64_MAX ? "more" : human_bytes(static_cast<double>(bytes));
}

std::string kinds_text(const game_calls& calls, const text_style& style) {
  table rows({{"calls"}, {"failed"}, {"time"}, {"what", align::left}});
  for (const calls_of_kind& each : calls.kinds) {
    if (each.calls == 0) continue;
    rows.add({grouped(each.calls), each.failures > 0 ? grouped(each.failures) : "",
              human_time(each.ns), each.kind});
  }
  return heading("Calls", style) + rows.render(style);
}

std::string reads_text(const game_calls& calls, const text_style& style) {
  if (calls.read_calls() == 0) return {};
  table rows({{"reads"}, {"time"}, {"bytes, at most", align::left}});
  for (const reads_of_size& each : calls.reads) {
    if (each.reads > 0) rows.add({grouped(each.reads), human_time(each.ns), up_to(each.up_to)});
  }
  return heading("Reads by what was asked for", style) + rows.render(style) +
         fmt::format("  {} in all\n", human_bytes(static_cast<double>(calls.read_bytes)));
}

std::string threads_text(const game_calls& calls, const text_style& style) {
  table rows({{"time inside"}, {"calls"}, {"thread", align::left}});
  for (const calls_of_thread& each : calls.threads) {
    rows.add({human_time(each.ns), grouped(each.calls),
              each.is_main ? "main thread" : printable(each.name)});
  }
  return heading("Threads", style) + rows.render(style);
}

// The names of which `count` is largest.
template <class Count, class Row>
std::string names_text(const game_calls& calls, const char* title, table rows, Count count, Row row,
                       const text_style& style) {
  std::vector<const calls_for_name*> found;
  for (const calls_for_name& each : calls.names) {
    if (count(each) > 0) found.push_back(&each);
  }
  if (found.empty()) return {};
  std::sort(found.begin(), found.end(), [&](const calls_for_name* a, const calls_for_name* b) {
    return count(*a) != count(*b) ? count(*a) > count(*b) : a->name < b->name;
  });
  const std::size_t shown = std::min(found.size(), names_shown);
  for (std::size_t i = 0; i < shown; ++i) rows.add(row(*found[i]));
  std::string text = heading(title, style) + rows.render(style);
  if (shown < found.size()) text += fmt::format("  and {} more\n", grouped(found.size() - shown));
  return text;
}

std::string misses_text(const game_calls& calls, const text_style& style) {
  return names_text(
      calls, "Looked for in vain", table({{"times"}, {"name", align::left}}),
      [](const calls_for_name& each) { return each.misses; },
      [](const calls_for_name& each) {
        return std::vector<table::cell>{grouped(each.misses), printable(each.name)};
      },
      style);
}

std::string repeats_text(const game_calls& calls, const text_style& style) {
  return names_text(
      calls, "Opened more than once", table({{"times"}, {"read"}, {"name", align::left}}),
      [](const calls_for_name& each) { return each.repeats(); },
      [](const calls_for_name& each) {
        return std::vector<table::cell>{grouped(each.opens),
                                        human_bytes(static_cast<double>(each.read_bytes)),
                                        printable(each.name)};
      },
      style);
}

std::string advice_text(const game_calls& calls, const text_style& style) {
  const std::vector<std::string> advice = advice_for(calls);
  std::string text = heading("What to change in the game", style);
  for (const std::string& each : advice) text += wrapped(each, style.width, "  - ", "    ");
  return advice.empty() ? text + "  nothing\n" : text;
}

json name_json(const calls_for_name& each) {
  return {{"name", each.name},   {"opens", each.opens},           {"misses", each.misses},
          {"reads", each.reads}, {"tiny_reads", each.tiny_reads}, {"read_bytes", each.read_bytes}};
}

json kinds_json(const game_calls& of) {
  json list = json::array();
  for (const calls_of_kind& each : of.kinds) {
    list.push_back(
        {{"kind", each.kind}, {"calls", each.calls}, {"failures", each.failures}, {"ns", each.ns}});
  }
  return list;
}

json reads_json(const game_calls& of) {
  json list = json::array();
  for (const reads_of_size& each : of.reads) {
    const bool has_max = each.up_to != UINT64_MAX;
    list.push_back({{"bytes_max", has_max ? json(each.up_to) : json()},
                    {"reads", each.reads},
                    {"ns", each.ns}});
  }
  return list;
}

json threads_json(const game_calls& of) {
  json list = json::array();
  for (const calls_of_thread& each : of.threads) {
    list.push_back(
        {{"name", each.name}, {"main", each.is_main}, {"calls", each.calls}, {"ns", each.ns}});
  }
  return list;
}

json names_json(const game_calls& of) {
  json list = json::array();
  for (const calls_for_name& each : of.names) list.push_back(name_json(each));
  return list;
}

json calls_json(const game_calls& calls) {
  return {{"program", calls.program},
          {"library", calls.library},
          {"run_ns", calls.run_ns},
          {"start_ns", calls.start_ns},
          {"start_main_ns", calls.start_main_ns},
          {"first_frame_ns", calls.first_frame_ns ? json(*calls.first_frame_ns) : json()},
          {"read_bytes", calls.read_bytes},
          {"tiny_reads", calls.tiny_reads},
          {"lost_names", calls.lost_names},
          {"calls", kinds_json(calls)},
          {"reads", reads_json(calls)},
          {"threads", threads_json(calls)},
          {"names", names_json(calls)},
          {"advice", advice_for(calls)}};
}

}  // namespace

std::string game_calls_text(const game_calls& calls, const text_style& style) {
  const auto line = [&style](std::string_view text) {
    return wrapped(text, style.width, "  ", "    ");
  };
  std::string text = style.bold("PhysicsFS") + '\n';
  text += line(fmt::format("program {}", printable(calls.program)));
  text += line(fmt::format("library {}", printable(calls.library)));
  if (calls.first_frame_ns) {
    text += line(fmt::format("first frame after {}", human_time(*calls.first_frame_ns)));
  }
  if (calls.start_ns > 0) {
    text += line(
        fmt::format("start {}, until no new file was opened for 2 s", human_time(calls.start_ns)));
    text +=
        line(fmt::format("inside {} of it, on the main thread", human_time(calls.start_main_ns)));
  }
  text += line(fmt::format("run {}, until the last call", human_time(calls.run_ns)));
  text += kinds_text(calls, style) + reads_text(calls, style) + threads_text(calls, style) +
          misses_text(calls, style) + repeats_text(calls, style);
  if (calls.lost_names > 0) {
    text += line(fmt::format("{} for further names are not listed",
                             counted(calls.lost_names, "call", "calls")));
  }
  return text + advice_text(calls, style);
}

std::string game_calls_json(const std::vector<game_calls>& all) {
  json processes = json::array();
  for (const game_calls& each : all) processes.push_back(calls_json(each));
  return json_text({{"schema", 1}, {"processes", processes}});
}

}  // namespace overture::cli

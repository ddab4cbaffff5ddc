// SPDX-License-Identifier: Zlib
#include "compare/comparison_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "overture/base/version.hpp"
#include "terminal/display.hpp"
#include "terminal/json_output.hpp"
#include "terminal/table.hpp"
#include "terminal/units.hpp"

namespace overture::cli {

namespace {

constexpr int comparison_schema = 1;
constexpr std::size_t rows_max = 12;  // of a kind, in text

// "+12.3 %", or "x 25.4" where a percentage says little.
std::string ratio_text(double ratio) {
  constexpr double times_min = 3;
  return ratio < times_min ? fmt::format("{:+.1f} %", (ratio - 1) * 100)
                           : fmt::format("x {:.3g}", ratio);
}

table::cell verdict_cell(const compared_measure& each) {
  const std::string name = judged_word(each.judged, each.kind);
  if (each.judged.verdict == change::more) return {name, &text_style::red};
  if (each.judged.verdict == change::less) return {name, &text_style::bold};
  return {name, &text_style::dim};
}

json row_json(const compared_measure& each) {
  const judgement& judged = each.judged;
  const bool has_ratio = judged.was > 0;
  return {{"kind", to_string(each.kind)},
          {"name", each.name},
          {"was", judged.was},
          {"now", judged.now},
          {"ratio", has_ratio ? json(judged.ratio) : json(nullptr)},
          {"least", has_ratio ? json(judged.least) : json(nullptr)},
          {"most", has_ratio ? json(judged.most) : json(nullptr)},
          {"change", verdict_word(judged.verdict, each.kind)},
          {"likely", verdict_word(judged.likely, each.kind)},
          {"loads_wanted", judged.repeats_wanted}};
}

// Markup of Markdown and HTML as plain characters.
std::string as_plain(const std::string& text) {
  std::string plain;
  for (const char each : printable(text)) {
    constexpr std::string_view marks = "\\`*_[]<>#|~@&";
    if (marks.find(each) != std::string_view::npos) plain += '\\';
    plain += each;
  }
  return plain;
}

}  // namespace

const char* kind_title(measure_kind kind, bool is_of_program) {
  switch (kind) {
    case measure_kind::load:
      return "Load";
    case measure_kind::stage:
      return is_of_program ? "What the main thread did" : "Stages (all threads)";
    case measure_kind::cpu:
      return "CPU time of the stages (all threads)";
    case measure_kind::wait:
      return is_of_program ? "What the main thread waited for" : "Waits (all workers)";
    case measure_kind::mount:
      return "Mounts (all threads)";
    case measure_kind::type:
      return "Types (all threads)";
    case measure_kind::file:
      return is_of_program ? "Slowest files (all threads)" : "Slowest files";
    case measure_kind::finding:
      return "Findings";
    case measure_kind::bytes:
      return "Bytes";
  }
  return "";
}

const char* verdict_word(change verdict, measure_kind kind) {
  const bool is_size = kind == measure_kind::bytes;
  switch (verdict) {
    case change::more:
      return is_size ? "more" : "slower";
    case change::less:
      return is_size ? "less" : "faster";
    case change::same:
      return "same";
    case change::unclear:
      return "unclear";
  }
  return "";
}

std::string judged_word(const judgement& judged, measure_kind kind) {
  if (judged.verdict != change::unclear || judged.likely == change::unclear) {
    return verdict_word(judged.verdict, kind);
  }
  return fmt::format("{}?", verdict_word(judged.likely, kind));
}

std::string value_text(double value, measure_kind kind) {
  if (kind == measure_kind::bytes) return human_bytes(value);
  return human_time(static_cast<std::uint64_t>(std::llround(value * 1e9)));
}

std::string change_text(const judgement& judged) {
  if (judged.was <= 0) return judged.now > 0 ? "new" : "";
  return ratio_text(judged.ratio);
}

std::string range_text(const judgement& judged) {
  if (judged.was <= 0 || judged.least == judged.most) return "";
  return ratio_text(judged.least) + " to " + ratio_text(judged.most);
}

std::string measure_name(const compared_measure& each) {
  if (each.kind == measure_kind::type && each.name.empty()) return "no extension";
  if (each.kind == measure_kind::load && each.name == "processor") return "processor time";
  if (each.kind == measure_kind::load && each.name == "waiting") return "workers waiting";
  return each.name;
}

std::string comparison_basis(const load_comparison& what) {
  return fmt::format(
      "{} of {} with {} of {}{}; a difference counts above {:.3g} % and beyond chance (99 % "
      "intervals)",
      counted(what.loads_now, what.one(), what.several()), printable(what.now),
      counted(what.loads_was, what.one(), what.several()), printable(what.was),
      what.how == pairing::in_turns ? ", in turns (changes are medians of the pairs)" : "",
      what.tolerance * 100);
}

std::string comparison_text(const load_comparison& what, const std::vector<std::string>& exceeded,
                            const text_style& style) {
  std::string text = style.bold(comparison_verdict(what)) + '\n';
  text += "  " + comparison_basis(what) + '\n';
  for (const std::string& why : what.differences) {
    text += style.yellow("  note: " + why) + '\n';
  }
  for (const std::string& sentence : exceeded) text += style.red("  " + sentence) + '\n';
  for (std::size_t i = 0; i < measure_kind_count; ++i) {
    const auto kind = static_cast<measure_kind>(i);
    const std::vector<const compared_measure*> rows = measures_of(what, kind);
    if (rows.empty()) continue;
    text += '\n' + style.bold(kind_title(kind, what.is_of_program)) + '\n';
    table shown({{"was"}, {"now"}, {"change"}, {"99 %"}, {"", align::left}, {"", align::left}});
    for (std::size_t row = 0; row < std::min(rows.size(), rows_max); ++row) {
      const judgement& judged = rows[row]->judged;
      shown.add({value_text(judged.was, kind), value_text(judged.now, kind), change_text(judged),
                 range_text(judged), verdict_cell(*rows[row]),
                 printable(measure_name(*rows[row]))});
    }
    text += shown.render(style);
    if (rows.size() > rows_max) {
      text += style.dim(fmt::format("  and {} more (--json lists all)",
                                    grouped(rows.size() - rows_max))) +
              '\n';
    }
  }
  return text;
}

std::string comparison_json(const load_comparison& what, const std::vector<std::string>& exceeded) {
  json rows = json::array();
  for (const compared_measure& each : what.measures) rows.push_back(row_json(each));
  return json_text({{"schema", comparison_schema},
                    {"version", version},
                    {"verdict", comparison_verdict(what)},
                    {"was", what.was},
                    {"now", what.now},
                    {"loads_was", what.loads_was},
                    {"loads_now", what.loads_now},
                    {"in_turns", what.how == pairing::in_turns},
                    {"tolerance", what.tolerance},
                    {"slower", what.is_slower()},
                    {"differences", what.differences},
                    {"exceeded", exceeded},
                    {"load", row_json(what.load)},
                    {"measures", rows}});
}

std::string comparison_markdown(const load_comparison& what,
                                const std::vector<std::string>& exceeded) {
  std::string text = fmt::format("**{}**\n\n", as_plain(comparison_verdict(what)));
  for (const std::string& why : what.differences) {
    text += fmt::format("Note: {}.\n\n", as_plain(why));
  }
  for (const std::string& sentence : exceeded) {
    text += fmt::format("Over a limit: {}.\n\n", as_plain(sentence));
  }
  text += "| | was | now | change | 99 % | |\n|---|---:|---:|---:|---:|---|\n";
  for (std::size_t i = 0; i < measure_kind_count; ++i) {
    const auto kind = static_cast<measure_kind>(i);
    for (const compared_measure* const row : measures_of(what, kind)) {
      const judgement& judged = row->judged;
      const bool counts = judged.verdict == change::more || judged.verdict == change::less;
      if (kind != measure_kind::load && !counts) continue;
      text += fmt::format("| {}{} | {} | {} | {} | {} | {} |\n",
                          kind == measure_kind::load ? "" : std::string(to_string(kind)) + " ",
                          as_plain(measure_name(*row)), value_text(judged.was, kind),
                          value_text(judged.now, kind), change_text(judged), range_text(judged),
                          judged_word(judged, kind));
    }
  }
  text += fmt::format("\n{}\n", as_plain(comparison_basis(what)));
  return text;
}

}  // namespace overture::cli

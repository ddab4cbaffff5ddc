// SPDX-License-Identifier: Zlib
//
// overture compare: what got slower between two loads, or two sets of repeated loads.
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "commands/command.hpp"
#include "compare/comparison_text.hpp"
#include "compare/load_comparison.hpp"
#include "compare/thresholds.hpp"
#include "page/comparison_page.hpp"
#include "page/load_files.hpp"
#include "report/page/page.hpp"
#include "report/report_model.hpp"
#include "report/samples_file.hpp"
#include "system/exit_code.hpp"
#include "terminal/command_line.hpp"
#include "terminal/display.hpp"
#include "terminal/messages.hpp"
#include "terminal/outputs.hpp"
#include "writing/output_check.hpp"
#include "writing/page_file.hpp"

namespace overture::cli {

namespace {

constexpr const char* compare_usage = "overture compare [OPTIONS] OLD NEW";

constexpr const char* compare_examples = R"(  overture load game/ --repeat 10 --json > before.json
  overture load game/ --repeat 10 --json > after.json
  overture compare before.json after.json
  overture compare before.json after.json --markdown > comment.md
  overture compare before.json after.json --html compared.html
  overture compare before.trace after.trace --html compared.html
  overture compare before.json after.json --max total=2s --max peak=300MiB
  overture watch --until menu --repeat 10 --json after.json -- ./game
)";

const std::string compare_footer = std::string(R"(Exit status
  0  not slower, or not told from chance
  2  invalid arguments, or a file that is not the JSON of a load or of a
     program, nor a trace, or one of each
  4  slower by more than the tolerance, or above a --max
  5  output could not be written
)") + environment_footer;

struct compare_arguments {
  std::string old;
  std::string young;
  std::string old_trace;  // file names, empty for none
  std::string young_trace;
  unsigned tolerance_percent = tolerance_percent_usual;
  std::vector<threshold> most;
  std::string html;  // a file name, empty for none
  bool json = false;
  bool markdown = false;
  when colour = when::automatic;
};

std::optional<int> parse_compare(const std::vector<std::string>& words, compare_arguments& into) {
  command_line line({
      .name = "compare",
      .usage = compare_usage,
      .description = "Compare two files of overture load --json, or of overture watch --json, each "
                     "of one load or of several (--repeat), and say what got slower or faster: the "
                     "load, its stages, waits, mounts, types, findings and files. A difference "
                     "counts if the repeats show it. Traces of overture load --trace may take "
                     "their place; they are of one load.",
      .examples = compare_examples,
      .footer = compare_footer,
  });
  line.word({"OLD", "Files", "what overture load --json or watch --json wrote before"}, into.old);
  line.word({"NEW", "Files", "what it wrote after"}, into.young);
  line.word(
      {"--old-trace FILE", "Files", "the trace of a load of OLD, for the timelines of --html"},
      into.old_trace);
  line.word({"--new-trace FILE", "Files", "the trace of a load of NEW, likewise"},
            into.young_trace);
  line.number(
      {"--tolerance PERCENT", "Comparing", "differences up to this do not count (default: 5)"}, 0,
      1000, into.tolerance_percent);
  add_max(line, into.most);
  add_json(line, into.json);
  line.word({"--html FILE", "Output",
             "write the comparison as a page for a browser, with a dot for each load, and the "
             "timelines of both if there are traces"},
            into.html);
  line.flag({"--markdown", "Output", "write a table for a pull request"}, into.markdown);
  add_colour(line, into.colour);
  if (const std::optional<int> over = line.parse(words)) return over;
  if (into.old.empty() || into.young.empty()) {
    return line.usage_error("give two files that overture load --json or watch --json wrote");
  }
  if (into.html.empty() && !(into.old_trace + into.young_trace).empty()) {
    return line.usage_error("--old-trace and --new-trace are for the page: add --html FILE");
  }
  if (into.json && into.markdown) return line.usage_error("give --json or --markdown, not both");
  return std::nullopt;
}

int check_page(const compare_arguments& arguments) {
  const tree_arguments no_mounts;
  output_check check(no_mounts);
  check.reads("OLD", arguments.old);
  check.reads("NEW", arguments.young);
  check.reads("--old-trace", arguments.old_trace);
  check.reads("--new-trace", arguments.young_trace);
  check.writes_like("--html", arguments.html, page_beginning);
  return check.run();
}

struct compared_side {
  load_samples samples;
  timeline_picture picture;
};

// Prints why and returns nothing if a file cannot be read.
std::optional<compared_side> read_side(const std::string& path, const std::string& trace_path) {
  compared_side side;
  if (is_trace_file(path)) {
    std::optional<load_model> load = read_load({path});
    if (!load) return {};
    sample_collector one;
    one.add(load->what);
    side = {one.finish(), std::move(load->picture)};
    side.samples.hash.clear();  // a trace does not have it
  } else {
    std::optional<load_samples> samples = read_samples(path);
    if (!samples) return {};
    side.samples = std::move(*samples);
  }
  if (trace_path.empty()) return side;
  std::optional<load_model> load = read_load({trace_path});
  if (!load) return {};
  if (load->picture.lanes.empty()) {
    print_error(fmt::format("{}: not a trace; make it with: overture load --trace FILE ...",
                            printable(trace_path)));
    return {};
  }
  side.picture = std::move(load->picture);
  return side;
}

}  // namespace

int cmd_compare(const std::vector<std::string>& words) {
  compare_arguments arguments;
  if (const std::optional<int> over = parse_compare(words, arguments)) return *over;
  const outputs out(arguments.colour);
  known_output old_page(arguments.html);
  if (const int failed = check_page(arguments); failed != exit_ok) return failed;
  std::optional<compared_side> old = read_side(arguments.old, arguments.old_trace);
  if (!old) return exit_usage;
  std::optional<compared_side> young = read_side(arguments.young, arguments.young_trace);
  if (!young) return exit_usage;
  if (old->samples.program.empty() != young->samples.program.empty()) {
    print_error("one of the files is of a load, the other of a program that was watched");
    return exit_usage;
  }

  load_comparison what = compare_loads(old->samples, young->samples, pairing::apart,
                                       arguments.tolerance_percent / 100.0);
  what.was = arguments.old;
  what.now = arguments.young;
  const std::vector<std::string> over_limit = exceeded(arguments.most, young->samples);
  const int written =
      print(arguments.json       ? comparison_json(what, over_limit)
            : arguments.markdown ? comparison_markdown(what, over_limit)
                                 : comparison_text(what, over_limit, out.style(stream::out)));
  int page = exit_ok;
  if (!arguments.html.empty()) {
    const compared_pictures pictures{std::move(old->picture), std::move(young->picture)};
    page = write_page(comparison_page(what, over_limit, pictures), arguments.html, old_page);
  }
  if (written != exit_ok || page != exit_ok) return std::max(written, page);
  return what.is_slower() || !over_limit.empty() ? exit_slower : exit_ok;
}

}  // namespace overture::cli

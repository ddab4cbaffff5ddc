// SPDX-License-Identifier: Zlib
//
// overture report: the report of a load that is over, from the files that it wrote.
#include <algorithm>
#include <optional>

#include "commands/command.hpp"
#include "mounts/tree_arguments.hpp"
#include "page/exports.hpp"
#include "page/load_files.hpp"
#include "report/page/page.hpp"
#include "report/report_json.hpp"
#include "report/report_model.hpp"
#include "report/report_text.hpp"
#include "system/exit_code.hpp"
#include "system/system.hpp"
#include "terminal/command_line.hpp"
#include "terminal/messages.hpp"
#include "terminal/outputs.hpp"
#include "writing/known_output.hpp"
#include "writing/output_check.hpp"
#include "writing/page_file.hpp"

namespace overture::cli {

namespace {

constexpr const char* report_usage = "overture report [OPTIONS] FILE [FILE]";

constexpr const char* report_examples =
    R"(  overture load game/ --trace load.json --json > report.json
  overture report load.json report.json -o load.html
  overture report report.json
  overture report load.json --json | jq .verdict
  overture report load.json --folded | flamegraph.pl --countname ns > load.svg
  overture report load.json report.json --csv > files.csv
)";

const std::string report_footer = std::string(R"(Exit status
  0  the report is made, whatever became of the load
  2  invalid arguments, or a file that is neither a trace nor a report
  5  output could not be written, or memory ran out
)") + environment_footer;

struct report_arguments {
  std::vector<std::string> files;
  std::string page;      // a file name, empty for none
  std::string perfetto;  // likewise
  bool json = false;
  bool csv = false;
  bool folded = false;
  when colour = when::automatic;
};

std::optional<int> parse_report_arguments(const std::vector<std::string>& words,
                                          report_arguments& into) {
  command_line line({
      .name = "report",
      .usage = report_usage,
      .description = "Make the report of a load that is over from its trace (load --trace), from "
                     "its report (load --json), or from both: as text, as JSON, or as a page.",
      .examples = report_examples,
      .footer = report_footer,
  });
  line.words({"FILE", "Arguments", "a trace or a report; the content tells which"},
             [&](const std::string& word) { into.files.push_back(word); });
  line.word({"-o,--output FILE", "Output",
             "write a page with the timeline, for a browser; it needs no network"},
            into.page);
  line.word({"--perfetto FILE", "Output",
             "write a trace for Perfetto, with an arrow from thread to thread for each wake"},
            into.perfetto);
  add_json(line, into.json);
  line.flag({"--csv", "Output", "print a table of all files instead, in microseconds"}, into.csv);
  line.flag(
      {"--folded", "Output",
       "print what each thread did instead, as folded stacks in nanoseconds, for flame graphs"},
      into.folded);
  add_colour(line, into.colour);
  if (const std::optional<int> over = line.parse(words)) return over;
  if (into.files.empty()) {
    return line.usage_error("nothing to report: give the trace or the report of a load");
  }
  if (into.files.size() > 2) {
    return line.usage_error("too many files: give the trace and the report of one load");
  }
  const bool has_files = !into.page.empty() || !into.perfetto.empty();
  if (int{into.json} + int{into.csv} + int{into.folded} + int{has_files} > 1) {
    return line.usage_error(
        "--json, --csv, --folded and files are forms of the same report; give one");
  }
  return std::nullopt;
}

// What only a trace tells.
bool needs_trace(const report_arguments& arguments) {
  return arguments.csv || arguments.folded || !arguments.perfetto.empty();
}

std::string printed_form(const load_model& load, const report_arguments& arguments,
                         const text_style& style) {
  if (arguments.json) return report_json(load.what);
  if (arguments.csv) return files_csv(load);
  if (arguments.folded) return folded_stacks(load.picture);
  return report_text(load.what, style);
}

}  // namespace

int cmd_report(const std::vector<std::string>& words) {
  report_arguments arguments;
  if (const std::optional<int> over = parse_report_arguments(words, arguments)) return *over;
  const outputs out(arguments.colour);
  known_output old_page(arguments.page);
  known_output old_perfetto(arguments.perfetto);
  const tree_arguments no_mounts;
  output_check check(no_mounts);
  for (const std::string& file : arguments.files) check.reads("FILE", file);
  check.writes_like("--output", arguments.page, page_beginning);
  check.writes_like("--perfetto", arguments.perfetto, perfetto_beginning);
  if (const int failed = check.run(); failed != exit_ok) return failed;

  const std::optional<load_model> load = read_load(arguments.files);
  if (!load) return exit_usage;
  if (needs_trace(arguments) && load->picture.lanes.empty()) {
    print_error("--csv, --folded and --perfetto need the trace of the load: overture load --trace");
    return exit_usage;
  }
  if (arguments.page.empty() && arguments.perfetto.empty()) {
    return print(printed_form(*load, arguments, out.style(stream::out)));
  }
  int written = exit_ok;
  if (!arguments.page.empty()) {
    written = write_page(report_page(load->what, load->picture), arguments.page, old_page);
  }
  if (!arguments.perfetto.empty()) {
    written = std::max(
        written, write_page(perfetto_trace(*load), arguments.perfetto, old_perfetto, "trace"));
  }
  return written;
}

}  // namespace overture::cli

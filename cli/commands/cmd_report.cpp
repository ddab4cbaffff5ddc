// SPDX-License-Identifier: Zlib
//
// overture report: the report of a load that is over, from the files that it wrote.
#include <optional>

#include "commands/command.hpp"
#include "mounts/tree_arguments.hpp"
#include "page/load_files.hpp"
#include "page/page.hpp"
#include "report/report_json.hpp"
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
)";

const std::string report_footer = std::string(R"(Exit status
  0  the report is made, whatever became of the load
  2  invalid arguments, or a file that is neither a trace nor a report
  5  output could not be written, or memory ran out
)") + environment_footer;

struct report_arguments {
  std::vector<std::string> files;
  std::string page;  // a file name, empty for none
  bool json = false;
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
  add_json(line, into.json);
  add_colour(line, into.colour);
  if (const std::optional<int> over = line.parse(words)) return over;
  if (into.files.empty()) {
    return line.usage_error("nothing to report: give the trace or the report of a load");
  }
  if (into.files.size() > 2) {
    return line.usage_error("too many files: give the trace and the report of one load");
  }
  if (into.json && !into.page.empty()) {
    return line.usage_error("--json and --output are two forms of the report; give one");
  }
  return std::nullopt;
}

}  // namespace

int cmd_report(const std::vector<std::string>& words) {
  report_arguments arguments;
  if (const std::optional<int> over = parse_report_arguments(words, arguments)) return *over;
  const outputs out(arguments.colour);
  known_output old(arguments.page);
  const tree_arguments no_mounts;
  output_check check(no_mounts);
  for (const std::string& file : arguments.files) check.reads("FILE", file);
  check.writes_like("--output", arguments.page, page_beginning);
  if (const int failed = check.run(); failed != exit_ok) return failed;

  const std::optional<load_model> load = read_load(arguments.files);
  if (!load) return exit_usage;
  if (!arguments.page.empty()) {
    return write_page(report_page(load->what, load->picture), arguments.page, old);
  }
  return print(arguments.json ? report_json(load->what)
                              : report_text(load->what, out.style(stream::out)));
}

}  // namespace overture::cli

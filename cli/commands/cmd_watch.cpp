// SPDX-License-Identifier: Zlib
//
// overture watch: runs any program, and says what it does while it loads.
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands/cold.hpp"
#include "commands/command.hpp"
#include "games/game_program.hpp"
#include "mounts/tree_arguments.hpp"
#include "overture/load/load_record.hpp"
#include "report/page/page.hpp"
#include "system/exit_code.hpp"
#include "terminal/command_line.hpp"
#include "terminal/display.hpp"
#include "terminal/messages.hpp"
#include "terminal/outputs.hpp"
#include "terminal/units.hpp"
#include "watch/findings/finding.hpp"
#include "watch/model/anonymous.hpp"
#include "watch/model/first_uses.hpp"
#include "watch/model/read_process.hpp"
#include "watch/model/samples.hpp"
#include "watch/model/symbols.hpp"
#include "watch/page/watch_page.hpp"
#include "watching/watch_report.hpp"
#include "watching/watch_runs.hpp"
#include "watching/watched_program.hpp"
#include "writing/output_check.hpp"
#include "writing/page_file.hpp"
#include "writing/recorded.hpp"
#include "writing/working_folder.hpp"

namespace overture::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* watch_usage = "overture watch [OPTIONS] [--] PROGRAM [ARGS...]";

constexpr unsigned runs_max = 100;

constexpr const char* watch_examples = R"(  overture watch -- supertux2
  overture watch --until menu --html start.html -- ./game --windowed
  overture watch --until menu --record menu.record --tree data -- ./game
  overture watch --until menu --cold --repeat 5 --json before.json -- ./game
)";

constexpr const char* watch_footer = R"(What it does
  A library that is loaded before the program's own ones notes what it opens,
  reads and looks for, what its threads wait for and what ends that, when it
  shows frames, and what it spends in libraries that decode and unpack. When
  the program has ended, the report says what made its start long. Nothing
  leaves this machine.

When the load is over
  at the first frame after the last new file, which no other one followed for
  two seconds. Times and tables end there.

Runs that follow each other
  With --repeat the report is of the run that took the median time to its end,
  and says what each took. With --cold a first run, which does not count, tells
  which files there are; they are dropped from the page cache before each of
  the others. What other programs have mapped stays in it, such as libc.

What it does not see
  programs that are linked statically, other processors' and those with more
  rights than yours; reads inside of libraries that are linked statically into
  the program; what a program does without calling a library.

Exit status
  that of the program, or 0 if --until has ended it
  2  invalid arguments
  3  the program or --tree could not be found, or cannot be watched
  5  output could not be written, or there was no room for a recording
)";

struct watch_arguments {
  std::string html;
  std::string json;
  std::string record;
  std::string tree;
  watch_until until;
  bool anonymous = false;
  bool follow = false;
  unsigned repeat = 1;
  bool cold = false;
  when progress = when::automatic;
  std::vector<std::string> program;
  when colour = when::automatic;
};

std::optional<int> parse(std::vector<std::string> words, watch_arguments& into) {
  command_line line({.name = "watch",
                     .usage = watch_usage,
                     .description = "Run any program, and say what it does while it loads: what it "
                                    "waits for, how it reads, and what to change.",
                     .examples = watch_examples,
                     .footer = watch_footer});
  line.word({"--until WHEN", "Run",
             "end the program at its first \"frame\", at its \"menu\", when it is \"idle\" (no new "
             "file for two seconds), or after so many seconds; as a rule, it ends by itself "
             "(\"exit\")"},
            [&](const std::string& word) { into.until = *until_of(word); },
            {.mistake_in = [](const std::string& word) -> std::string {
              return until_of(word) ? "" : "give frame, menu, idle, exit, or seconds";
            }});
  line.flag({"--follow", "Run", "watch the programs that it starts, too"}, into.follow);
  line.number(
      {"--repeat N", "Run", "run it N times, one after the other, and report the median run"}, 1,
      runs_max, into.repeat);
  line.flag({"--cold", "Run",
             "drop the files that it reads from the page cache before each run; one run more comes "
             "first, to know them"},
            into.cold);
  line.word({"--html FILE", "Output", "write a page with the timeline, for a browser"}, into.html);
  line.word({"--json FILE", "Output", "write the report to FILE, as JSON"}, into.json);
  line.word({"--record FILE", "Output",
             "write the files in the order of their first use, for pack --recorded"},
            into.record);
  line.word({"--tree DIR", "Output", "with --record: only files in DIR, by their paths there"},
            into.tree);
  line.flag({"--anonymous", "Output", "shorten paths in the home folder to ~"}, into.anonymous);
  add_progress(line, into.progress);
  add_colour(line, into.colour);
  into.program = split_off_game(
      words, 0,
      {"--until", "--repeat", "--html", "--json", "--record", "--tree", "--progress", "--color"});
  if (const std::optional<int> over = line.parse(words)) return over;
  if (into.program.empty()) return line.usage_error("give the program: overture watch -- PROGRAM");
  if (!into.tree.empty() && into.record.empty()) {
    return line.usage_error("--tree is for --record");
  }
  return std::nullopt;
}

int refuse(const std::string& why) {
  print_error(why);
  return exit_mount_failed;
}

int write_first_uses(const watch::load_view& view, const watch_arguments& arguments,
                     known_output& old) {
  std::error_code failed;
  const std::string tree =
      arguments.tree.empty() ? "" : fs::canonical(arguments.tree, failed).string();
  load_record record;
  for (const watch::first_use& each : watch::first_uses(view, tree)) {
    // A name that no tree can have stands for no file of it.
    (void)record.add({.path = each.path, .cost_us = each.cost_us, .bytes = each.bytes});
  }
  return write_record(record, arguments.record, old);
}

struct old_outputs {
  known_output html;
  known_output json;
  known_output record;
};

// Of the user whose paths are not to be told; empty: all are.
std::string hidden_home(const watch_arguments& arguments) {
  const char* const home = std::getenv("HOME");
  return arguments.anonymous && home ? home : "";
}

int write_reports(const watch_arguments& arguments, watch_runs::shown_run run, const outputs& out,
                  old_outputs& old) {
  std::vector<watch::watched_process>& all = run.processes;
  const std::size_t shown = process_to_show(all);
  watch::name_places(all[shown]);
  for (watch::watched_process& each : all) watch::hide_home(each, hidden_home(arguments));
  const watch::load_view view = watch::view_of(all[shown]);
  const watch_report what{view, watch::findings_of(view),
                          watch::gains_of(view, std::max(processor_count(), 2u)),
                          std::move(run.repeats), this_machine(std::time(nullptr))};
  int written = exit_ok;
  if (!arguments.html.empty()) {
    const std::string page =
        watch::watch_page({view,
                           what.findings,
                           what.gains,
                           repeats_sentence(what.repeats),
                           {machine_sentence(what.machine), cache_sentence(view)}});
    written = write_page(page, arguments.html, old.html);
  }
  if (!arguments.json.empty()) {
    written = std::max(written, write_page(watch_json(what), arguments.json, old.json, "report"));
  }
  if (!arguments.record.empty()) {
    written = std::max(written, write_first_uses(view, arguments, old.record));
  }
  const text_style style = out.style(stream::out);
  return std::max(written,
                  print('\n' + watch_text(what, style) + other_processes_text(all, shown, style)));
}

struct one_run {
  int status = exit_ok;  // of the program
  int failure = exit_ok;
  bool was_interrupted = false;
  bool started_others = false;
  std::vector<watch::watched_process> processes = {};  // at least one, if there was no failure
};

// How to run the program.
struct run_plan {
  std::string library;
  watch_obstacle obstacle = watch_obstacle::none;
  bool follow = false;
};

one_run run_once(const watch_arguments& arguments, const run_plan& plan) {
  const std::string name = printable(arguments.program.front());
  const working_folder folder(folder_for_recordings());
  if (!folder.failure()) {
    print_error(fmt::format("no folder for temporary files ({}); name another in TMPDIR",
                            reason_of(folder.failure().error())));
    return {.failure = exit_output_failed};
  }
  const watch_run run =
      run_watched(arguments.program, plan.library, folder.path(), arguments.until, plan.follow);
  if (!run.end.started) {
    return {.failure = refuse(fmt::format("{}: cannot start it ({})", name, run.end.why))};
  }
  one_run made{.status = run.end.was_ended ? exit_ok : run.end.status,
               .was_interrupted = run.end.was_interrupted,
               .started_others = run.started_others,
               .processes = watch::read_folder(folder.path(), run.ended_ns)};
  if (made.processes.empty() && run.lacked_room) {
    print_error(fmt::format("there was no room to record {} in {}; name another folder in TMPDIR",
                            name, printable(fs::path(folder.path()).parent_path().string())));
    return {.failure = exit_output_failed};
  }
  if (made.processes.empty()) {
    print_error(reason_afterwards(plan.obstacle, arguments.program.front(), plan.library));
    return {.failure = made.status == exit_ok ? int{exit_mount_failed} : made.status};
  }
  for (watch::watched_process& each : made.processes) watch::add_samples(each, run.samples);
  return made;
}

// Warns of content that the system keeps, once: code that others have mapped always stays.
void make_cold(const read_files& files, const outputs& out, bool progress, bool warns) {
  const dropped_files content = drop_from_page_cache(files.content, out, progress);
  (void)drop_from_page_cache(files.code, out, false);
  if (const std::string why = why_not_cold(content); warns && !why.empty()) print_warning(why);
}

int watch_program(const watch_arguments& arguments, const run_plan& plan) {
  const outputs out(arguments.colour);
  old_outputs old{known_output(arguments.html), known_output(arguments.json),
                  known_output(arguments.record)};
  const bool progress =
      (arguments.repeat > 1 || arguments.cold) && out.shows_progress(arguments.progress);
  const auto tell = [&](const std::string& text) {
    if (progress) print_to_stderr(text + '\n');
  };
  watch_runs runs({.runs = arguments.repeat,
                   .until = arguments.until.it,
                   .is_cold = arguments.cold,
                   .home = hidden_home(arguments)});
  read_files files;
  int status = exit_ok;
  bool started_others = false;
  for (bool is_first = true; runs.count() < arguments.repeat; is_first = false) {
    if (arguments.cold && !is_first) make_cold(files, out, progress, runs.count() == 0);
    one_run run = run_once(arguments, plan);
    if (run.failure != exit_ok) return run.failure;
    if (status == exit_ok) status = run.status;
    started_others = started_others || run.started_others;
    if (run.was_interrupted && runs.count() > 0) break;
    if (arguments.cold && is_first && !run.was_interrupted) {
      files = files_read(run.processes);
      tell(fmt::format("a first run read {}", counted(files.content.size(), "file", "files")));
      continue;
    }
    const run_mark mark = runs.add(std::move(run.processes));
    tell(fmt::format("run {} of {}: {} ({})", runs.count(), arguments.repeat, human_time(mark.ns),
                     mark.name));
    if (run.was_interrupted) break;
  }
  const int reported = write_reports(arguments, std::move(runs).finish(), out, old);
  if (started_others) {
    print_warning(fmt::format("{} started other programs; --follow watches them, too",
                              printable(arguments.program.front())));
  }
  return reported == exit_ok ? status : reported;
}

}  // namespace

int cmd_watch(const std::vector<std::string>& words) {
  watch_arguments arguments;
  if (const std::optional<int> over = parse(words, arguments)) return *over;
  const std::string program = find_program(arguments.program.front());
  if (program.empty()) {
    return refuse(fmt::format("{}: no such program", printable(arguments.program.front())));
  }
  const watch_obstacle obstacle = obstacle_of(program);
  if (const std::string why = reason_against(obstacle, program); !why.empty()) return refuse(why);
  const std::string library = recorder_library();
  if (library.empty()) {
    return refuse(
        "liboverture-watch.so is not where it was installed with this command; name it in "
        "OVERTURE_WATCH_LIBRARY");
  }
  std::error_code ignored;
  if (!arguments.tree.empty() && !fs::is_directory(arguments.tree, ignored)) {
    return refuse(fmt::format("--tree {}: no such folder", printable(arguments.tree)));
  }
  const tree_arguments no_mounts;
  output_check check(no_mounts);
  check.reads("the program", program);
  check.writes_like("--html", arguments.html, report_detail::page_beginning);
  check.writes_like("--json", arguments.json, watch_json_beginning);
  check.writes_like("--record", arguments.record, record_beginning);
  if (const int failed = check.run(); failed != exit_ok) return failed;
  const bool starts_others =
      obstacle == watch_obstacle::is_script || obstacle == watch_obstacle::is_app_image;
  return watch_program(
      arguments,
      {.library = library, .obstacle = obstacle, .follow = arguments.follow || starts_others});
}

}  // namespace overture::cli

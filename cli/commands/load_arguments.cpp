// SPDX-License-Identifier: Zlib
#include "commands/load_arguments.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "overture/base/limits.hpp"
#include "system/exit_code.hpp"
#include "system/native_path.hpp"
#include "terminal/command_line.hpp"
#include "terminal/display.hpp"
#include "terminal/messages.hpp"
#include "terminal/text_file.hpp"

namespace overture::cli {

namespace {

constexpr const char* load_usage = "overture load [OPTIONS] MOUNT...";

constexpr unsigned repeats_against = 10;  // enough that a tenth is told on a quiet machine

constexpr const char* load_examples = R"(  overture load base.pk3 dlc/rome/ mods/better_ai.zip
  overture load --archives-in baseoa --threads 2 --trace load.json
  overture load game/ --html load.html
  overture load game/ --json | jq .verdict
  overture load game/ --record game.record
  overture load game/ --cold --repeat 5 --json > before.json
  overture load game/ --cold --repeat 5 --baseline before.json
  overture load base.pk3 new_mod.zip --against old_mounts.txt
)";

constexpr const char* load_footer = R"(Exit status
  0    every file was loaded
  1    some files failed, or a folder could not be listed; each is listed with
       its mount and the reason
  2    invalid arguments
  3    a mount could not be opened, or the mounts could not be merged
  4    every file was loaded, but slower than the --baseline or the mounts of
       --against, or above a --max
  5    output could not be written, or another error outside the files
  130  interrupted by Ctrl-C; report and trace cover what was done so far

Environment
  NO_COLOR, TERM=dumb     no colours; TERM=dumb also hides the progress bar
  COLUMNS                 output width, if the terminal does not report one
)";

constexpr const char* load_own_group = "Loading";
constexpr std::uint64_t budget_mib_max = 1u << 20;
constexpr unsigned repeats_max = 100;

void add_loading(command_line& line, load_arguments& into) {
  add_threads(line, into.threads);
  line.number({"--io-threads N", load_own_group,
               "additional threads that wait for the disk (default: 8 to 16, depending on "
               "its speed)"},
              1, limits::io_threads_max, into.io_threads);
  line.word({"--io HOW", load_own_group,
             "how to read: threads (the default), or uring, which falls back to threads "
             "if the kernel does not allow io_uring"},
            into.io, one_of({"threads", "uring"}));
  line.number({"--budget MIB", load_own_group, "memory budget for files in flight (default: 256)"},
              1, budget_mib_max, into.budget_mib);
  add_file_time_max(line, into.file_seconds_max);
  line.flag({"--no-decode", load_own_group, "only read, unpack and verify"}, into.no_decode);
  add_exclude(line, load_own_group, into.exclude);
  line.word({"--recorded FILE", load_own_group,
             "load in the order that --record noted in FILE, and weigh the progress by what each "
             "file cost then"},
            into.recorded);
  line.flag({"--strict", load_own_group, "files with a warning fail"}, into.strict);
  line.flag({"--keep", load_own_group,
             "keep everything in memory until the end, as a game would, and report its "
             "size"},
            into.keep);
}

void add_measuring(command_line& line, load_arguments& into) {
  constexpr const char* group = "Measuring";
  line.flag({"--cold", group, "drop the files from the page cache before each load"}, into.cold);
  line.number({"--repeat N", group, "load N times; report the median load, and the spread of all"},
              1, repeats_max, into.repeat);
  line.word({"--baseline FILE", group,
             "say what is slower than in FILE, an earlier --json; exit with 4 if the load is"},
            into.baseline);
  line.word({"--against FILE", group,
             "load in turns with the mounts that FILE lists, one on each line, or with one folder "
             "or archive, and say what is slower than there; --repeat (default: 10) is the number "
             "of turns, and --exclude applies to both"},
            into.against);
  line.number({"--tolerance PERCENT", group, "differences up to this do not count (default: 5)"}, 0,
              1000, into.tolerance_percent);
  add_max(line, into.most);
}

void add_output(command_line& line, load_arguments& into) {
  add_json(line, into.json);
  line.word({"--record FILE", "Output",
             "note in FILE what was loaded: its order, its cost and its size, for --recorded and "
             "for overture pack"},
            into.record);
  line.word({"--html FILE", "Output",
             "write the load as a page with its timeline, for a browser; it needs no network"},
            into.html);
  line.word({"--trace FILE", "Output",
             "write a timeline for Perfetto or Tracy; '-' writes it to standard output and "
             "the report to standard error"},
            into.trace);
  add_quiet(line, into.quiet, "print nothing but errors");
  add_progress(line, into.progress);
  add_colour(line, into.colour);
}

// Outputs are of a single load; other options do not go with --against.
std::optional<int> mistake_in_repeats(const command_line& line, const load_arguments& given) {
  const bool several = given.repeat > 1 || !given.against.empty();
  const char* const instead = given.against.empty() ? "--repeat" : "--against";
  const auto of_one_load = [&](const std::string& file, const char* what) -> std::optional<int> {
    if (file.empty() || !several) return std::nullopt;
    return line.usage_error(std::string(what) + "; leave out " + instead);
  };
  if (const auto over = of_one_load(given.trace, "--trace records one load")) return over;
  if (const auto over = of_one_load(given.html, "--html shows one load")) return over;
  if (const auto over = of_one_load(given.record, "--record notes one load")) return over;
  if (given.against.empty()) return std::nullopt;
  if (!given.baseline.empty()) return line.usage_error("give --against or --baseline, not both");
  if (!given.recorded.empty()) {
    return line.usage_error("--recorded is the order of one tree; leave out --against");
  }
  return std::nullopt;
}

// "--mount-point gfx" is two words, a mount with blanks is one.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    const std::size_t blank = line.starts_with("--") ? line.find(' ') : std::string_view::npos;
    words.emplace_back(line.substr(0, blank));
    if (blank != std::string_view::npos) words.emplace_back(line.substr(blank + 1));
  }
  return words;
}

}  // namespace

int read_mounts(const std::string& path, tree_arguments& into) {
  std::error_code unknown;
  if (std::filesystem::is_directory(native_path(path), unknown)) {
    into.mounts.push_back({path, {}});
    return exit_ok;
  }
  const std::optional<std::string> text = read_text_file(path, "the mounts");
  if (!text) return exit_usage;
  if (text->find('\0') != std::string::npos) {  // no list, but an archive
    into.mounts.push_back({path, {}});
    return exit_ok;
  }
  command_line line({.name = "load", .usage = load_usage, .description = ""});
  mount_options mounts(line);
  mounts.add_tree(into);
  std::optional<int> over = line.parse(words_of(*text));
  if (!over) over = mounts.mistake();
  if (over) {
    print_error(
        fmt::format("{}: it lists mounts and their options, one on each line", printable(path)));
    return exit_usage;
  }
  if (!into.empty()) return exit_ok;
  print_error(fmt::format("{}: lists no mount; write one on each line", printable(path)));
  return exit_usage;
}

std::optional<int> parse_load(const std::vector<std::string>& arguments, load_arguments& into) {
  command_line line({
      .name = "load",
      .usage = load_usage,
      .description = "Mount folders and archives over each other, load every file of the merged "
                     "tree on all cores (resolve, read, unpack, decode, finalize) and report "
                     "where the time went.",
      .examples = load_examples,
      .footer = load_footer,
  });
  mount_options mounts(line);
  mounts.add_tree(into.tree);
  add_loading(line, into);
  add_measuring(line, into);
  add_output(line, into);

  if (const std::optional<int> over = line.parse(arguments)) return over;
  if (const std::optional<int> over = mounts.mistake()) return over;
  if (into.tree.empty()) return line.usage_error("nothing to load: give a folder or an archive");
  if (into.trace == "-" && into.json) {
    return line.usage_error(
        "--json and --trace - both write to standard output; give --trace a file");
  }
  if (into.repeat == 0) into.repeat = into.against.empty() ? 1 : repeats_against;
  return mistake_in_repeats(line, into);
}

}  // namespace overture::cli

#include "load_arguments.hpp"

#include "command_line.hpp"
#include "overture/base/limits.hpp"

namespace overture::cli {

namespace {

constexpr const char* usage = "overture load [OPTIONS] MOUNT...";

constexpr const char* footer = R"(Exit status
  0    every file was loaded
  1    some files failed; each is named with its mount and the reason
  2    the arguments make no sense
  3    a mount could not be opened, or the tree not be merged
  5    output could not be written, or another error outside the files
  130  interrupted by Ctrl-C: report and trace tell what was done until then

Environment
  NO_COLOR, TERM=dumb     no colours; with TERM=dumb no progress bar either
  COLUMNS                 the width, where the terminal does not tell

Examples
  overture load base.pk3 dlc/rome/ mods/better_ai.zip
  overture load --archives-in baseoa --threads 2 --trace load.json
  overture load game/ --json | jq .verdict
)";

constexpr const char* own_group = "Loading";
constexpr std::uint64_t budget_mib_max = 1u << 20;

void add_loading(command_line& line, load_arguments& into) {
  add_threads(line, into.threads);
  line.number({"--io-threads N", own_group,
               "threads that wait for the disk, besides those (default: 8 to 16, as the disk "
               "answers)"},
              1, limits::io_threads_max, into.io_threads);
  line.word({"--io HOW", own_group,
             "how to read: threads, or uring, which needs a kernel that allows io_uring and is "
             "threads otherwise (default: threads)"},
            into.io, one_of({"threads", "uring"}));
  line.number({"--budget MIB", own_group, "memory for files in flight (default: 256)"}, 1,
              budget_mib_max, into.budget_mib);
  line.flag({"--no-decode", own_group, "stop at the checksum"}, into.no_decode);
  line.flag({"--keep", own_group,
             "keep what was loaded until the end, as a game would: decoded assets, and the bytes "
             "of files that no decoder knows; the report tells their size"},
            into.keep);
}

void add_output(command_line& line, load_arguments& into) {
  add_json(line, into.json);
  line.word({"--trace FILE", "Output",
             "write a timeline that Perfetto and Tracy open; '-' is standard output, the report "
             "then goes to standard error"},
            into.trace);
  add_quiet(line, into.quiet, "no report and no progress; failures on standard error");
  add_progress(line, into.progress);
  add_colour(line, into.colour);
}

}  // namespace

std::optional<int> parse_load(const std::vector<std::string>& arguments, load_arguments& into) {
  command_line line({
      .name = "load",
      .usage = usage,
      .description = "Mounts folders and archives over one another, loads every file of the "
                     "merged tree on every core (resolve, read, unpack, decode, finalize) and "
                     "says where the time went.",
      .footer = footer,
  });
  mount_options mounts(line);
  mounts.add_tree(into.tree);
  add_loading(line, into);
  add_output(line, into);

  if (const std::optional<int> over = line.parse(arguments)) return over;
  if (const std::optional<int> over = mounts.refused()) return over;
  if (into.tree.empty()) return line.refuse("nothing to load: name a folder or an archive");
  if (into.trace == "-" && into.json) {
    return line.refuse("--json and --trace - both want standard output: give the trace a file");
  }
  return std::nullopt;
}

}  // namespace overture::cli

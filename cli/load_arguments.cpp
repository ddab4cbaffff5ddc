#include "load_arguments.hpp"

#include "command_line.hpp"
#include "messages.hpp"
#include "overture/limits.hpp"

namespace overture::cli {

namespace {

constexpr const char* usage = "overture load [OPTIONS] MOUNT...";
constexpr const char* help_command = "overture help load";

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

constexpr std::uint64_t budget_mib_max = 1u << 20;

void add_loading(CLI::App& app, load_arguments& into) {
  add_threads(app, into.threads);
  app.add_option("--io-threads", into.io_threads,
                 "threads that wait for the disk, besides those (default: 8 to 16, as the "
                 "disk answers)")
      ->type_name("N")
      ->check(whole_number(1, limits::io_threads_max))
      ->group("Loading");
  app.add_option("--io", into.io,
                 "how to read: threads, or uring, which needs a kernel that allows io_uring and is "
                 "threads otherwise (default: threads)")
      ->type_name("HOW")
      ->check(CLI::IsMember({"threads", "uring"}))
      ->group("Loading");
  app.add_option("--budget", into.budget_mib, "memory for files in flight (default: 256)")
      ->type_name("MIB")
      ->check(whole_number(1, budget_mib_max))
      ->group("Loading");
  app.add_flag_callback(
         "--no-decode", [&into] { into.decode = false; }, "stop at the checksum")
      ->group("Loading");
  app.add_flag("--keep", into.keep,
               "keep what was loaded until the end, as a game would: decoded assets, and the bytes "
               "of files that no decoder knows; the report tells their size")
      ->group("Loading");
}

void add_output(CLI::App& app, load_arguments& into) {
  add_json(app, into.json);
  app.add_option("--trace", into.trace,
                 "write a timeline that Perfetto and Tracy open; '-' is standard output, the "
                 "report then goes to standard error")
      ->type_name("FILE")
      ->group("Output");
  add_quiet(app, into.quiet, "no report and no progress; failures on standard error");
  add_progress(app, into.progress);
  add_colour(app, into.colour);
}

}  // namespace

std::optional<int> parse_load(const std::vector<std::string>& arguments, load_arguments& into) {
  CLI::App app{
      "Mounts folders and archives over one another, loads every file of the merged tree on every "
      "core (resolve, read, unpack, decode, finalize) and says where the time went.",
      "load"};
  app.footer(footer);

  mount_options_parser mounts(app);
  mounts.add_tree(into.tree);
  add_loading(app, into);
  add_output(app, into);
  add_help(app);

  if (const std::optional<int> over = parse(app, usage, arguments)) return over;
  if (const std::optional<int> over = mounts.take(help_command)) return over;
  if (into.tree.empty()) {
    return complain_about_usage("nothing to load: name a folder or an archive", "", help_command);
  }
  if (into.trace == "-" && into.json) {
    return complain_about_usage(
        "--json and --trace - both want standard output: give the trace a file", "", help_command);
  }
  return std::nullopt;
}

}  // namespace overture::cli

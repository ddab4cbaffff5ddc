// SPDX-License-Identifier: Zlib
//
// overture check: reads every file of every mount, overridden ones too, and verifies checksums.
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "commands/command.hpp"
#include "commands/load_run.hpp"
#include "mounts/mounting.hpp"
#include "mounts/skipped_names.hpp"
#include "mounts/unmatched_globs.hpp"
#include "overture/overture.hpp"
#include "report/report_json.hpp"
#include "report/report_text.hpp"
#include "system/exit_code.hpp"
#include "system/system.hpp"
#include "terminal/command_line.hpp"
#include "terminal/display.hpp"
#include "terminal/json_output.hpp"
#include "terminal/messages.hpp"
#include "terminal/outputs.hpp"
#include "terminal/progress.hpp"
#include "terminal/progress_line.hpp"
#include "terminal/table.hpp"
#include "terminal/units.hpp"

namespace overture::cli {

namespace {

constexpr const char* check_usage = "overture check [OPTIONS] MOUNT...";
constexpr int check_schema = 1;

constexpr const char* check_examples = R"(  overture check base.pk3 dlc/rome/ mods/better_ai.zip
  overture check --archives-in baseoa --json | jq '.failures[].path'
)";

const std::string check_footer = std::string(R"(Exit status
  0    every file is intact
  1    some files are damaged or cannot be read (no password, an unsupported
       method, ...), or a folder could not be listed; each is listed with its
       mount and the reason
  2    invalid arguments
  3    a mount could not be opened
  5    output could not be written, or memory ran out
  130  interrupted by Ctrl-C; the report covers what was checked so far
)") + environment_footer;

struct check_arguments {
  tree_arguments tree;
  std::vector<std::string> exclude;  // globs
  unsigned threads = 0;
  std::uint64_t file_seconds_max = 0;  // 0: no limit
  bool json = false;
  bool quiet = false;
  when progress = when::automatic;
  when colour = when::automatic;
};

std::optional<int> parse_check(const std::vector<std::string>& words, check_arguments& into) {
  command_line line({
      .name = "check",
      .usage = check_usage,
      .description = "Read and unpack every file of every mount on all cores and verify its "
                     "checksum. Unlike load, this includes files that another mount overrides. "
                     "Files in plain folders have no checksum; they are only read.",
      .examples = check_examples,
      .footer = check_footer,
  });
  mount_options mounts(line);
  mounts.add_tree(into.tree);
  add_exclude(line, "Checking", into.exclude);
  add_threads(line, into.threads);
  add_file_time_max(line, into.file_seconds_max);
  add_json(line, into.json);
  add_quiet(line, into.quiet, "print nothing but errors");
  add_progress(line, into.progress);
  add_colour(line, into.colour);
  if (const std::optional<int> over = line.parse(words)) return over;
  if (const std::optional<int> over = mounts.mistake()) return over;
  if (into.tree.empty()) {
    return line.usage_error("nothing to check: give a folder or an archive");
  }
  return std::nullopt;
}

// Reads files that are too large to load, in pieces.
class large_files {
 public:
  large_files(file_system& files, const load_run& how)
      : files_(files),
        time_max_(how.options.file_time_max),
        line_(how.progress, how.out->environment()) {}

  // Checks the files that failed to load because of their size. Their paths begin with the number
  // of their mount, as mount_layout::separate arranges.
  void check(report& what);

 private:
  // The file's size, or why it is damaged.
  result<std::uint64_t> read(const std::string& path);
  void show_progress();

  file_system& files_;
  std::chrono::nanoseconds time_max_;  // 0: no limit
  progress_line line_;
  progress_meter meter_;
  load_progress done_;
  std::uint64_t bytes_ = 0;  // of all files to check here
  std::vector<std::byte> room_ = std::vector<std::byte>(1u << 20);
  std::uint64_t begin_ns_ = now_ns();
};

bool is_too_large(const report_failure& failure) {
  return failure.code == to_string(errc::limit) && !took_too_long(failure);
}

void large_files::show_progress() {
  const std::uint64_t elapsed_ns = now_ns() - begin_ns_;
  if (!line_.shown() || !meter_.due(elapsed_ns)) return;
  done_.fraction = static_cast<double>(done_.bytes_done) / static_cast<double>(bytes_);
  line_.paint(meter_.update(done_, elapsed_ns));
}

result<std::uint64_t> large_files::read(const std::string& path) {
  result<file_reader> reader = file_reader::open(files_, {path, {hash64(path)}});
  if (!reader) return tl::unexpected(reader.error());
  const std::uint64_t file_begin_ns = now_ns();
  while (!interrupted()) {
    if (time_max_.count() > 0 &&
        now_ns() - file_begin_ns > static_cast<std::uint64_t>(time_max_.count())) {
      return fail(errc::limit, too_long_reason);
    }
    const result<std::size_t> count = reader->read(room_);
    if (!count) return tl::unexpected(count.error());
    if (*count == 0) return reader->size();
    done_.bytes_done += *count;
    show_progress();
  }
  return fail(errc::cancelled, "interrupted");
}

void large_files::check(report& what) {
  for (const report_failure& failure : what.failures) {
    if (!is_too_large(failure)) continue;
    const result<file_stat> stat = files_.stat({failure.path, {hash64(failure.path)}});
    bytes_ += stat ? stat->bytes : 0;
    ++done_.files_total;
  }
  std::erase_if(what.failures, [&](report_failure& failure) {
    if (!is_too_large(failure)) return false;
    const result<std::uint64_t> bytes = read(failure.path);
    ++done_.files_done;
    if (!bytes && bytes.error().code != errc::cancelled) {
      failure.code = to_string(bytes.error().code);
      failure.reason = reason_of(bytes.error());
      name_time_max(failure, time_max_);
      return false;
    }
    report_mount& mount = what.mounts[std::stoul(failure.path)];
    --what.summary.failed;
    --mount.failed;
    if (!bytes) {
      ++what.summary.cancelled;
      what.interrupted = true;
      return true;
    }
    ++what.summary.files;
    ++mount.files;
    what.summary.bytes += *bytes;
    mount.bytes += *bytes;
    return true;
  });
}

// What was found out about the files, beyond the report.
struct findings {
  std::uint64_t damaged = 0;           // of the files that failed; the others cannot be read
  std::uint64_t without_checksum = 0;  // of the files that were read
  std::vector<report_warning> warnings;
  std::vector<std::string> hints;  // a line each
};

bool is_damaged(const report_failure& failure) {
  return failure.code == to_string(errc::corrupt) || failure.code == to_string(errc::truncated);
}

// Without the prefix of mount_layout::separate.
std::string path_in_mount(std::string_view path) {
  return std::string(path.substr(path.find('/') + 1));
}

void take_numbers_away(report& what) {
  for (report_failure& failure : what.failures) failure.path = path_in_mount(failure.path);
  for (report_skipped& name : what.skipped) {
    if (name.reason == excluded_reason) name.name = path_in_mount(name.name);
  }
}

// Those that --exclude leaves out, with the number of their mount.
std::set<std::string_view> excluded_paths(const report& what) {
  std::set<std::string_view> paths;
  for (const report_skipped& name : what.skipped) {
    if (name.reason == excluded_reason) paths.insert(name.name);
  }
  return paths;
}

// Names that would stop the game from being unpacked on Windows. Not an error: they load.
std::vector<report_warning> find_warnings(const file_system& files,
                                          const std::set<std::string_view>& excluded) {
  std::vector<report_warning> warnings;
  for (entry_index i = 0; i < files.entry_count(); ++i) {
    const entry_info entry = files.entry(i);
    if (excluded.contains(entry.path)) continue;
    const std::string path = path_in_mount(entry.path);
    const char* const flaw = portable_name_flaw(path);
    if (flaw) warnings.push_back({path, std::string(files.mount_of(entry.mount).path), flaw, 0});
  }
  return warnings;
}

// How many of the files that were read have no checksum.
std::uint64_t count_without_checksum(file_system& files, const report& what,
                                     const std::set<std::string_view>& excluded) {
  std::set<std::string_view> failed;
  for (const report_failure& failure : what.failures) failed.insert(failure.path);
  std::uint64_t count = 0;
  for (entry_index i = 0; i < files.entry_count(); ++i) {
    const entry_info entry = files.entry(i);
    if (failed.contains(entry.path) || excluded.contains(entry.path)) continue;
    if (files.mount_of(entry.mount).format == mount_format::folder) {
      ++count;
      continue;
    }
    const result<opened_file> opened = files.open_any_size({entry.path, entry.id});
    count += opened && !opened->place().has_crc ? 1 : 0;
  }
  return count;
}

// Before the numbers are taken away.
findings find_out(file_system& files, const report& what) {
  findings found;
  found.damaged = static_cast<std::uint64_t>(
      std::count_if(what.failures.begin(), what.failures.end(), is_damaged));
  const std::set<std::string_view> excluded = excluded_paths(what);
  found.without_checksum =
      std::min(count_without_checksum(files, what, excluded), what.summary.files);
  found.warnings = find_warnings(files, excluded);
  found.hints = hints_of_plain_archives(files);
  return found;
}

// "damaged: 2 of 9 files", "unreadable: 3 of 9 files", or both.
std::string failed_line(const report& what, const findings& found, const text_style& style) {
  const load_summary& sum = what.summary;
  const std::uint64_t unreadable = sum.failed - found.damaged;
  const std::string all = counted(sum.files + sum.failed, "file", "files");
  if (found.damaged == 0) {
    return fmt::format("{}: {} of {}\n", style.red("unreadable"), grouped(unreadable), all);
  }
  std::string line = fmt::format("{}: {} of {}", style.red("damaged"), grouped(found.damaged), all);
  if (unreadable > 0) line += fmt::format("; {} unreadable", grouped(unreadable));
  return line + '\n';
}

std::string verified_line(const load_summary& sum, const findings& found) {
  const std::uint64_t verified = sum.files - found.without_checksum;
  if (found.without_checksum == 0) return fmt::format("{} verified\n", grouped(verified));
  return fmt::format("{} verified, {} without checksum\n", grouped(verified),
                     grouped(found.without_checksum));
}

std::string failures_text(const report& what, const char* title, bool damaged,
                          const text_style& style) {
  std::string text;
  for (const report_failure& failure : what.failures) {
    if (is_damaged(failure) != damaged) continue;
    text += "  " + failure_line(failure, style) + '\n';
  }
  return text.empty() ? text : fmt::format("\n{}\n{}", title, text);
}

// Of a name that is skipped several times: they are adjacent.
std::string times_text(std::size_t times) {
  return times > 1 ? fmt::format(" ({} times)", grouped(times)) : "";
}

std::string check_text(const report& what, const findings& found, const text_style& style) {
  const load_summary& sum = what.summary;
  std::string text;
  const std::string count = counted(sum.files, "file", "files");
  if (what.interrupted) {
    text = fmt::format("interrupted: {} of {} files checked\n", grouped(sum.files + sum.failed),
                       grouped(sum.files + sum.failed + sum.cancelled));
  } else if (sum.failed == 0 && !what.mount_failures.empty()) {
    text =
        fmt::format("{}: {} intact, but {}\n", style.red("incomplete"), count, missing_files(what));
  } else if (sum.failed == 0) {
    text = fmt::format("{}: {}, {} in {}\n", style.bold("intact"), count,
                       human_bytes(static_cast<double>(sum.bytes)), human_time(sum.ns));
  } else {
    text = failed_line(what, found, style);
  }
  if (!what.interrupted && sum.files > 0) text += verified_line(sum, found);
  table rows({{"files"},
              {"size"},
              {"failed"},
              {"skipped"},
              {"kind", table::align::left},
              {"mount", table::align::left}});
  for (const report_mount& mount : what.mounts) {
    table::cell failed{grouped(mount.failed)};
    if (mount.failed > 0) failed.look = &text_style::red;
    rows.add({grouped(mount.files), human_bytes(static_cast<double>(mount.bytes)), failed,
              grouped(mount.skipped), mount.format, printable(mount.path)});
  }
  text += '\n' + rows.render(style);
  text += failures_text(what, "Damaged", true, style);
  text += failures_text(what, "Unreadable", false, style);
  if (!what.mount_failures.empty()) text += "\nNot read\n";
  for (const report_failure& failure : what.mount_failures) {
    text += "  " + failure_line(failure, style) + '\n';
  }
  if (!what.skipped.empty()) text += "\nSkipped\n";
  for (std::size_t i = 0; i < what.skipped.size();) {
    const report_skipped& name = what.skipped[i];
    const std::size_t first = i;
    while (i < what.skipped.size() && what.skipped[i] == name) ++i;
    text += fmt::format("  {}{}\n", skipped_line(name), times_text(i - first));
  }
  if (!found.warnings.empty()) text += "\nWarnings\n";
  for (const report_warning& warning : found.warnings) {
    text += fmt::format("  {} ({}): {}\n", style.yellow(printable(warning.path)),
                        printable(warning.mount), warning.reason);
  }
  if (!found.hints.empty()) text += '\n';
  for (const std::string& hint : found.hints) text += hint + '\n';
  return text;
}

std::string check_json(const report& what, const findings& found) {
  json mounts = json::array();
  for (const report_mount& mount : what.mounts) {
    mounts.push_back({{"path", mount.path},
                      {"format", mount.format},
                      {"files", mount.files},
                      {"failed", mount.failed},
                      {"skipped", mount.skipped},
                      {"bytes", mount.bytes}});
  }
  const load_summary& sum = what.summary;
  return json_text({{"schema", check_schema},
                    {"interrupted", what.interrupted},
                    {"files", sum.files},
                    {"failed", sum.failed},
                    {"damaged", found.damaged},
                    {"unreadable", sum.failed - found.damaged},
                    {"without_checksum", found.without_checksum},
                    {"cancelled", sum.cancelled},
                    {"bytes", sum.bytes},
                    {"seconds", static_cast<double>(sum.ns) / 1e9},
                    {"mounts", mounts},
                    {"failures", failures_json(what)},
                    {"mount_failures", mount_failures_json(what)},
                    {"skipped_names", skipped_json(what.skipped)},
                    {"warnings", warnings_json(found.warnings)},
                    {"hints", found.hints}});
}

int write_outcome(const report& what, const findings& found, const check_arguments& arguments,
                  const outputs& out) {
  if (arguments.json) return print(check_json(what, found));
  if (!arguments.quiet) return print(check_text(what, found, out.style(stream::out)));
  for (const report_failure& failure : what.failures) print_error(failure_line(failure, {}));
  return exit_ok;
}

}  // namespace

int cmd_check(const std::vector<std::string>& words) {
  check_arguments arguments;
  if (const std::optional<int> over = parse_check(words, arguments)) return *over;
  const outputs out(arguments.colour);
  watch_interrupts();
  memory_ledger ledger(load_options{}.budget_bytes);
  file_system_config config = arguments.tree.config();
  config.ledger = &ledger;
  file_system files(config);
  int failed = mount_all(files, arguments.tree, mount_layout::separate);
  if (failed == exit_ok) failed = freeze_tree(files);
  if (failed != exit_ok) return failed;

  // Patterns begin in the mount.
  std::vector<std::string> globs = arguments.exclude;
  for (std::string& glob : globs) {
    const bool anywhere = glob.find('/') >= glob.size() - 1;
    if (!anywhere && glob[0] == '/') glob.erase(0, 1);
    glob.insert(0, anywhere ? "*/**/" : "*/");
  }
  unmatched_globs unmatched(arguments.exclude, globs);
  unmatched.look_at(files);
  unmatched.warn();
  const std::vector<std::string_view> exclude(globs.begin(), globs.end());
  load_run how;
  how.threads = arguments.threads;
  how.options.decode = false;
  how.options.exclude = exclude;
  how.options.ledger = &ledger;
  how.options.file_time_max = std::chrono::seconds(arguments.file_seconds_max);
  how.progress = !arguments.quiet && out.shows_progress(arguments.progress);
  how.out = &out;
  load_window window;
  std::optional<report> what = run_load(files, how, window);
  if (!what) return exit_output_failed;
  const std::uint64_t begin_ns = now_ns();
  large_files(files, how).check(*what);
  what->summary.ns += now_ns() - begin_ns;
  const findings found = find_out(files, *what);
  take_numbers_away(*what);
  const int outcome = write_outcome(*what, found, arguments, out);
  if (what->interrupted) return exit_interrupted;
  if (outcome != exit_ok) return outcome;
  const int status = std::max(status_of_files(*what), status_of_mounts(files));
  if (status == exit_output_failed) print_out_of_memory();
  return status;
}

}  // namespace overture::cli

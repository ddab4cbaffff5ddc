// SPDX-License-Identifier: Zlib
//
// overture extract: writes the merged tree, or a part of it, to a folder.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "commands/command.hpp"
#include "mounts/mounting.hpp"
#include "mounts/path_argument.hpp"
#include "mounts/skipped_names.hpp"
#include "mounts/unmatched_globs.hpp"
#include "system/exit_code.hpp"
#include "system/native_path.hpp"
#include "terminal/command_line.hpp"
#include "terminal/display.hpp"
#include "terminal/messages.hpp"
#include "terminal/outputs.hpp"
#include "terminal/units.hpp"
#include "writing/extracting.hpp"
#include "writing/output_check.hpp"
#include "writing/source_file.hpp"

namespace overture::cli {

namespace {

constexpr const char* extract_usage = "overture extract [OPTIONS] --to DIR MOUNT...";
constexpr const char* extract_own_group = "Extracting";
constexpr const char* extract_help_command = "overture help extract";

constexpr const char* extract_examples =
    R"(  overture extract --to merged base.pk3 dlc/rome/ mods/better_ai.zip
  overture extract --to maps --in maps base.pk3
  overture extract --to slim --exclude 'sound/**' --exclude '*.bak' base.pk3
)";

const std::string extract_footer = std::string(R"(Exit status
  0    every file was written
  1    some files failed (each is listed), the path was not found, or a folder
       of a mount could not be listed
  2    invalid arguments
  3    a mount could not be opened
  5    the disk is full or failed, a file is too large for it, other output
       could not be written, or memory ran out; files written so far are whole
  130  interrupted by Ctrl-C; files written so far are whole
A file has its name once it is whole. What a run that was killed leaves is a
folder .overture-....tmp in DIR, which the next run removes, or, with files of
the mounts that it replaced, overture-old-..., which no run removes.
)") + environment_footer;

constexpr std::uint64_t sync_shown_ns_min = 100'000'000;

struct extract_arguments {
  tree_arguments tree;
  std::string to;
  std::string from;
  std::vector<std::string> exclude;  // globs
  bool overwrite = false;
  bool resume = false;
  bool quiet = false;
  unsigned threads = 0;
  std::uint64_t file_seconds_max = 0;  // 0: no limit
  when progress = when::automatic;
  when colour = when::automatic;
};

std::optional<int> parse_extract(const std::vector<std::string>& words, extract_arguments& into) {
  command_line line({
      .name = "extract",
      .usage = extract_usage,
      .description = "Write the merged tree to a folder: the winning file of each path, unpacked, "
                     "with its checksum verified, its time and whether it is executable.",
      .examples = extract_examples,
      .footer = extract_footer,
  });
  line.word(
      {"--to DIR", extract_own_group, "the folder to write to; created if missing (required)"},
      into.to);
  line.word({"--in PATH", extract_own_group,
             "extract only this folder or file of the tree, without its parent folders"},
            into.from);
  add_exclude(line, extract_own_group, into.exclude);
  line.flag(
      {"--overwrite", extract_own_group,
       "replace existing files; where they are files of the mounts, all at the end, and only if "
       "nothing failed"},
      into.overwrite);
  line.flag({"--resume", extract_own_group,
             "go on where an interrupted extraction stopped: leave files that are there with the "
             "right size and checksum"},
            into.resume);
  mount_options mounts(line);
  mounts.add_tree(into.tree);
  add_threads(line, into.threads);
  add_file_time_max(line, into.file_seconds_max);
  add_quiet(line, into.quiet, "print nothing but errors and warnings");
  add_progress(line, into.progress);
  add_colour(line, into.colour);
  if (const std::optional<int> over = line.parse(words)) return over;
  if (const std::optional<int> over = mounts.mistake()) return over;
  if (into.tree.empty()) {
    return line.usage_error("nothing to extract: give a folder or an archive");
  }
  if (into.to.empty()) {
    return line.usage_error("no destination: give a folder with --to DIR");
  }
  return std::nullopt;
}

// The files to write. `above`: the length of the prefix of their paths to leave out.
result<std::vector<std::string>> files_below(file_system& files, asset_path path,
                                             std::size_t& above) {
  std::vector<std::string> paths;
  const result<void> walked = files.walk(path, [&](const folder_item& item) {
    paths.emplace_back(item.path);
    return true;
  });
  if (walked) {
    above = path.text.empty() ? 0 : path.text.size() + 1;
    return paths;
  }
  if (walked.error().code != errc::not_a_file) return tl::unexpected(walked.error());
  const std::size_t slash = path.text.rfind('/');
  above = slash == std::string_view::npos ? 0 : slash + 1;
  paths.emplace_back(path.text);
  return paths;
}

std::string summary_of(const extracted& done, std::size_t wanted, std::size_t excluded,
                       std::size_t skipped, const std::string& to) {
  const std::string bytes = human_bytes(static_cast<double>(done.bytes));
  std::string summary =
      interrupted()
          ? fmt::format("interrupted: {} of {}, {} written to {}; these are whole",
                        grouped(done.files), counted(wanted, "file", "files"), bytes, printable(to))
          : fmt::format("{}, {} written to {}", counted(done.files, "file", "files"), bytes,
                        printable(to));
  if (done.in_place > 0) {
    summary += fmt::format("; {} are read from where they would go", grouped(done.in_place));
  }
  if (done.whole > 0) summary += fmt::format("; {} were there and whole", grouped(done.whole));
  if (done.failed > 0) summary += fmt::format("; {} failed", grouped(done.failed));
  if (excluded > 0) summary += fmt::format("; {} left out by --exclude", grouped(excluded));
  if (skipped > 0) summary += fmt::format("; {} skipped", counted(skipped, "name", "names"));
  if (done.sync_ns >= sync_shown_ns_min) {
    summary += fmt::format("; the disk took {} more", human_time(done.sync_ns));
  }
  return summary + '\n';
}

// Why the extraction ended early.
std::string stop_of(const extracted& done, const extract_arguments& arguments, std::size_t wanted) {
  if (done.is_unsynced && done.has_names) {
    return fmt::format("{}: the disk failed to keep what was written ({}); check the disk, then {}",
                       printable(arguments.to), system_message(done.stopped_by),
                       arguments.overwrite ? "extract again" : "go on with --resume");
  }
  const std::string written =
      done.has_names ? fmt::format("{} of {} {} written and whole", grouped(done.files),
                                   counted(wanted, "file", "files"), wanted == 1 ? "is" : "are")
                     : std::string("nothing was replaced");
  return fmt::format("{}: cannot write ({}); {}; {}go on with {}--resume", printable(arguments.to),
                     system_message(done.stopped_by), written,
                     lacks_room(done.stopped_by) ? "make room, then " : "",
                     arguments.overwrite ? "--overwrite " : "");
}

void print_failures(const extracted& done, const std::string& to) {
  for (const std::string& failure : done.failures) print_error(failure);
  if (done.is_mixed) {
    print_error(
        fmt::format("{}: not all files could be replaced, and those that were could not all "
                    "be taken back: some files are new, and others old",
                    printable(to)));
  }
  for (const std::string& line : done.old) print_error(line);
}

// What removal markers take out of the tree may be in the folder, and stays there.
void warn_of_removed(file_system& files, const extraction& how, std::string_view from) {
  std::size_t count = 0;
  (void)files.removals([&](const folder_item& marker) {
    const std::string path(marker.path);
    const bool is_inside = from.empty() || path.starts_with(std::string(from) + '/');
    if (!is_inside || files.stat({path, marker.id})) return true;
    const std::string there = how.to_path + '/' + path.substr(how.above);
    if (system_os().status(there.c_str(), false)) ++count;
    return true;
  });
  if (count == 0) return;
  print_warning(fmt::format("{}: {} that removal markers take out of the tree {} still there",
                            printable(how.to_path), counted(count, "file", "files"),
                            count == 1 ? "is" : "are"));
}

// Why no file was replaced, or what is wrong with the new ones.
void print_why_kept(const extracted& done, const extract_arguments& arguments) {
  if (!done.changed_archive.empty()) {
    print_error(fmt::format(
        "{}: the archive has changed while it was read; {}; extract again",
        printable(done.changed_archive),
        arguments.overwrite ? "no file was replaced" : "the files may be of two versions"));
  } else if (!done.has_names && !done.is_mixed && !interrupted()) {
    print_error(
        fmt::format("{}: nothing was replaced: it has files of the mounts, so all of them "
                    "are replaced, or none",
                    printable(arguments.to)));
  }
}

}  // namespace

int cmd_extract(const std::vector<std::string>& words) {
  extract_arguments arguments;
  if (const std::optional<int> over = parse_extract(words, arguments)) return *over;
  const outputs out(arguments.colour);
  const path_argument from(arguments.from, extract_help_command);
  if (!from.valid()) return exit_usage;
  watch_interrupts();
  file_system files(arguments.tree.config());
  if (const int failed = mount_all(files, arguments.tree); failed != exit_ok) return failed;

  extraction how;
  const mounted_archives archives(files);
  how.archives = &archives;
  result<std::vector<std::string>> paths = files_below(files, *from, how.above);
  if (!paths && paths.error().code == errc::not_found) {
    from.print_not_found(files);
    return exit_files_failed;
  }
  if (!paths) {
    from.print_failure(paths.error());
    return exit_for(paths.error().code, exit_files_failed);
  }
  unmatched_globs unmatched(arguments.exclude);
  for (const std::string& path : *paths) unmatched.look_at(path);
  unmatched.warn();
  const std::size_t excluded = std::erase_if(
      *paths, [&](const std::string& path) { return matches_any(arguments.exclude, path); });
  how.to_path = arguments.to;
  if (names_temporary(text_of(native_path(arguments.to)))) {
    print_error(fmt::format("{}: later runs remove folders of this name; give another with --to",
                            printable(arguments.to)));
    return exit_usage;
  }
  if (arguments.overwrite) {
    const int failed = check_replacing(arguments.tree, files, *paths, how);
    if (failed != exit_ok) return failed;
  }
  output_folder to;
  if (const int os_error = to.open(arguments.to, how.how, paths->size()); os_error != 0) {
    print_error(fmt::format("{}: cannot create the folder ({}); choose another with --to",
                            printable(arguments.to), system_message(os_error)));
    return exit_output_failed;
  }
  how.to = &to;
  how.resume = arguments.resume;
  how.file_time_max = std::chrono::seconds(arguments.file_seconds_max);
  how.progress = !arguments.quiet && out.shows_progress(arguments.progress);
  thread_pool jobs{
      {.workers = (arguments.threads > 0 ? arguments.threads : processor_count()) - 1}};
  const extracted done = extract_files(files, *paths, how, jobs, out);

  const bool lists_skipped = from.text().empty() && !arguments.quiet;
  warn_of_skipped(files, lists_skipped ? skipped_shown_max : 0);
  print_failures(done, arguments.to);
  if (done.stopped_by != 0) {
    print_error(stop_of(done, arguments, paths->size()));
    return exit_output_failed;
  }
  print_why_kept(done, arguments);
  if (arguments.tree.removal_markers) warn_of_removed(files, how, from.text());
  int outcome = exit_ok;
  if (!arguments.quiet) {
    outcome = print(summary_of(done, paths->size(), excluded, files.skipped_count(), arguments.to));
  }
  if (interrupted()) return exit_interrupted;
  if (outcome != exit_ok) return outcome;
  return std::max(done.status, status_of_mounts(files));
}

}  // namespace overture::cli

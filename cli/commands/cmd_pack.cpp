// SPDX-License-Identifier: Zlib
//
// overture pack: writes the merged tree as one ZIP.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "commands/command.hpp"
#include "mounts/mounting.hpp"
#include "mounts/skipped_names.hpp"
#include "mounts/tree_arguments.hpp"
#include "mounts/unmatched_globs.hpp"
#include "system/exit_code.hpp"
#include "system/native_path.hpp"
#include "terminal/command_line.hpp"
#include "terminal/display.hpp"
#include "terminal/messages.hpp"
#include "terminal/outputs.hpp"
#include "terminal/units.hpp"
#include "writing/output_check.hpp"
#include "writing/output_file.hpp"
#include "writing/packing.hpp"
#include "writing/recorded.hpp"
#include "writing/source_file.hpp"

namespace overture::cli {

namespace {

constexpr const char* pack_usage = "overture pack [OPTIONS] OUT.zip MOUNT...";
constexpr const char* pack_own_group = "Packing";

constexpr const char* pack_examples =
    R"(  overture pack game.zip base.pk3 dlc/rome/ mods/better_ai.zip
  overture pack --zstd game.zip --archives-in baseoa
  overture pack --recorded menu.record game.zip base.pk3 dlc/rome/
)";

const std::string pack_footer = std::string(R"(Exit status
  0    every file was packed
  1    some files could not be read (each is listed), or a folder of a mount
       could not be listed; a new archive is written without them, an old one
       stays as it is
  2    invalid arguments
  3    a mount could not be opened, or the mounts could not be merged
  5    the archive could not be written, or memory or descriptors ran out; no
       new file is left, and an old one stays as it is
  130  interrupted by Ctrl-C; no new file is left, and an old one stays
)") + environment_footer;

struct pack_arguments {
  tree_arguments tree;
  std::string out;
  std::string recorded;              // a file name, empty for none
  std::vector<std::string> exclude;  // globs
  bool zstd = false;
  bool overwrite = false;
  bool quiet = false;
  unsigned threads = 0;
  when progress = when::automatic;
  when colour = when::automatic;
};

std::optional<int> parse_pack(const std::vector<std::string>& words, pack_arguments& into) {
  command_line line({
      .name = "pack",
      .usage = pack_usage,
      .description = "Write the merged tree as one ZIP: the winning file of each path. The same "
                     "files give the same bytes, whatever the machine and the number of threads. "
                     "Each entry's comment says which mount it came from.",
      .examples = pack_examples,
      .footer = pack_footer,
  });
  line.word({"OUT.zip", pack_own_group, "the archive to write"}, into.out);
  line.flag({"--zstd", pack_own_group,
             "pack with zstd, which unpacks faster; of other programs only few read such a ZIP "
             "(7-Zip does)"},
            into.zstd);
  line.word({"--recorded FILE", pack_own_group,
             "begin with the files that overture load --record noted in FILE, in its order"},
            into.recorded);
  add_exclude(line, pack_own_group, into.exclude);
  line.flag({"--overwrite", pack_own_group, "replace an existing file"}, into.overwrite);
  mount_options mounts(line);
  mounts.add_tree(into.tree);
  add_threads(line, into.threads);
  add_quiet(line, into.quiet, "print nothing but errors and warnings");
  add_progress(line, into.progress);
  add_colour(line, into.colour);
  if (const std::optional<int> over = line.parse(words)) return over;
  if (const std::optional<int> over = mounts.mistake()) return over;
  if (into.out.empty() || into.tree.empty()) {
    return line.usage_error("give the archive to write, then one or more folders or archives");
  }
  if (into.out == "-") {
    return line.usage_error(
        "an archive is not written to standard output; give a file, or ./- for one of this name");
  }
  std::error_code ignored;
  if (!into.overwrite && std::filesystem::exists(native_path(into.out), ignored)) {
    return line.usage_error(fmt::format(
        "{}: file exists; replace it with --overwrite, or give another name for the archive",
        printable(into.out)));
  }
  return std::nullopt;
}

// The files to pack, in the order of the archive: those of the record, then the others by path.
std::vector<entry_index> order_of(const file_system& files, const pack_arguments& arguments,
                                  const load_record* record) {
  std::vector<entry_index> order;
  std::vector<bool> is_in(files.entry_count());
  const auto put = [&](entry_index file) {
    if (!is_in[file]) order.push_back(file);
    is_in[file] = true;
  };
  for (std::size_t i = 0; record && i < record->size(); ++i) {
    const std::string_view path = (*record)[i].path;
    if (const result<entry_index> file = files.find({path, {hash64(path)}})) put(*file);
  }
  for (entry_index file = 0; file < files.entry_count(); ++file) put(file);
  unmatched_globs unmatched(arguments.exclude);
  unmatched.look_at(files);
  unmatched.warn();
  std::erase_if(order,
                [&](entry_index i) { return matches_any(arguments.exclude, files.entry(i).path); });
  return order;
}

std::string summary_of(const packed_tree& done, const pack_arguments& arguments,
                       const file_system& files) {
  const auto bytes = [](std::uint64_t count) { return human_bytes(static_cast<double>(count)); };
  std::string text =
      fmt::format("{}, {}, packed into {}: {}, where the mounts take {}",
                  counted(done.files, "file", "files"), bytes(done.bytes), printable(arguments.out),
                  bytes(done.archive_bytes), bytes(done.mounts_bytes));
  if (done.failed > 0) text += fmt::format("; {} failed", grouped(done.failed));
  const std::size_t skipped = files.skipped_count();
  if (skipped > 0) text += fmt::format("; {} skipped", counted(skipped, "name", "names"));
  text += '\n';
  if (done.repeated > 0) {
    text += fmt::format("{} another file's content; that costs {}\n",
                        counted(done.repeated, "file repeats", "files repeat"),
                        bytes(done.repeated_bytes));
  }
  return text;
}

// What the new archive would replace.
struct old_archive {
  bool is_there = false;
  bool is_a_source = false;  // it is mounted itself
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;
  std::int64_t mtime_ns = 0;
  std::int64_t ctime_ns = 0;
  friend bool operator==(const old_archive&, const old_archive&) = default;
};

old_archive look_at(const std::string& path, bool is_a_source) {
  const result<file_status> found = system_os().status(path.c_str(), true);
  if (!found || found->kind != file_kind::file) return {};
  return {true, is_a_source, found->number, found->size, found->mtime_ns, found->ctime_ns};
}

// How many removal markers the old archive has. The new one has none: they are applied.
std::size_t markers_of(file_system& files, const std::string& archive) {
  const std::optional<file_identity> old = identity_of(archive);
  std::size_t count = 0;
  (void)files.removals([&](const folder_item& marker) {
    const std::string mount(files.mount_of(marker.mount).path);
    if (old && identity_of(mount) == old) ++count;
    return true;
  });
  return count;
}

// Why the archive may not take its place; empty if it may. One that lacks files never replaces
// another: what the old one had would be lost.
std::string why_kept(const packed_tree& done, file_system& files, const std::string& path,
                     const old_archive& old, const mounted_archives& archives) {
  const char* const left = old.is_there ? "it is unchanged" : "nothing was written";
  if (const std::string changed = archives.changed(); !changed.empty()) {
    return fmt::format("{} has changed while it was read; {}; pack again", printable(changed),
                       left);
  }
  if (done.lacked_room) {
    return fmt::format(
        "memory or descriptors ran out; {}; close other programs, or use fewer "
        "--threads",
        left);
  }
  if (!old.is_there) return {};
  if (done.files == 0 && done.failed == 0) {
    return "there is nothing to pack, so it is unchanged; is a disk not mounted?";
  }
  const std::uint64_t missing = done.failed + files.failure_count();
  if (missing > 0) {
    return fmt::format(
        "{} could not be read, so {}; leave it out with --exclude, or write an "
        "archive of another name",
        counted(missing, "file or folder", "files or folders"), left);
  }
  if (old.is_a_source && files.skipped_count() > 0) {
    return fmt::format(
        "it is mounted, and the new archive would lack {} that are skipped, so {}; "
        "write an archive of another name",
        counted(files.skipped_count(), "name", "names"), left);
  }
  const std::size_t markers = old.is_a_source ? markers_of(files, path) : 0;
  if (markers > 0) {
    return fmt::format(
        "it is mounted, and the new archive would lack its {}, so {}; write an archive of another "
        "name",
        counted(markers, "removal marker", "removal markers"), left);
  }
  return {};
}

}  // namespace

int cmd_pack(const std::vector<std::string>& words) {
  pack_arguments arguments;
  if (const std::optional<int> over = parse_pack(words, arguments)) return *over;
  const outputs out(arguments.colour);
  watch_interrupts();
  output_check check(arguments.tree);
  check.reads("--recorded", arguments.recorded);
  check.writes("the archive", arguments.out, output_check::source::allowed);
  if (const int failed = check.run(); failed != exit_ok) return failed;
  const old_archive old = look_at(arguments.out, check.writes_a_source());
  std::optional<load_record> record;
  if (!arguments.recorded.empty()) {
    record = read_record(arguments.recorded);
    if (!record) return exit_usage;
  }
  file_system files(arguments.tree.config());
  if (const int failed = build_tree(files, arguments.tree); failed != exit_ok) return failed;

  const mounted_archives archives(files);
  if (record) warn_of_missing(*record, arguments.recorded, files);
  const std::vector<entry_index> order = order_of(files, arguments, record ? &*record : nullptr);
  const packing how{.method = arguments.zstd ? compression::zstd : compression::deflate,
                    .progress = !arguments.quiet && out.shows_progress(arguments.progress)};
  thread_pool jobs{
      {.workers = (arguments.threads > 0 ? arguments.threads : processor_count()) - 1}};
  output_file file;
  packed_tree done;
  result<void> written =
      file.open(arguments.out, arguments.overwrite ? replacing::allowed : replacing::never);
  if (!written) {
    print_error(fmt::format("{}: {}", printable(arguments.out), reason_of(written.error())));
    return exit_output_failed;
  }
  {
    result<packed_tree> packed = pack_files(files, order, how, jobs, out, file.file());
    if (packed) done = std::move(*packed);
    if (!packed) written = tl::unexpected(packed.error());
  }
  if (written) {
    if (const std::string why = why_kept(done, files, arguments.out, old, archives); !why.empty()) {
      for (const std::string& failure : done.failures) print_error(failure);
      print_error(fmt::format("{}: {}", printable(arguments.out), why));
      return std::max({done.status, status_of_mounts(files), int{exit_files_failed}});
    }
    written = file.commit(
        [&](const char*) noexcept { return look_at(arguments.out, old.is_a_source) == old; });
  }
  const char* const left = file.is_in_place() ? "a loss of power may undo it"
                           : old.is_there     ? "the old archive is unchanged"
                                              : "nothing is left of the archive";
  if (!written && interrupted()) {
    print_to_stderr(fmt::format("interrupted; {}\n", left));
    return exit_interrupted;
  }
  if (!written) {
    print_error(
        fmt::format("{}: {}; {}", printable(arguments.out), reason_of(written.error()), left));
    return exit_output_failed;
  }
  warn_of_skipped(files, arguments.quiet ? 0 : skipped_shown_max);
  for (const std::string& failure : done.failures) print_error(failure);
  const int outcome = arguments.quiet ? exit_ok : print(summary_of(done, arguments, files));
  if (outcome != exit_ok) return outcome;
  return std::max(done.status, status_of_mounts(files));
}

}  // namespace overture::cli

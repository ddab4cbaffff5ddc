// SPDX-License-Identifier: Zlib
#include "mounts/mounting.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <map>
#include <system_error>

#include "overture/base/path.hpp"
#include "overture/sync/memory_ledger.hpp"
#include "overture/trace/timeline.hpp"
#include "system/exit_code.hpp"
#include "system/native_path.hpp"
#include "system/system.hpp"
#include "terminal/display.hpp"
#include "terminal/messages.hpp"
#include "terminal/units.hpp"

namespace overture::cli {

const char* mount_advice(const error& failure) {
  switch (failure.os_error) {
    case EMFILE:
    case ENFILE:
      return "close other programs, or raise the limit with 'ulimit -n'";
    case ENAMETOOLONG:
      return "use a shorter path";
    default:
      break;
  }
  switch (failure.code) {
    case errc::not_found:
      return "check the spelling and the current folder";
    case errc::permission:
      return "check its permissions";
    case errc::not_a_file:
      return "give a folder or an archive";
    case errc::unsupported:
      return "docs/guide/vfs.md lists the supported formats";
    case errc::bad_path:
      return "a mount point is a path such as gfx/fonts";
    case errc::corrupt:
    case errc::truncated:
      return "get a fresh copy";
    case errc::limit:
      return "split it, or leave it out";
    case errc::collision:
      return "leave it out";
    case errc::out_of_memory:
      return "free some memory, or mount less";
    case errc::password:
      return "";  // the reason says it
    default:
      return "check the disk";
  }
}

const char* merge_advice(errc code) {
  switch (code) {
    case errc::collision:
      return "leave out one of the mounts";
    case errc::out_of_memory:
      return "free some memory, or leave out some of the mounts";
    default:
      return "leave out some of the mounts";
  }
}

namespace {

void print_mount_error(const std::string& path, const error& failure, std::string_view advice) {
  const std::string name = path.empty() ? "''" : printable(path);
  print_error(
      fmt::format("{}: {}{}{}", name, reason_of(failure), advice.empty() ? "" : "; ", advice));
}

void print_mount_error(const std::string& path, const error& failure) {
  print_mount_error(path, failure, mount_advice(failure));
}

// If all of an archive was skipped, the names say why.
std::string advice_on(const file_system& files, const mount_failure& failure) {
  const bool all_skipped = failure.path.empty() && failure.why.code == errc::unsupported;
  for (std::size_t i = 0; all_skipped && i < files.skipped_count(); ++i) {
    const skipped_name first = files.skipped(i);
    if (first.mount != failure.mount) continue;
    return fmt::format("the first was {} ({})", printable(first.name), first.reason);
  }
  if (failure.why.code == errc::limit && !failure.path.empty()) return "rename, move or remove it";
  return mount_advice(failure.why);
}

void print_failures(const file_system& files, mount_id mounted, const std::string& path) {
  if (files.mount_of(mounted).failures == 0) return;
  for (std::size_t i = 0; i < files.failure_count(); ++i) {
    const mount_failure failure = files.failure(i);
    if (failure.mount != mounted) continue;
    const char* const between = path.ends_with('/') || failure.path.empty() ? "" : "/";
    print_mount_error(fmt::format("{}{}{}", path, between, failure.path), failure.why,
                      advice_on(files, failure));
  }
}

// Prints nothing if the mount fails.
result<void> mount_one(file_system& files, const mount_argument& mount, mounting_options how) {
  const zone span("mount");
  const std::uint64_t begin_ns = now_ns();
  std::string at = mount.at;
  if (how.layout == mount_layout::separate) at = fmt::format("{:04}/{}", files.mount_count(), at);
  const result<mount_id> mounted =
      files.mount(mount.path.c_str(), {.at = at,
                                       .removal_markers = how.removal_markers,
                                       .password = mount.password,
                                       .name_encoding = mount.names,
                                       .allow_bombs = how.allow_bombs});
  if (!mounted) return tl::unexpected(mounted.error());
  if (how.times) how.times->push_back({*mounted, now_ns() - begin_ns});
  print_failures(files, *mounted, mount.path);
  return {};
}

// Whether a file that is no valid archive was meant to be one. Only extensions that mean nothing
// else count.
bool has_archive_extension(const std::string& path) {
  std::string extension = text_of(native_path(path).extension());
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array names{".zip", ".pk3", ".pk4", ".wz", ".7z", ".iso", ".tar", ".tgz"};
  return std::find(names.begin(), names.end(), extension) != names.end();
}

// The regular files of a folder, and what should be an archive but is a link to nowhere, sorted.
std::vector<std::string> files_in(const std::string& folder, archive_order order,
                                  std::error_code& failed) {
  std::vector<std::string> paths;
  for (std::filesystem::directory_iterator at(native_path(folder), failed), end;
       !failed && at != end; at.increment(failed)) {
    const std::filesystem::file_type type = at->status(failed).type();
    const std::string path = text_of(at->path());
    if (type == std::filesystem::file_type::regular) paths.push_back(path);
    // Links to nowhere and in circles are no archives, unless they are named like one; anything
    // else might be one.
    const bool leads_nowhere = type == std::filesystem::file_type::not_found ||
                               failed == std::errc::too_many_symbolic_link_levels;
    if (leads_nowhere && has_archive_extension(path)) paths.push_back(path);
    const bool known = type != std::filesystem::file_type::none;
    if (known || failed == std::errc::too_many_symbolic_link_levels) failed.clear();
  }
  sort_archives(paths, order);
  return paths;
}

// The files directly in a folder of the tree that the mounts so far make. With separate mounts that
// is below each of them.
std::vector<std::string> files_of_tree(file_system& files, const std::string& folder,
                                       mounting_options how) {
  std::vector<std::string> paths;
  const std::size_t places = how.layout == mount_layout::separate ? files.mount_count() : 1;
  for (std::size_t i = 0; i < places; ++i) {
    const std::string place = how.layout == mount_layout::separate ? fmt::format("{:04}/", i) : "";
    path_buffer room;
    const std::string whole = place + folder;
    const result<asset_path> path = normalise(whole, room);
    if (!path) return {};
    (void)files.enumerate(*path, [&](const folder_item& item) {
      if (item.kind == entry_kind::file) paths.emplace_back(item.path);
      return true;
    });
  }
  return paths;
}

// False if it is no archive.
bool mount_inner(file_system& files, const std::string& path, const mount_argument& from,
                 mounting_options how, int& outcome) {
  const zone span("mount");
  const std::uint64_t begin_ns = now_ns();
  std::string at = from.at;
  if (how.layout == mount_layout::separate) at = fmt::format("{:04}/{}", files.mount_count(), at);
  const result<mount_id> mounted =
      files.mount_inside({path, {hash64(path)}}, {.at = at,
                                                  .removal_markers = how.removal_markers,
                                                  .password = from.password,
                                                  .name_encoding = from.names,
                                                  .allow_bombs = how.allow_bombs});
  if (mounted) {
    if (how.times) how.times->push_back({*mounted, now_ns() - begin_ns});
    print_failures(files, *mounted, path);
    return true;
  }
  if (mounted.error().code == errc::unsupported && !has_archive_extension(path)) return false;
  print_mount_error(path, mounted.error());
  outcome = std::max(outcome, exit_for(mounted.error().code, exit_mount_failed));
  return true;
}

int mount_archives_in(file_system& files, const mount_argument& from, mounting_options how) {
  const std::string& folder = from.path;
  std::error_code failed;
  if (!std::filesystem::exists(native_path(folder), failed)) {
    std::vector<std::string> inner = files_of_tree(files, folder, how);
    sort_archives(inner, how.order);
    int outcome = exit_ok;
    bool any = false;
    for (const std::string& path : inner) {
      if (interrupted()) return outcome;
      any = mount_inner(files, path, from, how, outcome) || any;
    }
    if (any) return outcome;
  }
  failed.clear();
  const std::vector<std::string> paths = files_in(folder, how.order, failed);
  if (failed) {
    print_error(
        fmt::format("{}: cannot list the folder ({}); --archives-in needs a readable folder",
                    printable(folder), failed.message()));
    return failed == std::errc::not_enough_memory ? exit_output_failed : exit_mount_failed;
  }
  int outcome = exit_ok;
  bool any = false;
  for (const std::string& path : paths) {
    if (interrupted()) return outcome;
    const result<void> mounted = mount_one(files, {path, from.at, from.password, from.names}, how);
    const bool known = mounted || mounted.error().code != errc::unsupported;
    if (!known && !has_archive_extension(path)) continue;
    any = true;
    if (mounted) continue;
    print_mount_error(path, mounted.error());
    outcome = std::max(outcome, exit_for(mounted.error().code, exit_mount_failed));
  }
  if (any) return outcome;
  print_error(
      fmt::format("{}: no archives in this folder; mount the folder itself or choose another",
                  printable(folder)));
  return exit_mount_failed;
}

}  // namespace

int mount_these(file_system& files, const std::vector<mount_argument>& mounts,
                mounting_options how) {
  int outcome = exit_ok;
  for (const mount_argument& mount : mounts) {
    if (interrupted()) return outcome;
    if (mount.archives_in) {
      outcome = std::max(outcome, mount_archives_in(files, mount, how));
      continue;
    }
    const result<void> mounted = mount_one(files, mount, how);
    if (mounted) continue;
    print_mount_error(mount.path, mounted.error());
    outcome = std::max(outcome, exit_for(mounted.error().code, exit_mount_failed));
  }
  return outcome;
}

int mount_all(file_system& files, const tree_arguments& arguments, mount_layout layout,
              std::vector<mount_time>* times) {
  return mount_these(
      files, arguments.mounts,
      {layout, arguments.removal_markers, arguments.order, arguments.allow_bombs, times});
}

namespace {

// Tells archives among plain files by their content. To open each of many files would take as long
// as the load, so kinds of which the first few are no archives are left alone.
class archive_probe {
 public:
  bool is_archive(const std::filesystem::path& path) {
    const std::string text = text_of(path);
    if (has_archive_extension(text)) return true;
    seen& kind = kinds_[lower_case(extension(text))];
    if (kind.others >= others_max && kind.archives == 0) return false;
    // What takes more to list than this is an archive, too: a packed tar is unpacked as a whole.
    memory_ledger little(1u << 20);
    file_system alone({.ledger = &little});
    const result<mount_id> mounted = alone.mount(text.c_str());
    const bool found = mounted || mounted.error().code == errc::limit;
    ++(found ? kind.archives : kind.others);
    return found;
  }

 private:
  static constexpr std::uint64_t others_max = 3;
  struct seen {
    std::uint64_t archives = 0;
    std::uint64_t others = 0;
  };
  std::map<std::string, seen> kinds_;  // by extension
};

}  // namespace

std::vector<std::string> hints_of_plain_archives(const file_system& files) {
  std::map<std::string, std::uint64_t> by_folder;
  archive_probe probe;
  for (entry_index i = 0; i < files.entry_count() && !interrupted(); ++i) {
    const entry_info entry = files.entry(i);
    const mount_info from = files.mount_of(entry.mount);
    if (from.format != mount_format::folder) continue;
    const std::size_t begin = from.at.empty() ? 0 : from.at.size() + 1;
    const std::filesystem::path file =
        native_path(from.path) / native_path(entry.path.substr(begin));
    if (probe.is_archive(file)) ++by_folder[text_of(file.parent_path())];
  }
  std::vector<std::string> hints;
  hints.reserve(by_folder.size());
  for (const auto& [folder, count] : by_folder) {
    hints.push_back(fmt::format("{} in {} {}; '--archives-in {}' mounts {}",
                                counted(count, "archive", "archives"), printable(folder),
                                count == 1 ? "is a plain file here" : "are plain files here",
                                printable(folder), count == 1 ? "it" : "them"));
  }
  return hints;
}

int status_of_mounts(const file_system& files) {
  int outcome = exit_ok;
  for (std::size_t i = 0; i < files.failure_count(); ++i) {
    outcome = std::max(outcome, exit_for(files.failure(i).why.code, exit_files_failed));
  }
  return outcome;
}

int freeze_tree(file_system& files) {
  const zone span("freeze");
  const result<void> frozen = files.freeze();
  if (frozen) return exit_ok;
  std::array<char, 4 * limits::path_bytes_max> text;  // a collision quotes two paths and two mounts
  const std::size_t length = files.explain(frozen.error(), text);
  print_error(
      fmt::format("{}; {}", printable({text.data(), length}), merge_advice(frozen.error().code)));
  return exit_for(frozen.error().code, exit_mount_failed);
}

int build_tree(file_system& files, const tree_arguments& arguments,
               std::vector<mount_time>* times) {
  const int mounted = mount_all(files, arguments, mount_layout::merged, times);
  return mounted == exit_ok ? freeze_tree(files) : mounted;
}

}  // namespace overture::cli

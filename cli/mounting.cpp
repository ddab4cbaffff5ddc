#include "mounting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "display.hpp"
#include "messages.hpp"
#include "overture/trace/timeline.hpp"
#include "system.hpp"

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

void print_mount_error(const std::string& path, const error& failure) {
  const std::string name = path.empty() ? "''" : printable(path);
  print_error(fmt::format("{}: {}; {}", name, reason_of(failure), mount_advice(failure)));
}

result<mount_id> mount_one(file_system& files, const mount_argument& mount, mounting_options how) {
  const zone span("mount");
  std::string at = mount.at;
  if (how.layout == mount_layout::separate) at = fmt::format("{:04}/{}", files.mount_count(), at);
  return files.mount(
      mount.path.c_str(),
      {.at = at, .removal_markers = how.removal_markers, .password = mount.password});
}

// The regular files of a folder, sorted by the bytes of their names.
std::vector<std::string> files_in(const std::string& folder, std::error_code& failed) {
  std::vector<std::string> paths;
  for (std::filesystem::directory_iterator at(folder, failed), end; !failed && at != end;
       at.increment(failed)) {
    std::error_code unknown;
    if (at->is_regular_file(unknown)) paths.push_back(at->path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Whether a file that is no valid archive was meant to be one. Only extensions that mean nothing
// else count.
bool has_archive_extension(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array names{".zip", ".pk3", ".pk4", ".wz", ".7z", ".iso"};
  return std::find(names.begin(), names.end(), extension) != names.end();
}

bool mount_archives_in(file_system& files, const mount_argument& from, mounting_options how) {
  const std::string& folder = from.path;
  std::error_code failed;
  const std::vector<std::string> paths = files_in(folder, failed);
  if (failed) {
    print_error(
        fmt::format("{}: cannot list the folder ({}); --archives-in needs a readable folder",
                    printable(folder), failed.message()));
    return false;
  }
  bool all = true;
  bool any = false;
  for (const std::string& path : paths) {
    if (interrupted()) return all;
    const result<mount_id> mounted = mount_one(files, {path, from.at, from.password}, how);
    const bool known = mounted || mounted.error().code != errc::unsupported;
    if (!known && !has_archive_extension(path)) continue;
    any = true;
    if (mounted) continue;
    print_mount_error(path, mounted.error());
    all = false;
  }
  if (!any) {
    print_error(
        fmt::format("{}: no archives in this folder; mount the folder itself or choose another",
                    printable(folder)));
  }
  return all && any;
}

}  // namespace

bool mount_these(file_system& files, const std::vector<mount_argument>& mounts,
                 mounting_options how) {
  bool all = true;
  for (const mount_argument& mount : mounts) {
    if (interrupted()) return all;
    const result<mount_id> mounted = mount_one(files, mount, how);
    if (mounted) continue;
    print_mount_error(mount.path, mounted.error());
    all = false;
  }
  return all;
}

bool mount_all(file_system& files, const tree_arguments& arguments, mount_layout layout) {
  const mounting_options how{layout, arguments.removal_markers};
  bool all = mount_these(files, arguments.mounts, how);
  for (const mount_argument& folder : arguments.archives_in) {
    if (!interrupted()) all = mount_archives_in(files, folder, how) && all;
  }
  return all;
}

bool freeze_tree(file_system& files) {
  const zone span("freeze");
  const result<void> frozen = files.freeze();
  if (frozen) return true;
  std::array<char, 4 * limits::path_bytes_max> text;  // a collision quotes two paths and two mounts
  const std::size_t length = files.explain(frozen.error(), text);
  print_error(
      fmt::format("{}; {}", printable({text.data(), length}), merge_advice(frozen.error().code)));
  return false;
}

bool build_tree(file_system& files, const tree_arguments& arguments) {
  return mount_all(files, arguments) && freeze_tree(files);
}

}  // namespace overture::cli

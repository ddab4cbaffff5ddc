#include "mounting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "display.hpp"
#include "messages.hpp"
#include "overture/timeline.hpp"
#include "system.hpp"

namespace overture::cli {

namespace {

const char* advice(errc code) {
  switch (code) {
    case errc::not_found:
      return "check the spelling and the folder you are in";
    case errc::permission:
      return "check that you may read it";
    case errc::not_a_file:
      return "name a folder or an archive";
    case errc::unsupported:
      return "name a folder or an archive of a kind that Overture reads (see docs/guide/vfs.md)";
    case errc::corrupt:
    case errc::truncated:
      return "get a fresh copy of it";
    case errc::limit:
      return "split it, or raise what limits it";
    case errc::out_of_memory:
      return "free some memory";
    default:
      return "check the disk that it lies on";
  }
}

void complain_about_mount(const std::string& path, const error& failure) {
  complain(fmt::format("{}: {}; {}", printable(path), reason_of(failure), advice(failure.code)));
}

bool mount_one(file_system& files, const std::string& path) {
  const zone span("mount");
  const result<mount_id> mounted = files.mount(path.c_str());
  if (!mounted) complain_about_mount(path, mounted.error());
  return mounted.has_value();
}

// The regular files of a folder in the order of their names' bytes.
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

bool mount_archives_in(file_system& files, const std::string& folder) {
  std::error_code failed;
  const std::vector<std::string> paths = files_in(folder, failed);
  if (failed) {
    complain(
        fmt::format("{}: cannot list the folder ({}); --archives-in needs a folder that you "
                    "may read",
                    printable(folder), failed.message()));
    return false;
  }
  bool all = true;
  bool any = false;
  for (const std::string& path : paths) {
    if (interrupted()) return all;
    const zone span("mount");
    const result<mount_id> mounted = files.mount(path.c_str());
    if (!mounted && mounted.error().code == errc::unsupported) continue;  // no archive
    any = true;
    if (mounted) continue;
    complain_about_mount(path, mounted.error());
    all = false;
  }
  if (!any) {
    complain(
        fmt::format("{}: no archive lies in this folder; mount the folder itself, or name "
                    "another",
                    printable(folder)));
  }
  return all && any;
}

}  // namespace

bool build_tree(file_system& files, const load_arguments& arguments) {
  bool all = true;
  for (const std::string& path : arguments.mounts) {
    if (!interrupted()) all = mount_one(files, path) && all;
  }
  for (const std::string& folder : arguments.archives_in) {
    if (!interrupted()) all = mount_archives_in(files, folder) && all;
  }
  if (!all) return false;

  const zone span("freeze");
  const result<void> frozen = files.freeze();
  if (frozen) return true;
  std::array<char, 4 * limits::path_bytes_max> text;  // a collision names two paths and two mounts
  const std::size_t length = files.explain(frozen.error(), text);
  complain(fmt::format("{}; leave one of the mounts out",
                       printable({text.data(), std::min(length, text.size())})));
  return false;
}

}  // namespace overture::cli

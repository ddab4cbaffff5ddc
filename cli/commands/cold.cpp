// SPDX-License-Identifier: Zlib
#include "commands/cold.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <system_error>
#include <vector>

#include "system/native_path.hpp"
#include "system/system.hpp"
#include "terminal/messages.hpp"
#include "terminal/progress.hpp"
#include "terminal/progress_line.hpp"
#include "terminal/units.hpp"

namespace overture::cli {

namespace {

namespace fs = std::filesystem;

// Less than one byte in a hundred does not make a load warm.
constexpr std::uint64_t kept_shares = 100;

// What cannot be listed cannot be loaded either, and mounting says so.
template <class Iterator>
void add_all_in(const std::string& folder, std::vector<std::string>& paths) {
  std::error_code failed;
  Iterator each(native_path(folder), fs::directory_options::skip_permission_denied, failed);
  for (; !failed && each != Iterator() && !interrupted(); each.increment(failed)) {
    std::error_code unknown;
    if (each->is_regular_file(unknown)) paths.push_back(text_of(each->path()));
  }
}

std::vector<std::string> files_of(const tree_arguments& tree) {
  std::vector<std::string> paths;
  for (const mount_argument& mount : tree.mounts) {
    std::error_code unknown;
    if (mount.archives_in) {
      add_all_in<fs::directory_iterator>(mount.path, paths);
    } else if (fs::is_directory(native_path(mount.path), unknown)) {
      add_all_in<fs::recursive_directory_iterator>(mount.path, paths);
    } else if (fs::is_regular_file(native_path(mount.path), unknown)) {
      paths.push_back(mount.path);
    }
  }
  return paths;
}

}  // namespace

std::string why_not_cold(const dropped_files& all) {
  if (all.refused_files > 0) {
    return fmt::format(
        "the system cannot drop {} of {} from its page cache, so the load is not quite cold",
        grouped(all.refused_files), counted(all.files, "file", "files"));
  }
  if (all.kept_bytes > 0 && all.kept_bytes * kept_shares >= all.bytes) {
    return fmt::format(
        "the system keeps {} of {} in its page cache, so the load is not quite cold: file systems "
        "in "
        "memory do that, and pages that a program has mapped stay",
        human_bytes(static_cast<double>(all.kept_bytes)),
        human_bytes(static_cast<double>(all.bytes)));
  }
  if (all.unknown_files > 0) {
    return fmt::format(
        "whether {} of {} were dropped from the page cache is unknown: the system tells only those "
        "who may write them",
        grouped(all.unknown_files), counted(all.files, "file", "files"));
  }
  return {};
}

dropped_files drop_from_page_cache(const std::vector<std::string>& paths, const outputs& out,
                                   bool progress) {
  progress_line line(progress, out.environment());
  const std::uint64_t begin_ns = now_ns();
  std::uint64_t painted_ns = begin_ns;
  dropped_files all;
  for (std::size_t i = 0; i < paths.size() && !interrupted(); ++i) {
    all.add(drop_file_from_page_cache(paths[i]));
    const std::uint64_t now = now_ns();
    if (!line.shown() || now - painted_ns < progress_meter::paint_interval_ns) continue;
    painted_ns = now;
    line.write(fmt::format("making the files cold: {} of {}", grouped(i + 1),
                           counted(paths.size(), "file", "files")));
  }
  return all;
}

void drop_from_page_cache(const tree_arguments& tree, const outputs& out, bool progress) {
  const dropped_files all = drop_from_page_cache(files_of(tree), out, progress);
  if (const std::string why = why_not_cold(all); !why.empty()) print_warning(why);
}

}  // namespace overture::cli

// SPDX-License-Identifier: Zlib
#include "commands/cold.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <system_error>

#include "system/native_path.hpp"
#include "system/system.hpp"
#include "terminal/messages.hpp"
#include "terminal/units.hpp"

namespace overture::cli {

namespace {

namespace fs = std::filesystem;

// Fewer than one file in a hundred do not make a load warm.
constexpr std::uint64_t kept_shares = 100;

struct dropping {
  std::uint64_t files = 0;
  std::uint64_t kept = 0;

  void drop(const std::string& path) {
    ++files;
    if (!drop_file_from_page_cache(path)) ++kept;
  }

  // What cannot be listed cannot be loaded either, and mounting says so.
  template <class Iterator>
  void drop_all_in(const std::string& folder) {
    std::error_code failed;
    Iterator each(native_path(folder), fs::directory_options::skip_permission_denied, failed);
    for (; !failed && each != Iterator() && !interrupted(); each.increment(failed)) {
      std::error_code unknown;
      if (each->is_regular_file(unknown)) drop(text_of(each->path()));
    }
  }
};

}  // namespace

void drop_from_page_cache(const tree_arguments& tree) {
  dropping all;
  for (const mount_argument& mount : tree.mounts) {
    std::error_code unknown;
    if (mount.archives_in) {
      all.drop_all_in<fs::directory_iterator>(mount.path);
    } else if (fs::is_directory(native_path(mount.path), unknown)) {
      all.drop_all_in<fs::recursive_directory_iterator>(mount.path);
    } else if (fs::is_regular_file(native_path(mount.path), unknown)) {
      all.drop(mount.path);
    }
  }
  if (all.kept * kept_shares < all.files || all.kept == 0) return;
  print_warning(fmt::format(
      "the system keeps {} of {} in its page cache, so the load is not quite cold; programs that "
      "have files open, or a file system in memory, do that",
      grouped(all.kept), counted(all.files, "file", "files")));
}

}  // namespace overture::cli

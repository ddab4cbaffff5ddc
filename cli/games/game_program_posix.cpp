// SPDX-License-Identifier: Zlib
#include <algorithm>
#include <filesystem>
#include <vector>

#include "games/game_program.hpp"
#include "games/program_head.hpp"

namespace overture::cli {

namespace {

// Whether a file has PhysicsFS in it: these texts are in no other program, and in all that have it.
bool has_physfs_inside(const std::string& path) {
  constexpr std::string_view texts[] = {"filename is illegal or insecure",
                                        "tried to modify a file the OS needs",
                                        "write directory is not set"};
  const std::vector<bool> seen = texts_in(path, texts);
  return std::all_of(seen.begin(), seen.end(), [](bool each) { return each; });
}

}  // namespace

game_look look_at_game(const std::string& program, const std::string& library_folder) {
  const program_head head = head_of(program);
  if (!head.is_elf) return {.kind = game_kind::script};
  if (!head.is_native) return {.kind = game_kind::other_kind};
  if (has_more_rights(program)) return {.kind = game_kind::privileged};
  std::vector<std::string> files;
  if (!head.loader.empty()) {
    files = listed_libraries(
        output_of({head.loader, "--list", program}, {{"LD_LIBRARY_PATH", library_folder}}));
  }
  for (const std::string& each : files) {
    if (std::filesystem::path(each).filename() == "libphysfs.so.1") {
      return {.kind = game_kind::linked, .library = each};
    }
  }
  files.insert(files.begin(), program);
  for (const std::string& each : files) {
    if (has_physfs_inside(each)) return {.kind = game_kind::contains, .inside = each};
  }
  return {.kind = game_kind::unlinked};
}

}  // namespace overture::cli

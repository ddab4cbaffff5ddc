// SPDX-License-Identifier: Zlib
//
// Builds the tree that a command's arguments describe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mounts/tree_arguments.hpp"
#include "overture/vfs/file_system.hpp"

namespace overture::cli {

// Where mounts go: over one another, as in a game, or each below a numbered folder
// ("0002/maps/rome.txt"), so that none hides another's files.
enum class mount_layout : unsigned char { merged, separate };

struct mount_time {
  mount_id mount;
  std::uint64_t ns = 0;
};

struct mounting_options {
  mount_layout layout = mount_layout::merged;
  bool removal_markers = false;
  archive_order order = archive_order::nocase;  // of --archives-in
  bool allow_bombs = false;
  std::vector<mount_time>* times = nullptr;  // gets how long each mount took
};

// What the user can do about a mount that failed, and about mounts that could not be merged.
[[nodiscard]] const char* mount_advice(const error& failure);
[[nodiscard]] const char* merge_advice(errc code);

// These print what failed and return the exit status, exit_ok if nothing did.

// Mounts the arguments in order. Tries every mount even if one fails; stops early when interrupted.
// Folders of a mount that cannot be listed are printed, but do not fail it: see status_of_mounts().
[[nodiscard]] int mount_all(file_system& files, const tree_arguments& arguments,
                            mount_layout layout = mount_layout::merged,
                            std::vector<mount_time>* times = nullptr);
[[nodiscard]] int mount_these(file_system& files, const std::vector<mount_argument>& mounts,
                              mounting_options how = {});
[[nodiscard]] int freeze_tree(file_system& files);
// mount_all() and freeze_tree().
[[nodiscard]] int build_tree(file_system& files, const tree_arguments& arguments,
                             std::vector<mount_time>* times = nullptr);

// A sentence for each folder with archives that are mounted as plain files. Of a frozen tree with
// mount_layout::separate.
[[nodiscard]] std::vector<std::string> hints_of_plain_archives(const file_system& files);

// The exit status that the mounts leave: exit_files_failed if files are missing from the tree
// because a folder could not be listed.
[[nodiscard]] int status_of_mounts(const file_system& files);

}  // namespace overture::cli

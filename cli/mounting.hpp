// Builds the tree that the arguments of a command ask for.
#pragma once

#include "overture/vfs/file_system.hpp"
#include "tree_arguments.hpp"

namespace overture::cli {

// Over one another as a game does; or each below a number of its own ("0002/maps/rome.txt"), where
// none hides another's files.
enum class placing : unsigned char { over_one_another, apart };

struct mounting_options {
  placing place = placing::over_one_another;
  bool removal_markers = false;
};

// Each of these says what failed; false then.

// Mounts the arguments in their order, then the archives of each --archives-in. Says of every mount
// that failed; stops early when interrupted.
[[nodiscard]] bool mount_all(file_system& files, const tree_arguments& arguments,
                             placing place = placing::over_one_another);
[[nodiscard]] bool mount_these(file_system& files, const std::vector<mount_argument>& mounts,
                               mounting_options how = {});
[[nodiscard]] bool freeze_tree(file_system& files);
// All of it: mounts and freezes.
[[nodiscard]] bool build_tree(file_system& files, const tree_arguments& arguments);

}  // namespace overture::cli

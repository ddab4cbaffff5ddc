// Builds the tree that the arguments of a command ask for.
#pragma once

#include "load_arguments.hpp"
#include "overture/file_system.hpp"

namespace overture::cli {

// Mounts the arguments in their order, then the archives of each --archives-in, and freezes the
// tree. Says what failed, every mount of it; false then. Stops early when interrupted.
[[nodiscard]] bool build_tree(file_system& files, const load_arguments& arguments);

}  // namespace overture::cli

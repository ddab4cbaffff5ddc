// What two sets of mods have, of which files each hides what is below, and where they meet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "overture/vfs/file_system.hpp"

namespace overture::cli {

struct compared_file {
  std::string path;
  bool overrides = false;  // the base has it; or else it is added
};

// A file that both sets have.
struct shared_file {
  std::string path;
  bool overrides = false;
  bool same = false;    // the same bytes
  std::string failure;  // it could not be read, so nobody knows
};

struct comparison {
  // What the markers of either remove from the base.
  std::vector<std::string> left_removes;
  std::vector<std::string> right_removes;

  std::vector<compared_file> left_alone;
  std::vector<compared_file> right_alone;
  std::vector<shared_file> both;
};

// All in the order of the paths. Files of both sets are read only where the archives' checksums do
// not tell.
[[nodiscard]] comparison compare_trees(file_system& base, file_system& left, file_system& right);

}  // namespace overture::cli

// SPDX-License-Identifier: Zlib
//
// Compares two sets of mods: what each adds or overrides, and where they conflict.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "overture/vfs/file_system.hpp"

namespace overture::cli {

struct compared_file {
  std::string path;
  bool overrides = false;  // false: it is new
};

// A file in both sets.
struct shared_file {
  std::string path;
  bool overrides = false;
  bool same = false;     // identical bytes
  std::string failure;   // why they could not be compared
  errc code = errc::io;  // of the failure
};

struct comparison {
  // Files of the base that each set's removal markers remove.
  std::vector<std::string> left_removes;
  std::vector<std::string> right_removes;

  std::vector<compared_file> left_alone;
  std::vector<compared_file> right_alone;
  std::vector<shared_file> both;
};

// All lists are sorted by path. Reads files only where sizes and checksums do not decide. Errors:
// out_of_memory.
[[nodiscard]] result<comparison> compare_trees(file_system& base, file_system& left,
                                               file_system& right);

}  // namespace overture::cli

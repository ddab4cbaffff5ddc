// SPDX-License-Identifier: Zlib
//
// A path in the tree that the user typed, and suggestions when it does not exist.
#pragma once

#include <optional>
#include <string>

#include "overture/vfs/file_system.hpp"

namespace overture::cli {

class path_argument {
 public:
  // If `typed` cannot be a path in a tree, prints why and valid() is false.
  path_argument(const std::string& typed, const char* help_command);
  path_argument(const path_argument&) = delete;
  path_argument& operator=(const path_argument&) = delete;

  [[nodiscard]] bool valid() const { return path_.has_value(); }
  [[nodiscard]] asset_path operator*() const { return *path_; }
  [[nodiscard]] std::string text() const { return std::string(path_->text); }
  // Prints why the path could not be read.
  void print_failure(const error& failure) const;
  // Prints that the path does not exist, and why if it was skipped, or the nearest that does.
  void print_not_found(file_system& files) const;

 private:
  path_buffer room_;
  std::optional<asset_path> path_;
};

// The path in the tree most similar to this one, element by element; empty if none is near. A
// difference in case only beats any other.
[[nodiscard]] std::string nearest_path(file_system& files, std::string_view path);

}  // namespace overture::cli

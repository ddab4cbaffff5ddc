// A path of the tree that somebody typed, and what was meant where there is none.
#pragma once

#include <optional>
#include <string>

#include "overture/vfs/file_system.hpp"

namespace overture::cli {

class asked_path {
 public:
  // Not valid, having said why, if no path of a tree can look like this.
  asked_path(const std::string& typed, const char* help_command);
  asked_path(const asked_path&) = delete;
  asked_path& operator=(const asked_path&) = delete;

  [[nodiscard]] bool valid() const { return path_.has_value(); }
  [[nodiscard]] asset_path operator*() const { return *path_; }
  [[nodiscard]] std::string text() const { return std::string(path_->text); }
  // Says that the tree has nothing of this path, with the nearest that it has.
  void complain_of_absence(file_system& files) const;

 private:
  path_buffer room_;
  std::optional<asset_path> path_;
};

// The path in the tree that is most like this one, element by element; empty if none is near.
// Letters that differ by case only are the least of differences.
[[nodiscard]] std::string nearest_path(file_system& files, std::string_view path);

}  // namespace overture::cli

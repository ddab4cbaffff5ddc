// SPDX-License-Identifier: Zlib
//
// A new folder for files that a command needs while it runs. Only its user can open it. It is
// removed at the end with its files; what a killed run leaves, the next one removes.
#pragma once

#include <optional>
#include <string>

#include "overture/base/replace_file.hpp"
#include "system/system.hpp"

namespace overture::cli {

class working_folder {
 public:
  explicit working_folder(const std::string& above);
  // In the system's folder for temporary files.
  working_folder();
  ~working_folder();
  working_folder(const working_folder&) = delete;
  working_folder& operator=(const working_folder&) = delete;

  // Why it could not be made.
  [[nodiscard]] const result<void>& failure() const { return failure_; }
  // Any name but "lock" is free in it.
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  void make(const std::string& above);

  result<void> failure_;
  os_handle above_;
  std::optional<temporary_folder> folder_;
  std::string path_;
  std::string lock_;
  std::optional<removed_at_exit> removed_path_;
  std::optional<removed_at_exit> removed_lock_;
};

}  // namespace overture::cli

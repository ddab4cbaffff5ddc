// SPDX-License-Identifier: Zlib
//
// Writes the timeline to a file.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "overture/trace/timeline.hpp"
#include "overture/vfs/file_system.hpp"

namespace overture::cli {

// The file of --trace, opened before the load so that mistakes show at once. Prints its own errors.
// "-" is standard output.
class trace_file {
 public:
  // False if the file cannot be created.
  [[nodiscard]] bool open(const std::string& path);
  [[nodiscard]] bool is_open() const { return file_ != nullptr; }
  // Writes Chrome trace JSON with the paths of files, and closes the file. Returns an exit_code.
  [[nodiscard]] int write(const timeline& record, const file_system& files);

 private:
  struct closer {
    void operator()(std::FILE* file) const { (void)std::fclose(file); }
  };

  std::string path_;
  std::unique_ptr<std::FILE, closer> file_;
};

}  // namespace overture::cli

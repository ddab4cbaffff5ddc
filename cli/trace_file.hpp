// The timeline on disk.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "overture/trace/timeline.hpp"
#include "overture/vfs/file_system.hpp"

namespace overture::cli {

// A file for --trace, opened before the work begins so that a mistake shows at once. Says itself
// what fails. "-" is standard output.
class trace_file {
 public:
  // False if the file cannot be made.
  [[nodiscard]] bool open(const std::string& path);
  [[nodiscard]] bool is_open() const { return file_ != nullptr; }
  // Writes Chrome trace JSON, subjects named by their paths, and closes the file. An exit_code.
  [[nodiscard]] int write(const timeline& record, const file_system& files);

 private:
  struct closer {
    void operator()(std::FILE* file) const { (void)std::fclose(file); }
  };

  std::string path_;
  std::unique_ptr<std::FILE, closer> file_;
};

}  // namespace overture::cli

// SPDX-License-Identifier: Zlib
//
// Writes the timeline to a file.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "overture/trace/timeline.hpp"
#include "overture/vfs/file_system.hpp"
#include "writing/output_file.hpp"

namespace overture::cli {

// What a trace begins with.
inline constexpr std::string_view trace_beginning = "{\"traceEvents\"";

// The file of --trace, opened before the load so that mistakes show at once. Prints its own errors.
// "-" is standard output. A pipe or a character device is written to as it is; a file gets its
// place once the whole trace is on the disk.
class trace_file {
 public:
  // False if the file cannot be created.
  [[nodiscard]] bool open(const std::string& path);
  [[nodiscard]] bool is_open() const { return pipe_ != nullptr || file_.is_open(); }
  // Writes Chrome trace JSON with the paths of files, and closes the file. What has got its name
  // meanwhile stays. Returns an exit_code.
  [[nodiscard]] int write(const timeline& record, const file_system& files, known_output& old);

 private:
  struct closer {
    void operator()(std::FILE* file) const { (void)std::fclose(file); }
  };

  [[nodiscard]] int finish_pipe(const result<void>& written);

  std::string path_;
  std::unique_ptr<std::FILE, closer> pipe_;
  output_file file_;
};

}  // namespace overture::cli

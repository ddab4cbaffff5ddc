// SPDX-License-Identifier: Zlib
//
// Writes files of a merged tree to a folder, on all threads of a pool.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "outputs.hpp"
#include "overture/overture.hpp"
#include "system.hpp"

namespace overture::cli {

struct extraction {
  const output_folder* to = nullptr;
  std::size_t above = 0;  // length of the prefix of each path to leave out
  bool overwrite = false;
  bool progress = false;
  std::chrono::nanoseconds file_time_max{};  // 0: no limit
};

struct extracted {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t failed = 0;
  int status = 0;                     // exit status
  int stopped_by = 0;                 // the errno that ended it, or 0
  std::vector<std::string> failures;  // one line each, sorted by path
};

// Stops early when interrupted, and when nothing more can be written. Files are whole or not there.
[[nodiscard]] extracted extract_files(file_system& files, const std::vector<std::string>& paths,
                                      const extraction& how, job_system& jobs, const outputs& out);

}  // namespace overture::cli

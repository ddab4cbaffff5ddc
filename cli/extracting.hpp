// Writes files of a merged tree into a folder, on all threads of a pool.
#pragma once

#include <string>
#include <vector>

#include "outputs.hpp"
#include "overture/overture.hpp"

namespace overture::cli {

struct extraction {
  std::string to;
  std::size_t above = 0;  // how many bytes of each path are not repeated below `to`
  bool overwrite = false;
  bool progress = false;
};

struct extracted {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t failed = 0;
  std::vector<std::string> failures;  // a sentence for each, in the order of the paths
};

// An interrupt ends it early.
[[nodiscard]] extracted extract_files(file_system& files, const std::vector<std::string>& paths,
                                      const extraction& how, job_system& jobs,
                                      const outputs& shown_on);

}  // namespace overture::cli

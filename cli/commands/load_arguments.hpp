// SPDX-License-Identifier: Zlib
//
// The arguments of `overture load`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/judgement.hpp"
#include "compare/thresholds.hpp"
#include "mounts/tree_arguments.hpp"
#include "terminal/style.hpp"

namespace overture::cli {

struct load_arguments {
  tree_arguments tree;
  unsigned threads = 0;        // 0: one per processor
  unsigned io_threads = 0;     // 0: chosen by the read queue
  std::string io = "threads";  // or "uring"
  std::uint64_t budget_mib = 256;
  std::uint64_t file_seconds_max = 0;  // 0: no limit
  bool no_decode = false;
  bool keep = false;
  bool strict = false;
  std::vector<std::string> exclude;  // globs
  std::string recorded;              // a file name, empty for none
  std::string record;                // likewise
  bool cold = false;
  unsigned repeat = 0;   // 0: once, or ten times with --against
  std::string against;   // a file name, empty for none
  tree_arguments other;  // the mounts in it
  std::string baseline;  // a file name, empty for none
  unsigned tolerance_percent = tolerance_percent_usual;
  std::vector<threshold> most;
  std::string trace;  // a file name, "-" for standard output, empty for none
  std::string html;   // a file name, empty for none
  bool json = false;
  bool quiet = false;
  when progress = when::automatic;
  when colour = when::automatic;
};

// The mounts that a file of --against lists: a MOUNT or an option of the mounts with its value on
// each line, such as "--mount-point gfx"; '#' begins a comment. A folder or an archive is the one
// mount. Fills `into`. Prints what is wrong if that fails; returns an exit code.
[[nodiscard]] int read_mounts(const std::string& path, tree_arguments& into);

// Fills `into`. Returns an exit code if the command is over: help was printed, or an error.
[[nodiscard]] std::optional<int> parse_load(const std::vector<std::string>& arguments,
                                            load_arguments& into);

}  // namespace overture::cli

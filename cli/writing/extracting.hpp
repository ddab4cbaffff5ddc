// SPDX-License-Identifier: Zlib
//
// Writes files of a merged tree to a folder, on all threads of a pool.
#pragma once

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "mounts/tree_arguments.hpp"
#include "overture/overture.hpp"
#include "terminal/outputs.hpp"
#include "writing/output_folder.hpp"
#include "writing/source_file.hpp"

namespace overture::cli {

struct extraction {
  output_folder* to = nullptr;
  const mounted_archives* archives = nullptr;
  std::string to_path;               // of the system
  std::size_t above = 0;             // length of the prefix of each path to leave out
  placing how = placing::new_files;  // at_end: all files get their names, or none
  std::map<std::string, file_state> replaced = {};  // by path: what check_replacing() has found
  std::set<std::string> in_place = {};              // paths that are read from where they would go
  bool resume = false;                              // leave files that are there and whole
  bool progress = false;
  std::chrono::nanoseconds file_time_max{};  // 0: no limit
};

struct extracted {
  std::uint64_t files = 0;     // written
  std::uint64_t whole = 0;     // were there already
  std::uint64_t in_place = 0;  // are read from where they would go
  std::uint64_t bytes = 0;
  std::uint64_t failed = 0;
  int status = 0;                     // exit status
  int stopped_by = 0;                 // the errno that ended it, or 0
  bool has_names = true;              // false: with placing::at_end none was replaced
  bool is_unsynced = false;           // the disk failed when all was written: it may lack any
  std::string changed_archive;        // one that another program changed meanwhile; none replaced
  bool is_mixed = false;              // and yet some are, because the disk failed
  std::vector<std::string> old;       // where the content of replaced files is, one line each
  std::uint64_t sync_ns = 0;          // until all was on the disk
  std::vector<std::string> failures;  // one line each, sorted by path
};

// Stops early when interrupted, and when nothing more can be written. Files are whole or not there;
// with placing::at_end none is written unless all are.
[[nodiscard]] extracted extract_files(file_system& files, const std::vector<std::string>& paths,
                                      const extraction& how, job_system& jobs, const outputs& out);

// Whether these may replace files that are there: sets how they are to be placed, or prints why not
// (one is an input that another path reads). Returns the exit status.
[[nodiscard]] int check_replacing(const tree_arguments& tree, file_system& files,
                                  const std::vector<std::string>& paths, extraction& how);

}  // namespace overture::cli

// SPDX-License-Identifier: Zlib
//
// Packs files of a frozen tree into one ZIP, on all threads of a pool.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "overture/overture.hpp"
#include "terminal/outputs.hpp"

namespace overture::cli {

struct packing {
  compression method = compression::deflate;  // or zstd
  bool progress = false;
};

struct packed_tree {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;  // unpacked
  std::uint64_t archive_bytes = 0;
  std::uint64_t mounts_bytes = 0;    // archives as they are, and the winning files of folders
  std::uint64_t repeated = 0;        // files equal to one before them
  std::uint64_t repeated_bytes = 0;  // that they take in the archive
  std::uint64_t failed = 0;
  bool lacked_room = false;           // some failed for want of memory or descriptors
  int status = 0;                     // exit status for those that failed
  std::vector<std::string> failures;  // one line each
};

// Writes the files to `file` in their order. Those that cannot be read are left out. What is
// written depends on the files alone, not on the threads. Errors: cancelled (an interrupt), those
// of writing. Takes memory for about 64 MiB of files and as much again for what they pack to; for
// more only if one larger file cannot be read in pieces.
[[nodiscard]] result<packed_tree> pack_files(file_system& files,
                                             const std::vector<entry_index>& order,
                                             const packing& how, job_system& jobs,
                                             const outputs& out, os_handle file);

}  // namespace overture::cli

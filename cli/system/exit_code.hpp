// SPDX-License-Identifier: Zlib
//
// The exit status of the command.
#pragma once

#include "overture/base/error.hpp"

namespace overture::cli {

enum exit_code : int {
  exit_ok = 0,
  exit_files_failed = 1,   // some files failed
  exit_usage = 2,          // invalid arguments
  exit_mount_failed = 3,   // a mount could not be opened, or the mounts not merged
  exit_slower = 4,         // than the baseline
  exit_output_failed = 5,  // output could not be written, or another error outside the files
  exit_interrupted = 130,  // Ctrl-C: 128 + SIGINT, as in shells
};

// The exit status for an error of a file or a mount: `otherwise`, unless there was no memory, which
// is not the file's fault. Of several the largest counts.
[[nodiscard]] constexpr int exit_for(errc code, int otherwise) {
  return code == errc::out_of_memory ? exit_output_failed : otherwise;
}

}  // namespace overture::cli

// What the command tells its caller.
#pragma once

namespace overture::cli {

enum exit_code : int {
  exit_ok = 0,
  exit_files_failed = 1,   // some files did not load
  exit_usage = 2,          // the arguments make no sense
  exit_mount_failed = 3,   // a folder or archive could not be opened, or the tree not be merged
  exit_output_failed = 5,  // output could not be written, or no memory to begin with
  exit_interrupted = 130,  // Ctrl-C: 128 + SIGINT, as shells say it
};

}  // namespace overture::cli

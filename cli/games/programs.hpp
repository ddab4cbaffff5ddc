// SPDX-License-Identifier: Zlib
//
// Other programs that the command runs.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace overture::cli {

// Variables that a program gets beside those of this process.
using program_environment = std::vector<std::pair<std::string, std::string>>;

// Finds a program by its path, or by its name in PATH. Returns its real path; empty if not found.
[[nodiscard]] std::string find_program(const std::string& name);

// The folder of libphysfs.so.1: OVERTURE_PHYSFS, or where it is installed or built beside this
// command. Empty if it is not there.
[[nodiscard]] std::string physfs_folder();

struct program_end {
  bool started = false;
  int status = 0;                // as in shells: 128 + the signal that ended it
  bool was_ended = false;        // because `should_end` said so
  bool was_interrupted = false;  // this process got Ctrl-C, SIGTERM or SIGHUP meanwhile
  std::string why;               // it was not started
};
// Runs it to its end. Ctrl-C is the program's meanwhile.
[[nodiscard]] program_end run_program(const std::vector<std::string>& words,
                                      const program_environment& environment);

// A program that is looked at while it runs.
struct program_observer {
  // Asked every few milliseconds. When it says so, the program gets SIGTERM, and SIGKILL if it
  // stays.
  std::function<bool()> should_end;
};
// The same; the SIGTERM and SIGHUP of this process go to the program, too.
[[nodiscard]] program_end run_program(const std::vector<std::string>& words,
                                      const program_environment& environment,
                                      const program_observer& observer);
// Waits until no process holds a lock (flock) on a file, or for Ctrl-C. Calls `waits` if it does.
void wait_until_unlocked(const std::string& path, const std::function<void()>& waits);
// What it writes to standard output; its errors are not shown.
[[nodiscard]] std::string output_of(const std::vector<std::string>& words,
                                    const program_environment& environment);
// Replaces this process. Returns, with the reason, only if that fails.
[[nodiscard]] std::string become_program(const std::vector<std::string>& words,
                                         const program_environment& environment);

}  // namespace overture::cli

// SPDX-License-Identifier: Zlib
//
// Standard error for the report of a whole program.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>

namespace overture {

// Standard error as it was at program start. Many programs (all of coreutils) close it before they
// exit, to check that everything was written.
class early_standard_error {
 public:
  void keep() noexcept {
    // Above the descriptors that shell scripts use.
    file_ = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 100);
    if (file_ >= 0 && fstat(file_, &was_) != 0) file_ = -1;
  }
  void write(const char* text, std::size_t bytes) const noexcept {
    // A program that closes all descriptors may have reused this one.
    struct stat is{};
    if (file_ < 0 || fstat(file_, &is) != 0) return;
    if (is.st_dev != was_.st_dev || is.st_ino != was_.st_ino) return;
    // A failure cannot be reported anywhere.
    [[maybe_unused]] const ssize_t written = ::write(file_, text, bytes);
  }

 private:
  int file_ = -1;
  struct stat was_{};
};

}  // namespace overture

// SPDX-License-Identifier: Zlib
//
// An open file of a POSIX system.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace overture::cli {

// A descriptor that closes itself.
class descriptor_of {
 public:
  explicit descriptor_of(int file) : file_(file) {}
  ~descriptor_of() { (void)close(); }
  descriptor_of(const descriptor_of&) = delete;
  descriptor_of& operator=(const descriptor_of&) = delete;
  descriptor_of& operator=(int file) {
    (void)close();
    file_ = file;
    return *this;
  }
  [[nodiscard]] int get() const { return file_; }
  // It is the caller's to close.
  [[nodiscard]] int release() { return std::exchange(file_, -1); }
  // Returns 0 or the errno.
  int close() {
    const int file = std::exchange(file_, -1);
    return file >= 0 && ::close(file) != 0 ? errno : 0;
  }

 private:
  int file_;
};

}  // namespace overture::cli

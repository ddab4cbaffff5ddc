// SPDX-License-Identifier: Zlib
//
// A manual-reset event of the kernel: each call is one system call. Platform by file.
#pragma once

#include <cstdint>

namespace bench {

class kernel_event {
 public:
  static const char* const name;       // in tables
  static const char* const mechanism;  // in the names of goals
  kernel_event();
  ~kernel_event();
  kernel_event(const kernel_event&) = delete;
  kernel_event& operator=(const kernel_event&) = delete;

  [[nodiscard]] bool is_lowered() const;
  void lower(unsigned waiters) const;
  void raise() const;
  void wait() const;

 private:
  std::intptr_t handle_;
};

}  // namespace bench

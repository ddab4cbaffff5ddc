// SPDX-License-Identifier: Zlib
//
// The lock of fake_os.
#pragma once

#include "overture/base/thread.hpp"
#include "support/fake_os.hpp"

namespace overture::test {

// A spin lock, held for a few look-ups or one copy.
class fake_os::lock {
 public:
  explicit lock(const fake_os& os) : locked_(os.locked_) {
    while (locked_.exchange(true, std::memory_order_acquire)) yield_thread();
  }
  ~lock() { locked_.store(false, std::memory_order_release); }
  lock(const lock&) = delete;
  lock& operator=(const lock&) = delete;

 private:
  atomic<bool>& locked_;
};

}  // namespace overture::test

// SPDX-License-Identifier: Zlib
//
// What wakes the thread that sleeps in its ring: it reads this event as it reads files.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

namespace overture::io_detail {

class wake_event {
 public:
  wake_event() = default;
  wake_event(const wake_event&) = delete;
  wake_event& operator=(const wake_event&) = delete;
  ~wake_event() {
    if (descriptor_ >= 0) (void)::close(descriptor_);
  }
  // False if the system refuses. A read of the descriptor gives 8 bytes, once it was set.
  [[nodiscard]] bool open() noexcept {
    descriptor_ = eventfd(0, EFD_CLOEXEC);
    return descriptor_ >= 0;
  }
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  // Any thread.
  void set() noexcept {
    const std::uint64_t one = 1;
    // It can only fail if the counter is full, and then the ring's thread is being woken already.
    [[maybe_unused]] const ssize_t written = ::write(descriptor_, &one, sizeof one);
  }

 private:
  int descriptor_ = -1;
};

}  // namespace overture::io_detail

// SPDX-License-Identifier: Zlib
//
// As far as Linux has such an event.
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <stdexcept>

#include "kernel_event.hpp"

namespace bench {
namespace {

int poll_for(std::intptr_t handle, int timeout_ms) {
  pollfd polled{static_cast<int>(handle), POLLIN, 0};
  return poll(&polled, 1, timeout_ms);
}

}  // namespace

const char* const kernel_event::name = "eventfd + poll";
const char* const kernel_event::mechanism = "eventfd";

kernel_event::kernel_event() : handle_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (handle_ < 0) throw std::runtime_error("cannot create an eventfd");
}

kernel_event::~kernel_event() {
  close(static_cast<int>(handle_));
}

bool kernel_event::is_lowered() const {
  return poll_for(handle_, 0) == 1;
}

void kernel_event::lower(unsigned /*waiters*/) const {
  const std::uint64_t one = 1;
  if (write(static_cast<int>(handle_), &one, sizeof one) != sizeof one) {
    throw std::runtime_error("eventfd");
  }
}

void kernel_event::raise() const {
  std::uint64_t value = 0;
  [[maybe_unused]] const ssize_t got = read(static_cast<int>(handle_), &value, sizeof value);
}

void kernel_event::wait() const {
  while (poll_for(handle_, -1) != 1) {
  }
}

}  // namespace bench

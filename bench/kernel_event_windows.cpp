// SPDX-License-Identifier: Zlib
#include <windows.h>

#include <stdexcept>

#include "kernel_event.hpp"

namespace bench {
namespace {

HANDLE event_of(std::intptr_t handle) {
  return reinterpret_cast<HANDLE>(handle);
}

}  // namespace

const char* const kernel_event::name = "SetEvent + WaitForSingleObject";
const char* const kernel_event::mechanism = "SetEvent";

kernel_event::kernel_event()
    : handle_(reinterpret_cast<std::intptr_t>(CreateEventW(nullptr, TRUE, FALSE, nullptr))) {
  if (handle_ == 0) throw std::runtime_error("cannot create an event");
}

kernel_event::~kernel_event() {
  CloseHandle(event_of(handle_));
}

bool kernel_event::is_lowered() const {
  return WaitForSingleObject(event_of(handle_), 0) == WAIT_OBJECT_0;
}

void kernel_event::lower(unsigned /*waiters*/) const {
  SetEvent(event_of(handle_));
}

void kernel_event::raise() const {
  ResetEvent(event_of(handle_));
}

void kernel_event::wait() const {
  while (WaitForSingleObject(event_of(handle_), INFINITE) != WAIT_OBJECT_0) {
  }
}

}  // namespace bench

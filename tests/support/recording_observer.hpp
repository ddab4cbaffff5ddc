// Counts the waits of the thread that makes it, and keeps the last reason.
#pragma once

#include "overture/wait_observer.hpp"

namespace overture::test {

class recording_observer final : public wait_observer {
 public:
  recording_observer() : previous_(set_wait_observer(this)) {}
  ~recording_observer() override { set_wait_observer(previous_); }
  recording_observer(const recording_observer&) = delete;
  recording_observer& operator=(const recording_observer&) = delete;

  void wait_begins(const char* reason) noexcept override {
    ++begun;
    last_reason = reason;
  }
  void wait_ends() noexcept override { ++ended; }

  int begun = 0;
  int ended = 0;
  const char* last_reason = "";

 private:
  wait_observer* previous_;
};

}  // namespace overture::test

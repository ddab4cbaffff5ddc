// SPDX-License-Identifier: Zlib
//
// Counts the waits of the thread that created it and keeps the last reason. Any thread may read.
#pragma once

#include "overture/base/atomic.hpp"
#include "overture/sync/wait_observer.hpp"

namespace overture::test {

class recording_observer final : public wait_observer {
 public:
  recording_observer() : previous_(set_wait_observer(this)) {}
  ~recording_observer() override { set_wait_observer(previous_); }
  recording_observer(const recording_observer&) = delete;
  recording_observer& operator=(const recording_observer&) = delete;

  void wait_begins(const char* reason) noexcept override {
    last_reason.store(reason);
    begun.fetch_add(1);
  }
  void wait_ends() noexcept override { ended.fetch_add(1); }

  atomic<int> begun{0};
  atomic<int> ended{0};
  atomic<const char*> last_reason{""};

 private:
  wait_observer* previous_;
};

}  // namespace overture::test

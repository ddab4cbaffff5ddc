// SPDX-License-Identifier: Zlib
//
// room_turn: work that takes room in a ledger and, where it is refused, goes on in a job when there
// is some.
#pragma once

#include "overture/base/atomic.hpp"
#include "overture/base/executor.hpp"
#include "overture/sync/memory_ledger.hpp"

namespace overture::load_detail {

// Two threads that come once each, in any order: the second goes on, and the first touches nothing
// any more.
class meeting {
 public:
  void begin() noexcept { came_.store(0, std::memory_order_relaxed); }
  [[nodiscard]] bool is_second() noexcept {
    return came_.exchange(1, std::memory_order_acq_rel) == 1;
  }

 private:
  atomic<std::uint32_t> came_{0};
};

class room_turn : private room_waiter {
 protected:
  ~room_turn() = default;

  // Takes room. False: refused.
  [[nodiscard]] virtual bool try_room() noexcept = 0;
  // try_room() has succeeded. Called once, within take_room() or in a job.
  virtual void has_room() noexcept = 0;
  // Runs the task in a job; may be gone when that has begun.
  virtual void run_later(task work) noexcept = 0;

  // The object may be gone when this returns.
  void take_room(memory_ledger& from) noexcept {
    ledger_ = &from;
    for (;;) {
      if (try_room()) return has_room();
      meeting_.begin();
      from.wait(*this);
      taken_ = try_room();
      if (taken_ && from.stop_waiting(*this)) return has_room();
      // room_made() was called, or will be.
      if (!meeting_.is_second()) return;
      if (taken_) return has_room();
    }
  }

 private:
  void room_made() noexcept final {
    if (!meeting_.is_second()) return;
    run_later({[](void* context) {
                 auto& self = *static_cast<room_turn*>(context);
                 self.taken_ ? self.has_room() : self.take_room(*self.ledger_);
               },
               this});
  }

  memory_ledger* ledger_ = nullptr;
  bool taken_ = false;
  meeting meeting_;
};

}  // namespace overture::load_detail

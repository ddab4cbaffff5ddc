// SPDX-License-Identifier: Zlib
//
// one_at_a_time: jobs of a stream may overlap, but only one of them decodes. A job that finds
// another at work leaves it to that one, which looks once more after it has let go.
#pragma once

#include "overture/base/atomic.hpp"

namespace overture::sounds_detail {

class one_at_a_time {
 public:
  // Calls turn() as long as wanted() is true. What was written before the call is visible to the
  // wanted() of whoever does the work. Any thread.
  template <class Wanted, class Turn>
  void run(Wanted&& wanted, Turn&& turn) noexcept {
    do {
      if (busy_.exchange(true, std::memory_order_acq_rel)) return;
      while (wanted()) turn();
      // An exchange, to see what the jobs wrote that were turned away.
      (void)busy_.exchange(false, std::memory_order_acq_rel);
    } while (wanted());
  }

 private:
  atomic<bool> busy_{false};
};

}  // namespace overture::sounds_detail

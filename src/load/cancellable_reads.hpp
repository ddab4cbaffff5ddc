// Reads that end when they are cancelled, even those submitted at that very moment.
//
// A queue that is suspended keeps what it has. A loader may look whether the load is cancelled just
// before that happens, and submit just after cancel_tag() has passed: that read would never end.
// So a submitter looks once more after it has submitted. Both sides change the same word: either
// the submitter's change comes first and cancel() finds its read in the queue, or it sees the mark
// and cancels the read itself.
#pragma once

#include <cstdint>

#include "overture/base/atomic.hpp"
#include "overture/io/read_queue.hpp"

namespace overture::load_detail {

class cancellable_reads {
 public:
  [[nodiscard]] bool cancelled() const noexcept {
    return cancelled_.load(std::memory_order_seq_cst) != 0;
  }
  // The request may be gone when this returns; the caller keeps this object alive. `queue`: a
  // read_queue, or its core.
  template <class Queue>
  void submit(Queue& queue, read_request& request) noexcept {
    request.tag = tag();
    queue.submit({&request, 1});
    if (cancelled_.fetch_add(0, std::memory_order_acq_rel) != 0) cancel_in(queue);
  }
  template <class Queue>
  void cancel(Queue& queue) noexcept {
    cancelled_.exchange(1, std::memory_order_seq_cst);  // before the caller looks at what waits
    cancel_in(queue);
  }

 private:
  [[nodiscard]] std::uint64_t tag() const noexcept {
    return reinterpret_cast<std::uintptr_t>(this);
  }
  template <class Queue>
  void cancel_in(Queue& queue) noexcept {
    (void)queue.cancel_tag(~std::uint64_t{0}, tag());
  }

  atomic<std::uint32_t> cancelled_{0};
};

}  // namespace overture::load_detail

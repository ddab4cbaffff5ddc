// SPDX-License-Identifier: Zlib
//
// Which of the host's threads a worker takes jobs from.
//
// What was in a thread's queue when the worker came to it is older than what others have submitted
// since, so it goes first: reads that complete meanwhile do not hold up the jobs of a frame. A
// worker that is awake comes when only the first job of many is there, so the turn is extended
// once, to what is there when those are done. Then it is the next thread's turn, whatever the first
// one has added.
#pragma once

#include <cstdint>
#include <utility>

#include "jobs/queues/job_deque.hpp"

namespace overture::jobs_detail {

// Belongs to one worker. Slots are given by their number.
class submitter_rotation {
 public:
  // The slot to look into first, the ones after it follow; `any` if no thread has the turn.
  [[nodiscard]] unsigned first(unsigned slots, unsigned any) noexcept {
    if (queue_ == nullptr) return any;
    if (left() != 0) return slot_;
    if (!std::exchange(was_extended_, true)) {
      end_ = queue_->bottom();
      if (left() != 0) return slot_;
    }
    queue_ = nullptr;
    return (slot_ + 1) % slots;
  }
  // The worker has taken a job from this guest's queue.
  void took_from(unsigned slot, const job_deque& queue) noexcept {
    if (queue_ == &queue) return;
    slot_ = slot;
    queue_ = &queue;
    was_extended_ = false;
    end_ = queue.bottom();
  }
  // How many jobs the turn still has, in the queue that the worker has taken from last.
  [[nodiscard]] std::uint64_t left() const noexcept {
    const std::uint64_t oldest = queue_->oldest();
    return oldest < end_ ? end_ - oldest : 0;
  }

 private:
  unsigned slot_ = 0;
  const job_deque* queue_ = nullptr;  // null: it is no thread's turn
  bool was_extended_ = false;
  std::uint64_t end_ = 0;  // of what was there
};

}  // namespace overture::jobs_detail

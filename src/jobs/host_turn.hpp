// Which of the host's threads a worker takes jobs from.
//
// What lay in a thread's queue when the worker came to it was there before what others have
// submitted since, so it goes first: the jobs of a frame are not held up by reads that complete
// meanwhile. A worker that is awake comes when only the first of them lie there, so the turn goes
// on once, with what lies there when those are done. Then it is the next thread's, whatever the
// first one has added.
#pragma once

#include <cstdint>
#include <utility>

#include "jobs/job_deque.hpp"

namespace overture {

// Of one worker. Places are meant by their number.
class host_turn {
 public:
  // The place to look into first, those behind it follow; `any` if it is nobody's turn.
  [[nodiscard]] unsigned first(unsigned places, unsigned any) noexcept {
    if (lane_ == nullptr) return any;
    if (left() != 0) return place_;
    if (!std::exchange(went_on_, true)) {
      end_ = lane_->bottom();
      if (left() != 0) return place_;
    }
    lane_ = nullptr;
    return (place_ + 1) % places;
  }
  // The worker has taken a job from the queue of this place, which is a thread of the host's.
  void took_from(unsigned place, const job_deque& lane) noexcept {
    if (lane_ == &lane) return;
    place_ = place;
    lane_ = &lane;
    went_on_ = false;
    end_ = lane.bottom();
  }
  // How many jobs it is still the turn of, in the queue that the worker has taken from last.
  [[nodiscard]] std::uint64_t left() const noexcept {
    const std::uint64_t oldest = lane_->oldest();
    return oldest < end_ ? end_ - oldest : 0;
  }

 private:
  unsigned place_ = 0;
  const job_deque* lane_ = nullptr;  // null: it is nobody's turn
  bool went_on_ = false;
  std::uint64_t end_ = 0;  // of what lay there
};

}  // namespace overture

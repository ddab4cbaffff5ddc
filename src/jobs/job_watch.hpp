// The record that a thread of the host is about to use for its next job, watched by a worker
// between two looks at the queues.
//
// A job that is pushed moves three cache lines one after the other: the end of the queue, the hint,
// the record. Who watches the record needs that one alone. It may be claimed there as anywhere; the
// hint, which is pushed a moment later, is one more that nobody needs.
#pragma once

#include <cstdint>
#include <utility>

#include "jobs/job_deque.hpp"

namespace overture {

// Of one worker.
class job_watch {
 public:
  // From here on: the next job of this queue, from which the worker has just taken one.
  void follow(job_deque& lane) noexcept { lane_ = &lane; }
  // Behind a look that has found nothing. What lies in the queue by now comes before what will be
  // pushed, so there is nothing to watch then.
  void begin() noexcept {
    expected_ = lane_ != nullptr ? lane_->expected() : nullptr;
    if (expected_ == nullptr) return;
    free_state_ = expected_->state.load(std::memory_order_acquire);
    if ((free_state_ & job_record::flags) != 0 || !lane_->empty()) expected_ = nullptr;
  }
  [[nodiscard]] bool has_come() const noexcept {
    return expected_ != nullptr && expected_->is_queued_since(free_state_);
  }
  // The record, claimed, if the job has come and nobody else was faster. Ends the watch.
  [[nodiscard]] job_record* take() noexcept {
    job_record* const seen = std::exchange(expected_, nullptr);
    if (seen == nullptr || !seen->claim_since(free_state_)) return nullptr;
    return seen;
  }
  // Takes the hint of a record that the worker has claimed off the queue, if it is there by now, so
  // that no other worker is woken for it. Before the job runs.
  void drop_hint(const job_record& claimed) noexcept {
    if (lane_ != nullptr) lane_->drop_oldest(claimed);
  }

 private:
  job_deque* lane_ = nullptr;
  job_record* expected_ = nullptr;
  std::uint32_t free_state_ = 0;
};

}  // namespace overture

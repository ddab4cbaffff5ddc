#include "overture/jobs/blocking_scope.hpp"

#include "jobs/pool_state.hpp"

namespace overture {

blocking_scope::blocking_scope() noexcept {
  pool_place* place = this_thread_jobs().place;
  // Inside a parallel call on another pool its own place lies below the borrowed one.
  while (place != nullptr && place->number >= place->pool->workers_made) place = place->lender;
  if (place == nullptr || place->is_blocked) return;
  blocked_ = place;
  place->is_blocked = true;
  place->pool->worker_blocks();
}

blocking_scope::~blocking_scope() {
  if (blocked_ == nullptr) return;
  blocked_->is_blocked = false;
  blocked_->pool->worker_goes_on();
}

void pool_state::worker_blocks() noexcept {
  const std::uint32_t spare = blocked_now.fetch_add(1, std::memory_order_seq_cst);
  if (spare < spares_made) places[workers_made - spares_made + spare].rest.unpark();
}

void pool_state::worker_goes_on() noexcept {
  const std::uint32_t spare = blocked_now.fetch_sub(1, std::memory_order_seq_cst) - 1;
  if (spare >= spares_made) return;
  // If it sleeps among the workers it would be woken for a job that is theirs.
  const unsigned seat = workers_made - spares_made + spare;
  if (sleepers.is_parked(seat)) sleepers.wake_worker(seat, true);
}

bool pool_state::is_needed(const pool_place& self) const noexcept {
  const unsigned workers = workers_made - spares_made;
  return self.number < workers ||
         self.number - workers < blocked_now.load(std::memory_order_seq_cst);
}

void pool_state::work_in_turns(pool_place& self) noexcept {
  while (!stopping.load(std::memory_order_seq_cst)) {
    if (is_needed(self)) {
      work(self);
    } else {
      self.rest.park({.reason = wait_reasons::no_job, .spin = spin_policy::none()});
    }
  }
}

}  // namespace overture

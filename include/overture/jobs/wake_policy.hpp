// What workers without work do, and what that costs.
//
//   thread_pool jobs{{.workers = 7, .wake = wake_policy::park}};
//   jobs.set_wake_policy(wake_policy::warm);             // any time, any thread
//   { wake_zone loading(jobs, wake_policy::warm); ... }  // for a part of the program
//   { hot_zone burst(jobs); ... }                        // nobody parks inside
//
//   park   A worker without work looks for about as long as a wake takes, then sleeps; a little
//          longer where jobs come in close succession. Where they come in a short rhythm it is back
//          shortly before the next one (thread_pool_config::follows_rhythm). A submit to a sleeping
//          pool costs one wake, whatever the number of workers.
//   warm   One worker stays awake and looks, for a budget of time after its last job; the others
//          sleep. A submit is one store that it sees; it wakes others if there is more than it can
//          take.
//   spin   Every worker looks for ever. A submit is one store.
//
// In none of them does a submit wake more than one worker: who is woken wakes the next. `spin` is
// for those who own the machine: it takes all of every core, and slows down everybody else who
// runs.
#pragma once

#include <cstdint>

#include "overture/jobs/wake_profile.hpp"

namespace overture {

class thread_pool;

enum class wake_policy : std::uint8_t { park, warm, spin };

// The policy of the pool for as long as one of these lives; where several overlap the one that
// sleeps least holds, whatever the pool's own is. Entering wakes one sleeping worker at most, and
// leaving none. At most 65,535 at once for each policy. Any thread may make and end one.
class wake_zone {
 public:
  wake_zone(thread_pool& pool, wake_policy policy) noexcept;
  ~wake_zone();
  wake_zone(const wake_zone&) = delete;
  wake_zone& operator=(const wake_zone&) = delete;

  // What waking has cost in the whole pool since the zone began. Any thread.
  [[nodiscard]] wake_profile profile() const noexcept;

 private:
  thread_pool& pool_;
  wake_policy policy_;
  wake_profile before_;
};

// Workers do not park while one of these lives; those that sleep wake each other when it begins.
class hot_zone : public wake_zone {
 public:
  explicit hot_zone(thread_pool& pool) noexcept : wake_zone(pool, wake_policy::spin) {}
};

}  // namespace overture

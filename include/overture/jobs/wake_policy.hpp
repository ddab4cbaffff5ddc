// SPDX-License-Identifier: Zlib
//
// What workers without work do, and what that costs.
//
//   thread_pool jobs{{.workers = 7, .wake = wake_policy::park}};
//   jobs.set_wake_policy(wake_policy::warm);             // any time, any thread
//   { wake_zone loading(jobs, wake_policy::warm); ... }  // for a part of the program
//   { hot_zone burst(jobs); ... }                        // no worker sleeps inside
//
//   park   A worker without work looks for some for a moment, then sleeps; it looks longer where
//          jobs follow each other closely. A submit to a sleeping pool costs one wake, whatever the
//          number of workers.
//   warm   One worker stays awake and looks for work, for a budget of time after its last job; the
//          others sleep. A submit is one store that this worker sees.
//   spin   All workers look for work until the policy changes. A submit is one store.
//
// Under every policy a submit wakes at most one worker; the woken worker wakes the next. `spin` is
// for programs that own the machine: it keeps all cores busy and slows down everything else.
#pragma once

#include <cstdint>

#include "overture/base/api.hpp"
#include "overture/jobs/wake_profile.hpp"

namespace overture {

class thread_pool;

enum class wake_policy : std::uint8_t { park, warm, spin };

// Sets the policy of a pool while it lives, whatever the pool's own policy is. If several overlap,
// the one that sleeps least wins. Entering wakes at most one sleeping worker, leaving wakes none.
// At most 65,535 at once for each policy. Any thread may make one, and any thread may end it.
class OVERTURE_API wake_zone {
 public:
  wake_zone(thread_pool& pool, wake_policy policy) noexcept;
  ~wake_zone();
  wake_zone(const wake_zone&) = delete;
  wake_zone& operator=(const wake_zone&) = delete;

  // What wakes have cost in the whole pool since the zone began. Any thread.
  [[nodiscard]] wake_profile profile() const noexcept;

 private:
  thread_pool& pool_;
  wake_policy policy_;
  wake_profile before_;
};

// Keeps all workers awake while it lives; sleeping ones wake each other when it begins.
class hot_zone : public wake_zone {
 public:
  explicit hot_zone(thread_pool& pool) noexcept : wake_zone(pool, wake_policy::spin) {}
};

}  // namespace overture

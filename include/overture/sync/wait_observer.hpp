// SPDX-License-Identifier: Zlib
//
// Observes every blocking wait of a thread: when it begins, when it ends, and why. And which thread
// has woken which: both name the place where the other slept.
//
// Each thread has its own observers; timeline installs one when a thread attaches. Only slow paths
// call them: a wait whose condition is already true is not observed, and neither is a wake where
// no thread sleeps.
#pragma once

#include <cstdint>
#include <utility>

#include "overture/base/api.hpp"

namespace overture {

class wait_observer {
 public:
  virtual ~wait_observer() = default;
  // Called on the waiting thread just before it blocks. `reason` is a literal, such as "barricade".
  virtual void wait_begins(const char* reason) noexcept = 0;
  // Called on the same thread before the wait ends, if the reason changed while it lasted: `ns` of
  // it were for this one. What is not reported was for the reason it began with.
  virtual void wait_was_for(const char* reason, std::uint64_t ns) noexcept {
    if (next != nullptr) next->wait_was_for(reason, ns);
  }
  // Called on the same thread as soon as it runs again. Waits do not nest.
  virtual void wait_ends() noexcept = 0;
  // Called on the waiting thread each time before it sleeps, as it may several times in one wait.
  // `place` only tells apart what threads sleep on; something else may lie there later.
  virtual void sleeps_at(const void* place) noexcept {
    if (next != nullptr) next->sleeps_at(place);
  }
  // Called on a thread just before it wakes one or all of those that sleep at `place`, if any do.
  virtual void wakes(const void* place) noexcept {
    if (next != nullptr) next->wakes(place);
  }

  // The thread's previous observer, to which this one forwards its calls. A public link, so that
  // remove_wait_observer() can take out an observer in the middle.
  wait_observer* next = nullptr;
};

// Sets the calling thread's observer (null = none) and returns the previous one.
OVERTURE_API wait_observer* set_wait_observer(wait_observer* observer) noexcept;
// The calling thread's observer, or null.
[[nodiscard]] OVERTURE_API wait_observer* current_wait_observer() noexcept;
// Removes an observer from the calling thread's chain, if it is in it; the others stay.
OVERTURE_API void remove_wait_observer(wait_observer& gone) noexcept;

// The reasons that Overture reports. The load report attributes idle time by them.
namespace wait_reasons {
inline constexpr const char* barricade = "barricade";
inline constexpr const char* countdown = "countdown";
inline constexpr const char* event_count = "event count";
inline constexpr const char* future = "future";
inline constexpr const char* parked = "parked";
inline constexpr const char* lock = "lock";
inline constexpr const char* no_job = "no job";
inline constexpr const char* group = "group";
inline constexpr const char* no_request = "no request";
inline constexpr const char* drain = "drain";
inline constexpr const char* handle = "handle";
// Another thread unpacks the solid block of an archive that this one reads from.
inline constexpr const char* solid_block = "solid block";
}  // namespace wait_reasons

// Reports one wait, from its construction to its destruction.
class observed_wait {
 public:
  explicit observed_wait(const char* reason) noexcept : observer_(current_wait_observer()) {
    if (observer_) observer_->wait_begins(reason);
  }
  ~observed_wait() {
    if (observer_) observer_->wait_ends();
  }
  observed_wait(const observed_wait&) = delete;
  observed_wait& operator=(const observed_wait&) = delete;

 private:
  wait_observer* observer_;
};

}  // namespace overture

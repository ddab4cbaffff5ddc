// Hears of every blocking wait of a thread: when it begins, when it ends, and why.
//
// The observer belongs to a thread; a timeline installs its own when a thread is attached. Only
// slow paths call it: a wait that finds its condition true never does.
#pragma once

#include <utility>

namespace overture {

class wait_observer {
 public:
  virtual ~wait_observer() = default;
  // Called on the waiting thread just before it blocks. `reason` is a literal ("barricade", ...).
  virtual void wait_begins(const char* reason) noexcept = 0;
  // Called on the same thread as soon as it runs again. Waits do not nest.
  virtual void wait_ends() noexcept = 0;

  // The one that the thread had before, for who passes on to it. Kept here, so that one that lies
  // between two others can go.
  wait_observer* next = nullptr;
};

// Sets the calling thread's observer (null for none) and returns the one before.
wait_observer* set_wait_observer(wait_observer* observer) noexcept;
[[nodiscard]] wait_observer* current_wait_observer() noexcept;
// Takes the observer out of those that the calling thread has and that pass on to each other; the
// others stay. Nothing happens if it is none of them.
void remove_wait_observer(wait_observer& gone) noexcept;

// The reasons that Overture itself gives. The load report tells idle time by these names.
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
}  // namespace wait_reasons

// Reports one wait for the time this object lives.
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

// Finds out whether a worker shares its processor with a thread that wakes up again and again.
//
// The kernel may wake a worker onto the processor of the thread that submits, though another one is
// idle, and leave both there: as one of the two always sleeps when it looks, it sees no reason to
// move either. A main thread that polls for the end of its jobs then interrupts the worker each
// time.
#pragma once

#include <cstdint>

namespace overture {

class crowd_watch {
 public:
  static constexpr std::uint64_t first_look_ns = 50'000;  // behind a wake: most are over by then
  static constexpr std::uint64_t window_ns = 250'000;     // between the two looks
  static constexpr std::uint64_t preemptions_max = 1;     // in there
  // The other thread may be woken to where the worker is just going.
  static constexpr unsigned moves_max = 3;
  static constexpr std::uint64_t rest_ns = 10'000'000;  // behind the first of them

  // The worker was woken.
  void begin(std::uint64_t now_ns) noexcept {
    if (now_ns >= rest_until_ns_) moves_ = 0;
    watch(now_ns);
  }
  // Behind each job. True if it is time for look(): clocks are not read behind each small job.
  [[nodiscard]] bool job_ended() noexcept {
    if (state_ == state::off || --jobs_left_ != 0) return false;
    if (jobs_between_ < jobs_between_max) jobs_between_ *= 2;
    jobs_left_ = jobs_between_;
    return true;
  }
  // True if the worker had better run on another processor. preemptions() counts those of this
  // thread so far.
  template <class Preemptions>
  [[nodiscard]] bool look(std::uint64_t now_ns, Preemptions preemptions) noexcept {
    if (state_ == state::off || now_ns < due_ns_) return false;
    if (state_ == state::begun) {
      state_ = state::counting;
      before_ = preemptions();
      due_ns_ = now_ns + window_ns;
      jobs_left_ = jobs_between_ = 1;
      return false;
    }
    state_ = state::off;
    if (preemptions() - before_ <= preemptions_max) return false;
    if (moves_++ == 0) rest_until_ns_ = now_ns + rest_ns;
    watch(now_ns);
    return true;
  }

 private:
  enum class state : std::uint8_t { off, begun, counting };
  static constexpr unsigned jobs_between_max = 16;

  void watch(std::uint64_t now_ns) noexcept {
    state_ = moves_ < moves_max ? state::begun : state::off;
    due_ns_ = now_ns + first_look_ns;
    jobs_left_ = jobs_between_ = 1;
  }

  state state_ = state::off;
  unsigned moves_ = 0;
  unsigned jobs_left_ = 1;
  unsigned jobs_between_ = 1;
  std::uint64_t due_ns_ = 0;
  std::uint64_t before_ = 0;
  std::uint64_t rest_until_ns_ = 0;
};

}  // namespace overture

// Finds out whether a worker shares its processor with a thread that wakes up again and again.
//
// The kernel may put a worker and the thread that submits onto one processor while another one is
// idle, and leave both there: one of the two sleeps whenever it looks, so it sees nothing to move.
// A main thread that polls for the end of its jobs then interrupts the worker each time.
#pragma once

#include <algorithm>
#include <cstdint>

namespace overture {

class crowd_watch {
 public:
  static constexpr std::uint64_t first_look_ns = 50'000;  // behind a wake: most are over by then
  static constexpr std::uint64_t window_ns = 250'000;     // from one look to the next
  // A window without any is followed by one twice as long, up to this: to ask is a system call. One
  // that had some is looked at more closely before the worker moves.
  static constexpr std::uint64_t window_most_ns = 2'000'000;
  static constexpr std::uint64_t preemptions_max = 1;  // in there
  // From one move to the next. Where all processors are crowded moving is for nothing: if the
  // window behind a move is no better the next move has to wait four times as long.
  static constexpr std::uint64_t rest_least_ns = 1'000'000;
  static constexpr std::uint64_t rest_most_ns = 1'024'000'000;

  // The worker was woken.
  void begin(std::uint64_t now_ns) noexcept {
    is_on_ = true;
    length_ns_ = window_ns;
    look_at(now_ns + first_look_ns, false);
  }
  // Behind each job. True if it is time for look(): clocks are not read behind each small job.
  [[nodiscard]] bool job_ended() noexcept {
    if (!is_on_ || --jobs_left_ != 0) return false;
    if (jobs_between_ < jobs_between_max) jobs_between_ *= 2;
    jobs_left_ = jobs_between_;
    return true;
  }
  // True if the worker had better run on another processor. preemptions() counts those of this
  // thread so far.
  template <class Preemptions>
  [[nodiscard]] bool look(std::uint64_t now_ns, Preemptions preemptions) noexcept {
    if (now_ns < due_ns_) return false;
    const std::uint64_t seen = preemptions();
    const bool calm = counts_ && seen == before_;
    const bool crowded = counts_ && length_ns_ == window_ns && seen - before_ > preemptions_max;
    if (counts_ && has_moved_) {
      has_moved_ = false;
      rest_ns_ = !crowded ? rest_least_ns : rest_ns_ < rest_most_ns ? rest_ns_ * 4 : rest_most_ns;
    }
    before_ = seen;
    const bool moves = crowded && now_ns - moved_ns_ >= rest_ns_;
    if (moves) {
      has_moved_ = true;
      moved_ns_ = now_ns;
    }
    length_ns_ = calm ? std::min(2 * length_ns_, window_most_ns) : window_ns;
    // The move itself is none of the preemptions that count.
    look_at(now_ns + (moves ? first_look_ns : length_ns_), !moves);
    return moves;
  }

 private:
  static constexpr unsigned jobs_between_max = 64;

  void look_at(std::uint64_t due_ns, bool counts) noexcept {
    due_ns_ = due_ns;
    counts_ = counts;
    jobs_left_ = jobs_between_ = 1;
  }

  bool is_on_ = false;
  bool counts_ = false;     // `before_` is of the begin of this window
  bool has_moved_ = false;  // and no window has passed since
  unsigned jobs_left_ = 1;
  unsigned jobs_between_ = 1;
  std::uint64_t due_ns_ = 0;
  std::uint64_t length_ns_ = window_ns;  // of this window
  std::uint64_t before_ = 0;
  std::uint64_t moved_ns_ = 0;
  std::uint64_t rest_ns_ = rest_least_ns;
};

}  // namespace overture

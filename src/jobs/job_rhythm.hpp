// Whether work comes to a worker in a rhythm, and when it is due next.
//
// A main thread that submits each time it has prepared something leaves its workers idle for much
// the same time, again and again. A sleep of that length costs the thread that submits a system
// call, and the job the time that a processor takes to come back; to look for work all the while
// costs a processor. A worker that knows when work is due sleeps until shortly before.
//
// Only short rhythms count. Frames come later or earlier by more than a wake costs, and what comes
// rarely is promised to cost next to nothing.
#pragma once

#include <algorithm>
#include <cstdint>

namespace overture {

// Of one worker.
class job_rhythm {
 public:
  static constexpr std::uint64_t longest_ns = 500'000;
  // So many times in a row. Where the worker is wrong then it takes twice as many the next time,
  // and again as few after as many times that it was right.
  static constexpr unsigned times_least = 4;
  static constexpr unsigned times_most = 256;

  // The worker had been without work for so long, and asleep, when some came.
  void work_came(std::uint64_t idle_ns) noexcept {
    const std::uint64_t off_ns = idle_ns > usual_ns_ ? idle_ns - usual_ns_ : usual_ns_ - idle_ns;
    if (idle_ns > longest_ns || off_ns > tolerance_ns()) {
      if (has_rhythm()) needed_ = std::min(2 * needed_, times_most);
      times_ = 0;
      usual_ns_ = std::min(idle_ns, longest_ns);
      return;
    }
    usual_ns_ = (3 * usual_ns_ + idle_ns) / 4;
    if (++times_ >= 2 * needed_) needed_ = times_least;
  }
  // How late a sleep has ended that was to end at a given time.
  void woke_late(std::uint64_t late_ns) noexcept {
    late_ns = std::min(late_ns, late_most_ns);
    late_ns_ = late_ns > late_ns_ ? late_ns : (7 * late_ns_ + late_ns) / 8;
  }

  [[nodiscard]] bool has_rhythm() const noexcept { return times_ >= needed_; }
  // From then on, and until then, a worker without work since `idle_since_ns` had better look.
  [[nodiscard]] std::uint64_t due_from_ns(std::uint64_t idle_since_ns) const noexcept {
    return idle_since_ns + usual_ns_ - std::min(usual_ns_, late_ns_ + tolerance_ns());
  }
  [[nodiscard]] std::uint64_t due_until_ns(std::uint64_t idle_since_ns) const noexcept {
    return idle_since_ns + usual_ns_ + tolerance_ns();
  }

 private:
  static constexpr std::uint64_t late_most_ns = 50'000;
  static constexpr std::uint64_t tolerance_least_ns = 4'000;

  [[nodiscard]] std::uint64_t tolerance_ns() const noexcept {
    return std::max(usual_ns_ / 16, tolerance_least_ns);
  }

  std::uint64_t usual_ns_ = 0;
  std::uint64_t late_ns_ = 20'000;
  unsigned times_ = 0;
  unsigned needed_ = times_least;
};

}  // namespace overture

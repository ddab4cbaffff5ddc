// How fast a worker gets through jobs.
//
// To hand a job to another thread takes both some 50 ns, most of it for lines that move between the
// processors. Jobs that take less than that are sooner run by the thread that has them.
#pragma once

#include <cstdint>

namespace overture {

// Of one worker.
class job_pace {
 public:
  static constexpr std::uint64_t short_job_ns = 100;  // with what it takes to come to it

  // The worker looks for jobs, and has run so many before.
  void begin(std::uint64_t now_ns, std::uint64_t jobs_run) noexcept {
    begin_ns_ = now_ns;
    jobs_before_ = jobs_run;
  }
  // Those that it has run since were short ones.
  [[nodiscard]] bool is_of_short_jobs(std::uint64_t now_ns, std::uint64_t jobs_run) const noexcept {
    const std::uint64_t count = jobs_run - jobs_before_;
    return count != 0 && now_ns - begin_ns_ <= count * short_job_ns;
  }

 private:
  std::uint64_t begin_ns_ = 0;
  std::uint64_t jobs_before_ = 0;
};

}  // namespace overture

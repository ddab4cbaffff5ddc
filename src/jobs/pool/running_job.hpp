// SPDX-License-Identifier: Zlib
//
// The jobs that a thread runs at the moment, nested on its stack.
#pragma once

#include "jobs/sleep/this_thread.hpp"
#include "overture/base/atomic.hpp"
#include "overture/jobs/thread_pool.hpp"

namespace overture::jobs_detail {

// Where a job system reports what happened to its jobs.
struct job_reports {
  explicit constexpr job_reports(const job_hooks& told) noexcept : hooks(told) {}

  const job_hooks hooks;
  atomic<std::uint64_t> thrown{0};
};

struct running_job {
  job_reports* reports = nullptr;
  const char* name = nullptr;
  const job_group* group = nullptr;
  running_job* below = nullptr;    // of a half that another thread forked: below the fork
  const job* submitted = nullptr;  // the job, if the call that submits it runs it
};

// A job or a fork on the stack of the thread that runs it, while this lives.
class on_stack {
 public:
  on_stack(job_reports& reports, const char* name, const job_group* group,
           const job* submitted = nullptr) noexcept
      : thread_(this_thread_jobs()),
        outer_(thread_.innermost),
        frame_{&reports, name, group, outer_, submitted} {
    thread_.innermost = &frame_;
  }
  // A half that another thread forked inside that job: part of it, on a stack of its own. If this
  // thread has jobs of its own below the half, only the forking job counts and not those below it.
  on_stack(job_reports& reports, running_job* forked_in) noexcept
      : on_stack(reports, forked_in != nullptr ? forked_in->name : nullptr,
                 forked_in != nullptr ? forked_in->group : nullptr) {
    if (outer_ == nullptr) frame_.below = forked_in;
  }
  ~on_stack() { thread_.innermost = outer_; }
  on_stack(const on_stack&) = delete;
  on_stack& operator=(const on_stack&) = delete;

 private:
  jobs_of_thread& thread_;
  running_job* const outer_;
  running_job frame_;
};

// Whether a job with this token, of this group, is to be dropped. Either may be null.
[[nodiscard]] inline bool is_cancelled(const cancellation* token, const job_group* group) noexcept {
  return (token != nullptr && token->is_cancelled()) || (group != nullptr && group->is_cancelled());
}

// Reports an exception that has left the job of that name; null for a body outside of jobs.
void report_throw(job_reports& reports, const char* name, const char* what) noexcept;

// True, after telling the host, if the calling thread must not wait for the group because a job of
// it is below on this stack: the wait could never end.
[[nodiscard]] bool refuse_wait(job_reports& reports, const job_group& group) noexcept;

// submit() and wait_until() (deadline_ns 0 = none) of a job system that got no memory for itself.
void run_without_memory(job&& work, job_group* group, const job_options& options) noexcept;
bool wait_without_memory(const job_group& group, std::uint64_t deadline_ns) noexcept;

}  // namespace overture::jobs_detail

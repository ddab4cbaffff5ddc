// SPDX-License-Identifier: Zlib
//
// A job system of the program, for the library: overture_host_jobs.
//
// A job has a record, which the program is given to run. It stays here too, so that a thread that
// waits for its group can run it first: then a call of the program finds nothing to do. So a wait
// never depends on a free thread of the program.
#pragma once

#include <cstddef>
#include <cstdint>

#include "jobs/pool/running_job.hpp"
#include "overture/base/allocator.hpp"
#include "overture/c/jobs.h"
#include "overture/jobs/job_system.hpp"
#include "overture/sync/event_count.hpp"
#include "sync/mutex.hpp"

namespace overture::c {

class host_jobs final : public job_system {
 public:
  host_jobs(const overture_host_jobs& how, const job_hooks& hooks, allocator& memory) noexcept
      : how_(how), memory_(memory), reports_(hooks) {}
  // The program has run all that it was given.
  ~host_jobs() override;
  host_jobs(const host_jobs&) = delete;
  host_jobs& operator=(const host_jobs&) = delete;

  // Whether it holds what the program has not run yet. Any thread.
  [[nodiscard]] bool any_given() const noexcept {
    return given_.load(std::memory_order_acquire) != 0;
  }

  void submit(job work, job_group* group, const job_options& options) noexcept override;
  void wait(job_group& group) noexcept override { (void)wait_until(group, 0); }
  bool wait_until(job_group& group, std::uint64_t deadline_ns) noexcept override;
  bool try_help() noexcept override { return run_one(nullptr); }
  [[nodiscard]] bool runs_in_waits() const noexcept override { return how_.threads == 0; }
  bool help_until(function_ref<bool() noexcept> done, std::uint64_t deadline_ns) noexcept override;
  void fork(fork_half& half) noexcept override;
  void join(fork_half& half) noexcept override;
  [[nodiscard]] unsigned concurrency() const noexcept override { return how_.threads + 1; }
  void set_idle_reason(const char* /*reason*/) noexcept override {}

 private:
  // What the program is given; used again once it has been run.
  struct record {
    host_jobs* system = nullptr;
    record* next = nullptr;  // of all that wait, or of those that are free
    record* previous = nullptr;
    record* next_of_group = nullptr;
    record* previous_of_group = nullptr;
    bool waits = false;         // to run; false: a thread that waited was first
    fork_half* half = nullptr;  // instead of a job
    job work;
    job_group* group = nullptr;
    job_options options = {};
  };

  [[nodiscard]] record* take_record() noexcept;
  void hand_over(record& one, job_priority priority) noexcept;
  void link(record& one) noexcept REQUIRES(lock_);
  void unlink(record& one) noexcept REQUIRES(lock_);
  static void run_record(void* context);
  void run(job& work, job_group* group, const job_options& options) noexcept;
  void run(fork_half& half) noexcept;
  // The oldest job of the group; null: of any.
  [[nodiscard]] bool run_one(const job_group* group) noexcept;
  void sleep(event_count::key_type key, std::uint64_t deadline_ns, std::uint64_t now,
             const char* reason) noexcept;

  const overture_host_jobs how_;
  allocator& memory_;
  jobs_detail::job_reports reports_;
  event_count changed_;  // a job has come, or a group or a half has ended
  atomic<std::uint32_t> given_{0};
  sync_detail::mutex lock_;
  record* first_ GUARDED_BY(lock_) = nullptr;
  record* last_ GUARDED_BY(lock_) = nullptr;
  record* free_ GUARDED_BY(lock_) = nullptr;
};

}  // namespace overture::c

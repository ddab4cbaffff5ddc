// SPDX-License-Identifier: Zlib
//
// What a thread knows about the jobs that it runs. The explorer, whose threads are fibres, has a
// header of its own in place of this one.
#pragma once

namespace overture::jobs_detail {

struct pool_slot;
struct running_job;

struct jobs_of_thread {
  pool_slot* slot = nullptr;         // the one this thread has at the moment, in any pool
  running_job* innermost = nullptr;  // the job it runs
  void* cork = nullptr;              // gathers its submits
  unsigned jobs_in_submit = 0;       // that nest on its stack because queues were full
  unsigned wake_depth = 0;           // of a woken worker: how many wakes led to it
};

// The calling thread's.
inline jobs_of_thread& this_thread_jobs() noexcept {
  static thread_local constinit jobs_of_thread own;
  return own;
}

}  // namespace overture::jobs_detail

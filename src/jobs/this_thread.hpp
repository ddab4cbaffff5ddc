// What a thread knows of the jobs that it runs. The explorer, whose threads are fibres, has a
// header of its own in this place.
#pragma once

namespace overture {

struct pool_place;
struct running_job;

struct jobs_of_thread {
  pool_place* place = nullptr;       // the one this thread has at the moment, of whatever pool
  running_job* innermost = nullptr;  // the job it runs
  void* cork = nullptr;              // where its submits are gathered
  unsigned jobs_in_submit = 0;       // that it runs, one above the other, for want of room
  unsigned wake_depth = 0;           // a worker that was woken and searches: by how many before it
};

// The calling thread's.
inline jobs_of_thread& this_thread_jobs() noexcept {
  static thread_local constinit jobs_of_thread own;
  return own;
}

}  // namespace overture

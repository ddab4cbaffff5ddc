// SPDX-License-Identifier: Zlib
//
// Says that a job is about to block: in a system call, a lock of the host, a driver.
//
//   thread_pool jobs{{.workers = 7, .spare_workers = 2}};
//   jobs.submit([&] {
//     { const blocking_scope here; device.compile_shaders(); }      // may take long
//     use(device);
//   });
//
// While a worker is inside one, a spare worker runs jobs in its place, if the pool has one left
// (thread_pool_config::spare_workers; they sleep otherwise). When the scope ends, the spare worker
// finishes its job and sleeps again, so for that long one more thread than `workers` may run.
//
// Overture's own waits need no scope: a wait for a group helps with its jobs, and a coroutine that
// waits occupies no thread.
//
// Cost: one read-modify-write to begin and one to end, one system call to wake the spare worker and
// one to send it back if it sleeps among the workers. Does nothing on threads that are not workers.
#pragma once

#include "overture/base/api.hpp"

namespace overture {

namespace jobs_detail {
struct pool_slot;
}

// Ends on the thread that made it. A scope inside another one does nothing.
class OVERTURE_API blocking_scope {
 public:
  blocking_scope() noexcept;
  ~blocking_scope();
  blocking_scope(const blocking_scope&) = delete;
  blocking_scope& operator=(const blocking_scope&) = delete;

 private:
  jobs_detail::pool_slot* blocked_ = nullptr;
};

}  // namespace overture

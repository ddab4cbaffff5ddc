// Says that a job is about to block: in a system call, a lock of the host's, a driver.
//
//   thread_pool jobs{{.workers = 7, .spare_workers = 2}};
//   jobs.submit([&] {
//     { const blocking_scope here; device.compile_shaders(); }      // takes as long as it takes
//     use(device);
//   });
//
// While a worker is inside one, a spare worker runs jobs in its place, if the pool has one left:
// the host has said how many (thread_pool_config::spare_workers), and they sleep for the rest of
// the time. When the scope ends the spare finishes the job that it has and sleeps again, so that
// for this long one thread more than `workers` may run.
//
// Overture's own waits need none: a wait for a group helps with its jobs, a coroutine holds up no
// thread.
//
// Cost: one read-modify-write to begin and one to end; one system call to wake the spare, and one
// to send it back if it sleeps among the workers. On a thread that is no worker it does nothing.
#pragma once

namespace overture {

namespace jobs_detail {
struct pool_slot;
}

// Belongs to the thread that made it and ends there. Those inside another one do nothing.
class blocking_scope {
 public:
  blocking_scope() noexcept;
  ~blocking_scope();
  blocking_scope(const blocking_scope&) = delete;
  blocking_scope& operator=(const blocking_scope&) = delete;

 private:
  jobs_detail::pool_slot* blocked_ = nullptr;
};

}  // namespace overture

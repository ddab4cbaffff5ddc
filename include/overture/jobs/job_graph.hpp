// Jobs that start when others have ended.
//
//   job_graph frame(jobs);
//   auto sim  = *frame.add([&] { simulate(); }, {.name = "simulate"});
//   auto cull = *frame.add([&] { cull_view(); });
//   auto draw = *frame.add([&] { draw_view(); });
//   frame.order(sim, cull);                        // draw begins behind both
//   frame.order(sim, draw);
//   frame.order(cull, draw);
//   for (;;) frame.run();                          // as often as you like: no allocation, no lock
//
//   held_job upload(jobs, 2, [&] { upload_level(); }, &group);     // one that is counted down
//   group.run([&] { read_mesh();    upload.release(); });
//   group.run([&] { read_texture(); upload.release(); });
//
// A graph is built once and run often. Its jobs and orders are counted and laid out by prepare(),
// which the first run does if nobody else has; it refuses orders that go round in a circle. In a
// run, whoever ends the last job before another one starts that: one of them goes on at once on the
// same thread, the others are submitted. So a chain costs no queue, and a fork one submit for each
// branch but one.
//
// Cost of a run: for each order one read-modify-write, for each job that is submitted a submit.
// Memory: 128 bytes for each job and 12 for each order.
//
// A job that throws counts as ended: those behind it start. A job whose token is cancelled is
// skipped, those behind it start. cancel() ends the run: what has not begun does not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "overture/base/allocator.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/error.hpp"
#include "overture/jobs/job_system.hpp"

namespace overture {

// A job of a graph.
enum class graph_job : std::uint32_t {};

class job_graph {
 public:
  // Both must outlive it.
  explicit job_graph(job_system& system, allocator& memory = default_allocator()) noexcept;
  // Waits for the run that is under way.
  ~job_graph();
  job_graph(const job_graph&) = delete;
  job_graph& operator=(const job_graph&) = delete;

  // -- building: one thread, while no run is under way --

  // The callable stays and is called once in each run. Errors: out_of_memory, limit (more than
  // limits::graph_jobs_max).
  result<graph_job> add(job work, const job_options& options = {});
  // `after` starts when `before` has ended. The same order twice is the same as once. Errors:
  // invalid (a job that this graph has not, or one behind itself), out_of_memory.
  result<void> order(graph_job before, graph_job after);
  // Lays everything out, so that runs allocate nothing. Errors: invalid (the orders go round in a
  // circle), out_of_memory.
  result<void> prepare();

  // -- running: one run at a time --

  // Starts the jobs that wait for none. Errors: those of prepare(), busy (a run is under way).
  result<void> start();
  // Returns when all have ended; runs jobs of the graph meanwhile. Any thread, once start() has
  // returned.
  void wait() noexcept { group_.wait(); }
  // As wait(), but returns false once `deadline_ns` (on the clock of now_ns(); 0 = never) has
  // passed. Any thread.
  [[nodiscard]] bool wait_until(std::uint64_t deadline_ns) {
    return group_.wait_until(deadline_ns);
  }
  // start() and wait().
  result<void> run();
  // What has not begun in the run under way does not. Wait for it all the same. Any thread.
  void cancel() noexcept { group_.cancel(); }
  // Any thread.
  [[nodiscard]] bool is_running() const noexcept { return group_.pending() != 0; }
  // How many jobs it has.
  [[nodiscard]] std::size_t size() const noexcept;

 private:
  struct state;
  struct turn;

  void run_from(std::uint32_t first);
  [[nodiscard]] bool hand_over(std::uint32_t index);

  job_system& system_;
  allocator& memory_;
  job_group group_;
  state* state_ = nullptr;
};

// A job that is submitted when it has been released so many times. Lives until it has been.
class held_job {
 public:
  // `releases` > 0. From the last release on the job belongs to `group`; who makes that release is
  // a job of the same group, or keeps it from ending in another way.
  held_job(job_system& system, std::uint32_t releases, job work, job_group* group = nullptr,
           const job_options& options = {}) noexcept
      : system_(system),
        group_(group),
        options_(options),
        work_(std::move(work)),
        left_(releases) {}
  held_job(const held_job&) = delete;
  held_job& operator=(const held_job&) = delete;

  // What was written before any of the releases is seen by the job. It may be gone as soon as the
  // last release is under way, so nobody may release it more often than it asks for. Any thread.
  void release(std::uint32_t count = 1) {
    if (left_.fetch_sub(count, std::memory_order_acq_rel) != count) return;
    // The job may end what this lies in, so nothing of it is used behind its start.
    const job_options options = options_;
    system_.submit(std::move(work_), group_, options);
  }

 private:
  job_system& system_;
  job_group* const group_;
  const job_options options_;
  job work_;
  atomic<std::uint32_t> left_;
};

}  // namespace overture

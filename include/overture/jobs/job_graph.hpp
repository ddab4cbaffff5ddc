// SPDX-License-Identifier: Zlib
//
// Jobs that start after others have ended.
//
//   job_graph frame(jobs);
//   auto sim  = *frame.add([&] { simulate(); }, {.name = "simulate"});
//   auto cull = *frame.add([&] { cull_view(); });
//   auto draw = *frame.add([&] { draw_view(); });
//   frame.order(sim, cull);
//   frame.order(sim, draw);
//   frame.order(cull, draw);                       // draw runs after both
//   for (;;) frame.run();                          // as often as you like: no allocation, no lock
//
//   held_job upload(jobs, 2, [&] { upload_level(); }, &group);     // starts after two releases
//   group.run([&] { read_mesh();    upload.release(); });
//   group.run([&] { read_texture(); upload.release(); });
//
// A graph is built once and run often. prepare() lays it out and refuses cycles; the first run
// calls it if you have not. The thread that ends a job's last predecessor starts that job: it runs
// one such job itself and submits the rest. So a chain uses no queue, and a fan-out submits all
// branches but one.
//
// Cost of a run: one read-modify-write for each dependency and a submit for each submitted job.
// Memory: 128 bytes for each job and 12 for each dependency.
//
// A job that throws counts as ended, so its successors start. A job whose token is cancelled is
// skipped, and its successors start. cancel() ends a run: jobs that have not begun do not begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "overture/base/allocator.hpp"
#include "overture/base/api.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/contracts.hpp"
#include "overture/base/error.hpp"
#include "overture/jobs/job_system.hpp"

namespace overture {

// A job of a graph.
enum class graph_job : std::uint32_t {};

class OVERTURE_API job_graph {
 public:
  // Both must outlive it.
  explicit job_graph(job_system& system, allocator& memory = default_allocator()) noexcept;
  // Waits for the current run.
  ~job_graph();
  job_graph(const job_graph&) = delete;
  job_graph& operator=(const job_graph&) = delete;

  // -- building: one thread at a time, and not during a run --

  // Keeps the callable and calls it once in each run. Errors: out_of_memory, limit (more than
  // limits::graph_jobs_max jobs).
  result<graph_job> add(job work, const job_options& options = {});
  // Starts `after` once `before` has ended. The same dependency twice counts once. Errors: invalid
  // (unknown job, or self-dependency), limit, out_of_memory.
  result<void> order(graph_job before, graph_job after);
  // Lays the graph out, so that runs allocate nothing. Errors: invalid (the dependencies form a
  // cycle), unsupported (a job system of another version of Overture), out_of_memory.
  result<void> prepare();

  // -- running: one run at a time --

  // Starts the jobs without predecessors. Errors: those of prepare(), busy (already running).
  result<void> start();
  // Runs jobs of the graph until all have ended. Any thread, once start() has returned.
  void wait() noexcept { group_.wait(); }
  // As wait(), but returns false once `deadline_ns` (on the clock of now_ns(); 0 = never) has
  // passed. Any thread.
  [[nodiscard]] bool wait_until(std::uint64_t deadline_ns) noexcept {
    return group_.wait_until(deadline_ns);
  }
  // start() and wait().
  result<void> run();
  // Jobs of the current run that have not begun do not begin. You still have to wait(). Any thread.
  void cancel() noexcept { group_.cancel(); }
  // Any thread.
  [[nodiscard]] bool is_running() const noexcept { return group_.pending() != 0; }
  // The number of jobs.
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

// A job that is submitted after a number of releases. It must live until then.
class held_job {
 public:
  // `releases` > 0. The job joins `group` with the last release, so the thread that makes it must
  // keep the group from ending, as a job of the group does.
  template <bool Contracts = detail::contracts>
  held_job(job_system& system, std::uint32_t releases, job work, job_group* group = nullptr,
           const job_options& options = {}) noexcept
      : system_(system), group_(group), options_(options), work_(std::move(work)), left_(releases) {
    if constexpr (Contracts) {
      detail::expects(releases != 0,
                      "a held_job was made with no releases, so it would never run: submit the job "
                      "instead");
    }
  }
  held_job(const held_job&) = delete;
  held_job& operator=(const held_job&) = delete;

  // The job sees everything that was written before the releases. This object may be gone as soon
  // as the last release has begun, so do not release it too often. Any thread.
  void release(std::uint32_t count = 1) noexcept {
    if (left_.fetch_sub(count, std::memory_order_acq_rel) != count) return;
    // The job may end the life of this object, so nothing of it is used after the submit.
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

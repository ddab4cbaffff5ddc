// SPDX-License-Identifier: Zlib
//
// A frame as a reusable graph of jobs, a coroutine that waits without blocking a thread, and the
// same code replayed in an order that a seed determines. Needs only the library overture::jobs.
#include <overture/base/thread.hpp>
#include <overture/jobs/coroutine.hpp>
#include <overture/jobs/job_graph.hpp>
#include <overture/jobs/single_threaded.hpp>
#include <overture/jobs/thread_pool.hpp>
#include <overture/sync/barricade.hpp>

#include <cstdio>

using namespace overture;

namespace {

// Waits for the level and then for the device, without blocking a thread.
co_task<int> start_level(job_system& jobs, shared_future<int> level, barricade& device) {
  const result<int>& loaded = co_await level;
  if (!loaded) co_return tl::unexpected<error>(loaded.error());
  co_await device;
  co_return co_await run_job(jobs, [&loaded] { return *loaded * 2; });
}

// The same work for any job system.
int play(job_system& jobs) {
  int simulated = 0;
  int drawn = 0;
  job_graph frame(jobs);
  const auto simulate = frame.add([&] { ++simulated; }, {.name = "simulate"});
  const auto draw = frame.add([&] { drawn += simulated; }, {.name = "draw"});
  if (!simulate || !draw || !frame.order(*simulate, *draw)) return -1;
  for (int i = 0; i < 3; ++i) {
    if (!frame.run()) return -1;  // only the first run allocates
  }

  barricade device;
  auto level = promise<int>::make();
  if (!level) return -1;
  const auto started = spawn(jobs, start_level(jobs, level->future(), device));
  if (!started) return -1;
  level->set_value(18);
  device.lower();
  // A job system without threads runs on the threads that help it.
  while (!started->is_ready() && jobs.try_help()) {
  }
  return started->get().value_or(-1) + drawn;  // 36 + 1 + 2 + 3
}

}  // namespace

int main() {
  thread_pool jobs = thread_pool::for_this_machine();
  const int in_threads = play(jobs);
  single_threaded replay{{.seed = 7}};
  const int replayed = play(replay);
  const wake_profile cost = jobs.profile();
  std::printf("%d %d, %llu wakes\n", in_threads, replayed,
              static_cast<unsigned long long>(cost.wakes()));
  return in_threads == 42 && replayed == 42 ? 0 : 1;
}

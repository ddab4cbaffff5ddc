// SPDX-License-Identifier: Zlib
//
// enkiTS: a task is an object of the caller, a set with a size.
#include <TaskScheduler.h>

#include <thread>

#include "jobs_peers.hpp"

namespace bench {
namespace {

struct fib_task final : enki::ITaskSet {
  fib_task(enki::TaskScheduler& s, unsigned number) : scheduler(s), n(number) {}
  void ExecuteRange(enki::TaskSetPartition, std::uint32_t) override;
  enki::TaskScheduler& scheduler;
  unsigned n;
  std::uint64_t result = 0;
};

std::uint64_t fib_of(enki::TaskScheduler& scheduler, unsigned n) {
  if (n < 2) return std::uint64_t{n};
  fib_task first(scheduler, n - 1);
  scheduler.AddTaskSetToPipe(&first);
  const std::uint64_t second = fib_of(scheduler, n - 2);
  scheduler.WaitforTask(&first);
  return first.result + second;
}

void fib_task::ExecuteRange(enki::TaskSetPartition, std::uint32_t) {
  result = fib_of(scheduler, n);
}

template <class Body>
std::uint64_t sum_of(enki::TaskScheduler& scheduler, std::uint32_t count, const Body& body) {
  std::array<std::uint64_t, 16> sums{};
  enki::TaskSet set(count, [&](enki::TaskSetPartition range, std::uint32_t) {
    for (std::uint32_t i = range.start; i < range.end; ++i) sums[i] = body(i);
  });
  scheduler.AddTaskSetToPipe(&set);
  scheduler.WaitforTask(&set);
  std::uint64_t sum = 0;
  for (const std::uint64_t part : sums) sum += part;
  return sum;
}

std::uint64_t skynet_of(enki::TaskScheduler& s, std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  const std::uint64_t each = leaves / 10;
  return sum_of(s, 10, [&](std::uint32_t i) { return skynet_of(s, first + i * each, each); });
}

std::uint64_t queens_of(enki::TaskScheduler& s, const queens_board& board, int size) {
  if (board.placed == size) return 1;
  return sum_of(s, static_cast<std::uint32_t>(size), [&](std::uint32_t row) {
    const int wanted = static_cast<int>(row);
    return board.fits(wanted) ? queens_of(s, board.with(wanted), size) : 0;
  });
}

// One task for each job, from a ring that is reused.
struct ring_task final : enki::ITaskSet {
  void ExecuteRange(enki::TaskSetPartition, std::uint32_t) override {
    if (run != nullptr) run(context);
  }
  void (*run)(void*) = nullptr;
  void* context = nullptr;
};

class enki_peer final : public job_peer {
 public:
  explicit enki_peer(unsigned threads) {
    name = "enkiTS";
    enki::TaskSchedulerConfig config;
    config.numTaskThreadsToCreate = threads - 1;
    config.numExternalTaskThreads = 4;
    scheduler_.Initialize(config);
    tasks_ = std::vector<ring_task>(1 << 20);
  }
  std::uint64_t fib(unsigned n) override { return fib_of(scheduler_, n); }
  std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves) override {
    return skynet_of(scheduler_, first, leaves);
  }
  std::uint64_t queens(const queens_board& board, int size) override {
    return queens_of(scheduler_, board, size);
  }
  bool empty_jobs(std::size_t count, unsigned submitters, bool batched) override {
    if (batched) return false;  // its task set of a million is one task with a loop
    const auto submit = [&](unsigned thread) {
      const std::size_t mine = count / submitters;
      for (std::size_t i = 0; i < mine; ++i) {
        ring_task& each = tasks_[thread * mine + i];
        each.run = nullptr;
        scheduler_.AddTaskSetToPipe(&each);
      }
    };
    std::vector<std::thread> others;
    for (unsigned i = 1; i < submitters; ++i) {
      others.emplace_back([&, i] {
        scheduler_.RegisterExternalTaskThread();
        submit(i);
        scheduler_.DeRegisterExternalTaskThread();
      });
    }
    submit(0);
    for (std::thread& each : others) each.join();
    scheduler_.WaitforAll();
    return true;
  }
  void thread_begins() override { scheduler_.RegisterExternalTaskThread(); }
  void thread_ends() override { scheduler_.DeRegisterExternalTaskThread(); }
  void submit(void (*run)(void*), void* context) noexcept override {
    ring_task& each = tasks_[next_.fetch_add(1) % tasks_.size()];
    each.run = run;
    each.context = context;
    scheduler_.AddTaskSetToPipe(&each);
  }

 private:
  enki::TaskScheduler scheduler_;
  std::vector<ring_task> tasks_;
  std::atomic<std::size_t> next_{0};
};

}  // namespace

std::unique_ptr<job_peer> make_enki(unsigned threads) {
  return std::make_unique<enki_peer>(threads);
}

}  // namespace bench

// SPDX-License-Identifier: Zlib
#include <deque>
#include <overture/jobs/job_batch.hpp>
#include <overture/jobs/job_graph.hpp>
#include <overture/jobs/parallel.hpp>
#include <overture/jobs/thread_pool.hpp>
#include <stdexcept>
#include <thread>

#include "jobs_peers.hpp"

namespace bench {
namespace {

using namespace overture;

wake_policy policy_of(const std::string& name) {
  if (name == "warm") return wake_policy::warm;
  return name == "spin" ? wake_policy::spin : wake_policy::park;
}

std::uint64_t fib_of(thread_pool& pool, unsigned n) {
  if (n < 2) return n;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  parallel_invoke(pool, [&] { a = fib_of(pool, n - 1); }, [&] { b = fib_of(pool, n - 2); });
  return a + b;
}

std::uint64_t skynet_of(thread_pool& pool, std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  const std::uint64_t each = leaves / 10;
  return parallel_reduce(
      pool, 0, 10, std::uint64_t{0},
      [&](std::size_t i) { return skynet_of(pool, first + i * each, each); },
      [](std::uint64_t a, std::uint64_t b) { return a + b; }, 1);
}

std::uint64_t queens_of(thread_pool& pool, const queens_board& board, int size) {
  if (board.placed == size) return 1;
  std::array<int, 16> rows{};
  std::size_t count = 0;
  for (int row = 0; row < size; ++row) {
    if (board.fits(row)) rows[count++] = row;
  }
  return parallel_reduce(
      pool, 0, count, std::uint64_t{0},
      [&](std::size_t i) { return queens_of(pool, board.with(rows[i]), size); },
      [](std::uint64_t a, std::uint64_t b) { return a + b; }, 1);
}

class overture_peer final : public job_peer {
 public:
  overture_peer(unsigned threads, const std::string& policy)
      : pool_({.workers = threads - 1,
               .worker_thread = {.batch_scheduling = policy == "batch"},
               .wake = policy_of(policy),
               .queued_max = policy == "bounded" ? 1024 : thread_pool_config{}.queued_max}),
        is_told_(policy == "told") {
    name = policy == "park" ? "overture" : "overture " + policy;
  }
  std::uint64_t fib(unsigned n) override { return fib_of(pool_, n); }
  std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves) override {
    return skynet_of(pool_, first, leaves);
  }
  std::uint64_t queens(const queens_board& board, int size) override {
    return queens_of(pool_, board, size);
  }
  bool empty_jobs(std::size_t count, unsigned submitters, bool batched) override {
    if (batched && submitters == 1) {
      parallel_for(pool_, 0, count, [](std::size_t) {}, 1);
      return true;
    }
    std::deque<job_group> groups;
    while (groups.size() < submitters) groups.emplace_back(pool_);
    const auto submit = [&](job_group& group) {
      const std::size_t mine = count / submitters;
      if (!batched) {
        for (std::size_t i = 0; i < mine; ++i) group.run([] {});
        return;
      }
      job_batch batch(pool_, &group);
      for (std::size_t i = 0; i < mine; ++i) batch.add([] {});
    };
    std::vector<std::thread> others;
    for (unsigned i = 1; i < submitters; ++i) others.emplace_back([&, i] { submit(groups[i]); });
    submit(groups[0]);
    for (std::thread& each : others) each.join();
    for (job_group& each : groups) each.wait();
    return true;
  }
  void submit(void (*run)(void*), void* context) noexcept override {
    pool_.submit([run, context] { run(context); });
  }
  void submit_all(void (*run)(void*), const std::vector<void*>& contexts) noexcept override {
    job_batch batch(pool_);
    for (void* const each : contexts) batch.add([run, each] { run(each); });
  }
  void expect(std::uint64_t at_ns) override {
    if (is_told_) pool_.expect_work(at_ns);
  }
  std::function<void()> make_graph(std::vector<std::uint32_t>& runs,
                                   const graph_orders& orders) override {
    auto graph = std::make_shared<job_graph>(pool_);
    for (std::uint32_t& each : runs) (void)graph->add([&each] { ++each; });
    for (const auto& [before, after] : orders) {
      (void)graph->order(graph_job{before}, graph_job{after});
    }
    if (!graph->prepare()) throw std::runtime_error("the graph was refused");
    return [graph] { (void)graph->run(); };
  }

 private:
  thread_pool pool_;
  const bool is_told_;
};

}  // namespace

std::unique_ptr<job_peer> make_overture(unsigned threads, const std::string& policy) {
  return std::make_unique<overture_peer>(threads, policy);
}

}  // namespace bench

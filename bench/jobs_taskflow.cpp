// SPDX-License-Identifier: Zlib
//
// Taskflow: asynchronous tasks, and its graphs.
#include <taskflow/taskflow.hpp>
#include <thread>

#include "jobs_peers.hpp"

namespace bench {
namespace {

class taskflow_peer final : public job_peer {
 public:
  explicit taskflow_peer(unsigned threads) : executor_(threads) { name = "Taskflow"; }
  [[nodiscard]] bool has_forks() const override { return false; }
  std::uint64_t fib(unsigned) override { return 0; }
  std::uint64_t skynet(std::uint64_t, std::uint64_t) override { return 0; }
  std::uint64_t queens(const queens_board&, int) override { return 0; }
  bool empty_jobs(std::size_t count, unsigned submitters, bool batched) override {
    if (batched) return false;
    const auto submit = [&] {
      for (std::size_t i = 0; i < count / submitters; ++i) executor_.silent_async([] {});
    };
    std::vector<std::thread> others;
    for (unsigned i = 1; i < submitters; ++i) others.emplace_back(submit);
    submit();
    for (std::thread& each : others) each.join();
    executor_.wait_for_all();
    return true;
  }
  void submit(void (*run)(void*), void* context) noexcept override {
    executor_.silent_async([run, context] { run(context); });
  }
  std::function<void()> make_graph(std::vector<std::uint32_t>& runs,
                                   const graph_orders& orders) override {
    auto graph = std::make_shared<tf::Taskflow>();
    std::vector<tf::Task> tasks;
    tasks.reserve(runs.size());
    for (std::uint32_t& each : runs) tasks.push_back(graph->emplace([&each] { ++each; }));
    for (const auto& [before, after] : orders) tasks[before].precede(tasks[after]);
    return [graph, this] { executor_.run(*graph).wait(); };
  }

 private:
  tf::Executor executor_;
};

}  // namespace

std::unique_ptr<job_peer> make_taskflow(unsigned threads) {
  return std::make_unique<taskflow_peer>(threads);
}

}  // namespace bench

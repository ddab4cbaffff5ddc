// SPDX-License-Identifier: Zlib
//
// oneTBB, as packaged by Debian.
#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <deque>
#include <thread>

#include "jobs_peers.hpp"

namespace bench {
namespace {

std::uint64_t fib_of(unsigned n) {
  if (n < 2) return n;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  tbb::task_group group;
  group.run([&] { a = fib_of(n - 1); });
  b = fib_of(n - 2);
  group.wait();
  return a + b;
}

std::uint64_t skynet_of(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  const std::uint64_t each = leaves / 10;
  std::array<std::uint64_t, 10> sums{};
  tbb::task_group group;
  for (std::size_t i = 1; i < 10; ++i) {
    group.run([&, i] { sums[i] = skynet_of(first + i * each, each); });
  }
  sums[0] = skynet_of(first, each);
  group.wait();
  std::uint64_t sum = 0;
  for (const std::uint64_t part : sums) sum += part;
  return sum;
}

std::uint64_t queens_of(const queens_board& board, int size) {
  if (board.placed == size) return 1;
  std::array<std::uint64_t, 16> sums{};
  tbb::task_group group;
  for (int row = 0; row < size; ++row) {
    if (!board.fits(row)) continue;
    group.run([&, row] { sums[static_cast<std::size_t>(row)] = queens_of(board.with(row), size); });
  }
  group.wait();
  std::uint64_t sum = 0;
  for (const std::uint64_t part : sums) sum += part;
  return sum;
}

class tbb_peer final : public job_peer {
 public:
  explicit tbb_peer(unsigned threads)
      : control_(tbb::global_control::max_allowed_parallelism, threads),
        arena_(static_cast<int>(threads)) {
    name = "TBB";
  }
  std::uint64_t fib(unsigned n) override {
    return arena_.execute([n] { return fib_of(n); });
  }
  std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves) override {
    return arena_.execute([=] { return skynet_of(first, leaves); });
  }
  std::uint64_t queens(const queens_board& board, int size) override {
    return arena_.execute([&] { return queens_of(board, size); });
  }
  bool empty_jobs(std::size_t count, unsigned submitters, bool batched) override {
    if (batched) {
      // TBB's own way to run many at once.
      if (submitters != 1) return false;
      arena_.execute([&] {
        tbb::parallel_for(
            tbb::blocked_range<std::size_t>(0, count, 1), [](const auto&) {},
            tbb::simple_partitioner());
      });
      return true;
    }
    std::deque<tbb::task_group> groups(submitters);
    const auto submit = [&](tbb::task_group& group) {
      arena_.execute([&] {
        for (std::size_t i = 0; i < count / submitters; ++i) group.run([] {});
      });
    };
    std::vector<std::thread> others;
    for (unsigned i = 1; i < submitters; ++i) others.emplace_back([&, i] { submit(groups[i]); });
    submit(groups[0]);
    for (std::thread& each : others) each.join();
    for (tbb::task_group& each : groups) {
      arena_.execute([&] { each.wait(); });
    }
    return true;
  }
  void submit(void (*run)(void*), void* context) noexcept override {
    arena_.enqueue([run, context] { run(context); });
  }
  std::function<void()> make_graph(std::vector<std::uint32_t>& runs,
                                   const graph_orders& orders) override {
    auto built = std::make_shared<flow_graph>(arena_);
    std::vector<bool> waits(runs.size(), false);
    for (std::uint32_t& each : runs) {
      built->nodes.emplace_back(built->graph, [&each](const tbb::flow::continue_msg&) { ++each; });
    }
    for (const auto& [before, after] : orders) {
      tbb::flow::make_edge(built->nodes[before], built->nodes[after]);
      waits[after] = true;
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (!waits[i]) built->first.push_back(&built->nodes[i]);
    }
    return [built, this] {
      arena_.execute([&] {
        for (auto* const each : built->first) each->try_put(tbb::flow::continue_msg());
        built->graph.wait_for_all();
      });
    };
  }

 private:
  using node = tbb::flow::continue_node<tbb::flow::continue_msg>;
  struct flow_graph {
    explicit flow_graph(tbb::task_arena& arena) {
      arena.execute([this] { graph.reset(); });
    }
    tbb::flow::graph graph;
    std::deque<node> nodes;
    std::vector<node*> first;
  };

  tbb::global_control control_;
  tbb::task_arena arena_;
};

}  // namespace

std::unique_ptr<job_peer> make_tbb(unsigned threads) {
  return std::make_unique<tbb_peer>(threads);
}

}  // namespace bench

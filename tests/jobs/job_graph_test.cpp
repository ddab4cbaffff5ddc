// SPDX-License-Identifier: Zlib
#include "overture/jobs/job_graph.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <stdexcept>
#include <vector>

#include "jobs/pool_test_support.hpp"
#include "overture/jobs/single_threaded.hpp"
#include "support/failing_allocator.hpp"

namespace overture::job_graph_test {
namespace {

// Notes in which order its jobs have run.
struct noted {
  atomic<unsigned> next{0};
  std::vector<unsigned> place;

  explicit noted(std::size_t jobs) : place(jobs, 0) {}
  job at(std::size_t index) {
    return [this, index] { place[index] = ++next; };
  }
};

TEST(a_graph, starts_a_job_after_all_that_it_waits_for) {
  thread_pool pool{{.workers = 3}};
  job_graph graph(pool);
  noted order(4);
  std::array<graph_job, 4> jobs;
  for (std::size_t i = 0; i < 4; ++i) jobs[i] = *graph.add(order.at(i));
  ASSERT_TRUE(graph.order(jobs[3], jobs[1]));
  ASSERT_TRUE(graph.order(jobs[3], jobs[2]));
  ASSERT_TRUE(graph.order(jobs[1], jobs[0]));
  ASSERT_TRUE(graph.order(jobs[2], jobs[0]));
  for (unsigned round = 0; round < 100; ++round) {
    ASSERT_TRUE(graph.run());
    EXPECT_EQ(order.next.load(), 4 * (round + 1));
    EXPECT_EQ(order.place[3], 4 * round + 1);
    EXPECT_EQ(order.place[0], 4 * round + 4);
  }
}

TEST(a_graph, runs_a_wavefront_in_order_however_the_system_chooses) {
  constexpr std::size_t side = 12;
  for (std::uint64_t seed = 1; seed < 40; ++seed) {
    single_threaded system{{.seed = seed}};
    job_graph graph(system);
    noted order(side * side);
    std::vector<graph_job> jobs;
    for (std::size_t i = 0; i < side * side; ++i) jobs.push_back(*graph.add(order.at(i)));
    for (std::size_t i = 0; i < side * side; ++i) {
      if (i % side != 0) {
        ASSERT_TRUE(graph.order(jobs[i - 1], jobs[i]));
      }
      if (i >= side) {
        ASSERT_TRUE(graph.order(jobs[i - side], jobs[i]));
      }
    }
    ASSERT_TRUE(graph.run());
    for (std::size_t i = 0; i < side * side; ++i) {
      if (i % side != 0) {
        EXPECT_LT(order.place[i - 1], order.place[i]);
      }
      if (i >= side) {
        EXPECT_LT(order.place[i - side], order.place[i]);
      }
    }
  }
}

TEST(a_graph, runs_again_without_allocating) {
  thread_pool pool{{.workers = 1}};
  tracking_allocator memory;
  job_graph graph(pool, memory);
  atomic<int> runs{0};
  const graph_job root = *graph.add([&runs] { runs.fetch_add(1); });
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(graph.order(root, *graph.add([&runs] { runs.fetch_add(1); })));
  }
  ASSERT_TRUE(graph.prepare());
  const std::uint64_t before = memory.usage(memory_tag::jobs).allocations;
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(graph.run());
  EXPECT_EQ(memory.usage(memory_tag::jobs).allocations, before);
  EXPECT_EQ(runs.load(), 20 * 51);
}

TEST(a_graph, of_a_long_chain_takes_no_stack) {
  thread_pool pool{{.workers = 1}};
  job_graph graph(pool);
  std::uint64_t sum = 0;
  graph_job last = *graph.add([&sum] { ++sum; });
  for (int i = 1; i < 200'000; ++i) {
    const graph_job next = *graph.add([&sum] { ++sum; });
    ASSERT_TRUE(graph.order(last, next));
    last = next;
  }
  ASSERT_TRUE(graph.run());
  EXPECT_EQ(sum, 200'000u);
}

TEST(a_graph, of_many_branches_takes_no_stack_where_there_is_no_room_for_jobs) {
  thread_pool full{{.queued_max = 1}};
  bool is_full = false;
  while (!is_full) full.submit([&is_full] { is_full = true; });
  job_graph graph(full);
  constexpr std::size_t length = 60'000;
  std::size_t runs = 0;
  std::size_t urgent_runs = 0;
  std::optional<graph_job> last;
  for (std::size_t i = 0; i < length; ++i) {
    const graph_job next = *graph.add([&runs] { ++runs; });
    if (last) {
      ASSERT_TRUE(graph.order(*last, *graph.add([&runs] { ++runs; })));
      ASSERT_TRUE(
          graph.order(*last, *graph.add([&] { ++urgent_runs; }, {.priority = job_priority::high})));
      ASSERT_TRUE(graph.order(*last, next));
    }
    last = next;
  }
  for (std::size_t round = 1; round <= 2; ++round) {
    ASSERT_TRUE(graph.run());
    EXPECT_EQ(runs, round * (2 * length - 1));
    EXPECT_EQ(urgent_runs, round * (length - 1));
  }
}

TEST(a_graph, refuses_what_makes_no_sense) {
  thread_pool pool;
  job_graph graph(pool);
  EXPECT_TRUE(graph.run()) << "no jobs, nothing to do";
  int runs = 0;
  const graph_job a = *graph.add([&runs] { ++runs; });
  const graph_job b = *graph.add([&runs] { ++runs; });
  EXPECT_EQ(graph.order(a, a).error().code, errc::invalid);
  EXPECT_EQ(graph.order(a, graph_job{7}).error().code, errc::invalid);
  ASSERT_TRUE(graph.order(a, b));
  ASSERT_TRUE(graph.order(b, a));
  EXPECT_EQ(graph.run().error().code, errc::invalid);
  EXPECT_EQ(runs, 0);
}

TEST(a_graph, that_runs_is_busy) {
  thread_pool pool{{.workers = 1}};
  job_graph graph(pool);
  barricade door;
  ASSERT_TRUE(graph.add([&door] { door.wait(); }));
  ASSERT_TRUE(graph.start());
  EXPECT_TRUE(graph.is_running());
  EXPECT_EQ(graph.start().error().code, errc::busy);
  door.lower();
  graph.wait();
  EXPECT_FALSE(graph.is_running());
}

TEST(a_graph, that_is_cancelled_ends_early_and_runs_whole_the_next_time) {
  thread_pool pool;
  job_graph graph(pool);
  std::vector<int> runs(3, 0);
  bool stop = true;
  const graph_job a = *graph.add([&] {
    ++runs[0];
    if (stop) graph.cancel();
  });
  const graph_job b = *graph.add([&] { ++runs[1]; });
  const graph_job c = *graph.add([&] { ++runs[2]; }, {.priority = job_priority::high});
  ASSERT_TRUE(graph.order(a, b));
  ASSERT_TRUE(graph.order(a, c));
  ASSERT_TRUE(graph.run());
  EXPECT_EQ(runs, (std::vector<int>{1, 0, 0}));
  stop = false;
  ASSERT_TRUE(graph.run());
  EXPECT_EQ(runs, (std::vector<int>{2, 1, 1}));
}

TEST(a_graph, goes_on_after_jobs_that_throw_or_are_skipped) {
  thread_pool pool;
  job_graph graph(pool);
  cancellation token;
  token.cancel();
  int runs = 0;
  const graph_job a = *graph.add([] { throw std::runtime_error("broken"); }, {.name = "load"});
  const graph_job b = *graph.add([&runs] { runs += 10; }, {.token = &token});
  const graph_job c = *graph.add([&runs] { ++runs; });
  ASSERT_TRUE(graph.order(a, b));
  ASSERT_TRUE(graph.order(b, c));
  ASSERT_TRUE(graph.run());
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(pool.stats().jobs_thrown, 1u);
}

TEST(a_graph, lets_a_thread_with_a_deadline_go_within_a_chain) {
  thread_pool pool;  // no other thread runs it
  job_graph graph(pool);
  std::uint64_t runs = 0;
  graph_job last = *graph.add([&runs] { ++runs; });
  const auto slow = [&runs] {
    ++runs;
    for (const std::uint64_t end_ns = now_ns() + 200'000; now_ns() < end_ns;) {
    }
  };
  for (int i = 0; i < 20; ++i) {
    const graph_job next = *graph.add(slow);
    ASSERT_TRUE(graph.order(last, next));
    last = next;
  }
  ASSERT_TRUE(graph.start());
  EXPECT_FALSE(graph.wait_until(1));
  EXPECT_LT(runs, 21u);
  graph.wait();
  EXPECT_EQ(runs, 21u);
}

TEST(a_graph, without_memory_says_so) {
  thread_pool pool;
  failing_allocator memory(0);
  job_graph graph(pool, memory);
  EXPECT_EQ(graph.add([] {}).error().code, errc::out_of_memory);
  EXPECT_EQ(graph.run().error().code, errc::out_of_memory);
}

TEST(a_held_job, starts_with_the_last_release) {
  thread_pool pool{{.workers = 2}};
  for (int round = 0; round < 200; ++round) {
    job_group group(pool);
    std::array<int, 3> parts{};
    int sum = 0;
    held_job combine(pool, 3, [&] { sum = parts[0] + parts[1] + parts[2]; }, &group);
    for (std::size_t i = 0; i < 3; ++i) {
      group.run([&, i] {
        parts[i] = static_cast<int>(i) + 1;
        combine.release();
      });
    }
    group.wait();
    EXPECT_EQ(sum, 6);
  }
}

}  // namespace
}  // namespace overture::job_graph_test

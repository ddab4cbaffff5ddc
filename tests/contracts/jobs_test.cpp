// SPDX-License-Identifier: Zlib
//
// Contracts of jobs.
#include <memory>
#include <thread>

#include "contracts/says.hpp"
#include "overture/jobs/job_batch.hpp"
#include "overture/jobs/job_graph.hpp"
#include "overture/jobs/single_threaded.hpp"
#include "overture/jobs/thread_pool.hpp"
#include "overture/sync/barricade.hpp"

namespace overture::jobs_test {
namespace {

using test::expect_says;

constexpr const char* graph_left =
    "a job system was destroyed while a job_graph uses it: destroy the graph first";

TEST(thread_pool_contract, outlives_its_graphs) {
  expect_says(
      [&] {
        auto pool = std::make_unique<thread_pool>();
        const job_graph graph(*pool);
        pool.reset();
      },
      graph_left);
}

TEST(single_threaded_contract, outlives_its_graphs) {
  expect_says(
      [&] {
        auto jobs = std::make_unique<single_threaded>();
        const job_graph graph(*jobs);
        jobs.reset();
      },
      graph_left);
}

TEST(thread_pool_contract, is_pumped_by_its_own_thread) {
  thread_pool pool;
  expect_says([&] { std::thread([&] { pool.pump(0); }).join(); },
              "thread_pool::pump() was called on another thread than the one that made the pool: "
              "submit_main() jobs run only there");
}

TEST(job_group_contract, is_revived_without_pending_jobs) {
  single_threaded jobs;
  job_group group(jobs);
  group.run([] {});
  group.cancel();
  expect_says([&] { group.revive(); },
              "job_group::revive() was called while jobs of the group are pending: wait() first");
}

TEST(job_graph_contract, is_built_before_it_runs) {
  single_threaded jobs;
  job_graph graph(jobs);
  const result<graph_job> one = graph.add([] {});
  const result<graph_job> two = graph.add([] {});
  ASSERT_TRUE(one && two && graph.start());
  constexpr const char* running =
      "a job_graph was changed while it runs: wait() first, then add() and order()";
  expect_says([&] { (void)graph.add([] {}); }, running);
  expect_says([&] { (void)graph.order(*one, *two); }, running);
}

TEST(held_job_contract, has_releases) {
  single_threaded jobs;
  expect_says([&] { held_job(jobs, 0, [] {}); },
              "a held_job was made with no releases, so it would never run: submit the job "
              "instead");
}

TEST(cork_contract, ends_after_those_made_later) {
  thread_pool pool;
  expect_says(
      [&] {
        auto outer = std::make_unique<cork>(pool);
        const cork inner(pool);
        outer.reset();
      },
      "a cork was destroyed on another thread, or before a cork made later: keep corks on the "
      "stack");
}

}  // namespace
}  // namespace overture::jobs_test

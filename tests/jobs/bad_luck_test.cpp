// SPDX-License-Identifier: Zlib
//
// What goes wrong in real programs.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "jobs/pool_test_support.hpp"
#include "jobs/sleep/this_thread.hpp"
#include "overture/jobs/job_batch.hpp"
#include "overture/jobs/single_threaded.hpp"
#include "overture/sync/future.hpp"
#include "support/failing_allocator.hpp"

namespace overture::bad_luck_test {
namespace {

struct told {
  atomic<int> threw{0};
  atomic<int> refused{0};
  atomic<const char*> name{nullptr};
  char what[32] = {};

  job_hooks hooks() {
    return {.worker_begins = nullptr,
            .worker_ends = nullptr,
            .job_threw =
                [](void* context, const char* job_name, const char* text) {
                  auto& self = *static_cast<told*>(context);
                  self.name.store(job_name);
                  if (text != nullptr) std::strncpy(self.what, text, sizeof self.what - 1);
                  self.threw.fetch_add(1);
                },
            .wait_refused =
                [](void* context, const char*, const char* below) {
                  auto& self = *static_cast<told*>(context);
                  self.name.store(below);
                  self.refused.fetch_add(1);
                },
            .context = this};
  }
};

TEST(a_job_that_throws, is_reported_and_ends_nothing_but_itself) {
  told seen;
  thread_pool pool{{.workers = 1, .hooks = seen.hooks()}};
  job_group group{pool};
  int runs = 0;
  group.run([] { throw std::runtime_error("broken asset"); }, {.name = "load map"});
  group.wait();
  group.run([&runs] { ++runs; });
  group.wait();
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(seen.threw.load(), 1);
  EXPECT_STREQ(seen.name.load(), "load map");
  EXPECT_STREQ(seen.what, "broken asset");
  EXPECT_EQ(pool.stats().jobs_thrown, 1u);
}

TEST(a_body_that_throws, is_reported_and_the_others_run) {
  thread_pool pool{{.workers = 1}};
  atomic<int> runs{0};
  parallel_for(
      pool, 0, 10,
      [&runs](std::size_t i) {
        if (i == 3) throw 3;
        runs.fetch_add(1);
      },
      1);
  EXPECT_EQ(runs.load(), 9);
  EXPECT_EQ(pool.stats().jobs_thrown, 1u);
}

// On a thread of the host, where no job runs: in one piece, in halves, with no place to fork on.
TEST(a_body_that_throws, is_reported_wherever_it_runs) {
  told seen;
  thread_pool pool{{.hooks = seen.hooks()}};
  thread_pool without_guests{{.guests = 0, .hooks = seen.hooks()}};
  single_threaded in_order{{.hooks = seen.hooks()}};
  single_threaded seeded{{.seed = 5, .hooks = seen.hooks()}};
  int told_of = 0;
  job_system* const all[] = {&pool, &without_guests, &in_order, &seeded};
  for (job_system* const jobs : all) {
    const auto broken = [](std::size_t) { throw std::runtime_error("broken asset"); };
    parallel_for(*jobs, 0, 1, broken);
    EXPECT_EQ(seen.threw.load(), told_of += 1);
    parallel_for(*jobs, 0, 8, broken, 1);
    EXPECT_EQ(seen.threw.load(), told_of += 8);
  }
  EXPECT_STREQ(seen.what, "broken asset");
  EXPECT_EQ(pool.stats().jobs_thrown, 9u);
}

TEST(a_body_that_throws, leaves_the_identity_of_a_reduction) {
  told seen;
  thread_pool pool{{.hooks = seen.hooks()}};
  const auto odd_ones = [](std::size_t i) {
    if (i % 2 == 0) throw 2;
    return std::string(1, static_cast<char>('a' + i));
  };
  const auto join = [](const std::string& a, const std::string& b) { return a + b; };
  EXPECT_EQ(parallel_reduce(pool, 0, 1, std::string(), odd_ones, join), "");
  EXPECT_EQ(parallel_reduce(pool, 0, 8, std::string(), odd_ones, join, 1), "bdfh");
  EXPECT_EQ(seen.threw.load(), 5);
  const auto no_join = [](const std::string&, const std::string&) -> std::string { throw 3; };
  const auto one = [](std::size_t) { return std::string("one"); };
  EXPECT_EQ(parallel_reduce(pool, 0, 2, std::string("none"), one, no_join, 1), "none");
  EXPECT_EQ(seen.threw.load(), 8);
}

TEST(a_job_without_a_callable, is_reported_and_ends) {
  told seen;
  thread_pool pool{{.hooks = seen.hooks()}};
  single_threaded single{{.hooks = seen.hooks()}};
  int told_of = 0;
  job_system* const both[] = {&pool, &single};
  for (job_system* const jobs : both) {
    job_group group{*jobs};
    group.run(job(), {.name = "forgotten"});
    void (*const nothing)() = nullptr;
    group.run(nothing, {.name = "forgotten"});
    auto elsewhere = job::allocated(default_allocator(), nothing);
    ASSERT_TRUE(elsewhere);
    group.run(std::move(*elsewhere), {.name = "forgotten"});
    group.wait();
    EXPECT_EQ(seen.threw.load(), told_of += 3);
    EXPECT_STREQ(seen.name.load(), "forgotten");
    EXPECT_STREQ(seen.what, "a job without a callable");
  }
}

TEST(a_job_that_waits_for_its_own_group, is_refused_and_named) {
  told seen;
  thread_pool pool{{.workers = 1, .hooks = seen.hooks()}};
  job_group group{pool};
  bool waited = true;
  group.run([&] { waited = group.wait_until(0); }, {.name = "first"});
  group.wait();
  EXPECT_FALSE(waited);
  EXPECT_EQ(seen.refused.load(), 1);
  EXPECT_STREQ(seen.name.load(), "first");
}

// Waits when it is destroyed, as a scoped handle of some library may.
class waits_at_its_end {
 public:
  waits_at_its_end(job_group& group, atomic<int>& refused) : group_(&group), refused_(&refused) {}
  waits_at_its_end(waits_at_its_end&& other) noexcept
      : group_(std::exchange(other.group_, nullptr)), refused_(other.refused_) {}
  ~waits_at_its_end() {
    if (group_ != nullptr && !group_->wait_until(0)) refused_->fetch_add(1);
  }

 private:
  job_group* group_;
  atomic<int>* refused_;
};

TEST(a_job_that_waits_for_its_own_group, is_refused_while_its_captures_are_destroyed) {
  for (const bool cancelled : {false, true}) {
    told seen;
    thread_pool pool{{.workers = 1, .hooks = seen.hooks()}};
    single_threaded single({.hooks = seen.hooks()});
    for (job_system* const system :
         {static_cast<job_system*>(&pool), static_cast<job_system*>(&single)}) {
      job_group group{*system};
      atomic<int> refused{0};
      if (cancelled) group.cancel();
      group.run([last = waits_at_its_end(group, refused)] {}, {.name = "last"});
      group.wait();
      EXPECT_EQ(refused.load(), 1);
      EXPECT_STREQ(seen.name.load(), "last");
    }
    EXPECT_EQ(seen.refused.load(), 2);
  }
}

// The job below the fork could not wait for it either: it ends when the half has ended.
TEST(a_half_that_another_thread_runs, is_refused_a_wait_for_a_group_of_a_job_below_its_fork) {
  told seen;
  thread_pool pool{{.workers = 1, .hooks = seen.hooks()}};
  job_group inner{pool};
  job_group outer{pool};
  barricade forks;
  barricade done;
  int refused = 0;
  const auto forking = [&] {
    forks.lower();
    parallel_invoke(
        pool, [&] { done.wait(); },
        [&] {
          if (!inner.wait_until(0)) ++refused;
          if (!outer.wait_until(0)) ++refused;
          done.lower();
        });
  };
  const auto waiting = [&] {
    inner.run(forking, {.name = "inner"});
    inner.wait();
  };
  outer.run(waiting, {.name = "outer"});
  forks.wait();
  while (!pool.try_help()) yield_thread();  // takes the half
  outer.wait();
  EXPECT_EQ(refused, 2);
  EXPECT_EQ(seen.refused.load(), 2);
  EXPECT_STREQ(seen.name.load(), "outer");
}

TEST(a_half_that_another_thread_runs, counts_as_part_of_the_job_that_forked_it) {
  told seen;
  thread_pool pool{{.workers = 1, .hooks = seen.hooks()}};
  job_group group{pool};
  barricade forks;
  barricade done;
  int refused = 0;
  const auto forking = [&] {
    forks.lower();
    parallel_invoke(
        pool, [&] { done.wait(); },
        [&] {
          if (!group.wait_until(0)) ++refused;
          EXPECT_STREQ(seen.name.exchange(nullptr), "forks");
          done.lower();
          throw std::runtime_error("broken asset");
        });
  };
  group.run(forking, {.name = "forks"});
  forks.wait();
  // Above a job of this thread's own.
  thread_pool another;
  another.submit([&group] { group.wait(); }, nullptr, {.name = "waits"});
  EXPECT_TRUE(another.try_help());
  EXPECT_EQ(refused, 1);
  EXPECT_EQ(seen.threw.load(), 1);
  EXPECT_STREQ(seen.name.load(), "forks");
}

TEST(hooks, are_called_on_each_worker_when_it_begins_and_ends) {
  struct seen {
    atomic<std::uint32_t> begun{0};
    atomic<std::uint32_t> ended{0};
    atomic<int> on_another_thread{0};
    jobs_detail::jobs_of_thread* threads[3] = {};
  } all;
  {
    thread_pool pool{{.workers = 3,
                      .hooks = {.worker_begins =
                                    [](void* context, unsigned worker) {
                                      auto& self = *static_cast<seen*>(context);
                                      self.threads[worker] = &jobs_detail::this_thread_jobs();
                                      self.begun.fetch_or(1u << worker);
                                    },
                                .worker_ends =
                                    [](void* context, unsigned worker) {
                                      auto& self = *static_cast<seen*>(context);
                                      if (self.threads[worker] !=
                                          &jobs_detail::this_thread_jobs()) {
                                        self.on_another_thread.fetch_add(1);
                                      }
                                      self.ended.fetch_or(1u << worker);
                                    },
                                .context = &all}}};
    job_group group(pool);
    for (int i = 0; i < 20; ++i) group.run([] {});
    group.wait();
    EXPECT_EQ(all.ended.load(), 0u);
  }
  EXPECT_EQ(all.begun.load(), 7u);
  EXPECT_EQ(all.ended.load(), 7u);
  EXPECT_EQ(all.on_another_thread.load(), 0);
}

void all_run_in_bounded_memory(std::size_t queued_max) {
  tracking_allocator memory;
  {
    thread_pool pool{{.queued_max = queued_max, .memory = &memory}};
    std::uint64_t runs = 0;
    job_group group{pool};
    constexpr std::uint64_t jobs = 1'200'000;  // more than limits::jobs_queued_max
    for (std::uint64_t i = 0; i < jobs; ++i) group.run([&runs] { ++runs; });
    EXPECT_EQ(runs, jobs - queued_max) << "those beyond the limit ran at once";
    EXPECT_LE(memory.usage(memory_tag::jobs).peak_bytes, queued_max * (128 + 32) + (1u << 20));
    group.wait();
    EXPECT_EQ(runs, jobs);
  }
  EXPECT_EQ(memory.usage(memory_tag::jobs).bytes, 0u);
}

TEST(a_million_jobs_at_once, all_run_and_take_bounded_memory) {
  all_run_in_bounded_memory(thread_pool_config{}.queued_max);
  all_run_in_bounded_memory(limits::jobs_queued_max);
}

// The thread that submits a job may have counted something that the job ends: the group must not
// reach zero by that while the job runs.
TEST(a_job_that_submit_runs, is_counted_until_it_has_ended) {
  for (const std::uint64_t refused_from : {std::uint64_t{0}, std::uint64_t{1}}) {
    failing_allocator memory(refused_from, true);
    thread_pool pool{{.workers = 1, .memory = &memory}};
    EXPECT_FALSE(pool.status());
    job_group group{pool};
    std::uint32_t pending = 0;
    const auto look = [&] { pending = group.pending(); };
    group.run(look);
    EXPECT_EQ(pending, 1u);
    pool.submit_main(look, &group);
    EXPECT_EQ(pending, 1u);
    {
      job_batch batch(pool, &group);
      batch.add(look);
    }
    EXPECT_GE(pending, 1u);
    EXPECT_EQ(group.pending(), 0u);
  }
}

// Submits from its destructor.
class parting {
 public:
  parting(thread_pool& pool, atomic<int>& runs) noexcept : pool_(&pool), runs_(&runs) {}
  parting(parting&& other) noexcept
      : pool_(std::exchange(other.pool_, nullptr)), runs_(other.runs_) {}
  ~parting() {
    if (pool_ == nullptr) return;
    pool_->submit([runs = runs_] { runs->fetch_add(1); });
  }
  void operator()() {}

 private:
  thread_pool* pool_;
  atomic<int>* runs_;
};

TEST(a_pool_that_ends, runs_what_destructors_submit_meanwhile) {
  for (const unsigned workers : {0u, 2u}) {
    atomic<int> runs{0};
    {
      thread_pool pool{{.workers = workers}};
      for (int i = 0; i < 20; ++i) pool.submit(parting(pool, runs));
    }
    EXPECT_EQ(runs.load(), 20);
  }
}

TEST(a_pool_that_ends, runs_what_lies_in_any_of_its_queues) {
  int runs = 0;
  const auto add = [&runs] { ++runs; };
  {
    thread_pool pool;
    for (const auto each : {job_priority::high, job_priority::normal, job_priority::low}) {
      pool.submit(add, nullptr, {.priority = each});
    }
    pool.submit_main(add);
  }
  EXPECT_EQ(runs, 4);
}

TEST(a_pool_that_ends, cancels_what_is_queued_if_it_was_told_to) {
  auto owned = std::make_shared<int>(0);
  atomic<int> runs{0};
  {
    thread_pool pool{{.queued = at_end::cancel}};
    for (int i = 0; i < 20; ++i) pool.submit([&runs, owned] { runs.fetch_add(1); });
  }
  EXPECT_EQ(runs.load(), 0);
  EXPECT_EQ(owned.use_count(), 1);
}

TEST(a_pool_that_ends, cancels_what_its_workers_have_not_begun) {
  barricade ends;  // lowered by the spare worker, which has nothing else to do than to end
  int runs = 0;
  int runs_always = 0;
  {
    const job_hooks hooks{.worker_ends =
                              [](void* context, unsigned worker) {
                                if (worker == 1) static_cast<barricade*>(context)->lower();
                              },
                          .context = &ends};
    thread_pool pool{{.workers = 1, .spare_workers = 1, .queued = at_end::cancel, .hooks = hooks}};
    const auto queue = [&] {
      for (const auto each : {job_priority::high, job_priority::normal, job_priority::low}) {
        pool.submit([&runs] { ++runs; }, nullptr, {.priority = each});
        pool.submit([&runs_always] { ++runs_always; }, nullptr, {.priority = each, .always = true});
      }
    };
    barricade begun;
    pool.submit([&] {
      begun.lower();
      ends.wait();
      queue();
    });
    begun.wait();
    queue();
  }
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(runs_always, 6);
}

TEST(a_worker_that_is_not_scheduled, holds_up_nothing_but_its_own_job) {
  thread_pool pool{{.workers = 1}};
  const test::busy_worker stalled(pool);
  int runs = 0;
  job_group group{pool};
  for (int i = 0; i < 100; ++i) group.run([&runs] { ++runs; });
  group.wait();
  EXPECT_EQ(runs, 100);
}

TEST(sixty_four_workers, do_their_work_on_few_cores) {
  thread_pool pool{{.workers = 64}};
  ASSERT_TRUE(pool.status());
  std::vector<int> runs(5000, 0);
  for (int round = 0; round < 3; ++round) {
    parallel_for(pool, 0, runs.size(), [&runs](std::size_t i) { ++runs[i]; }, 1);
  }
  EXPECT_EQ(runs, std::vector<int>(5000, 3));
}

TEST(then, whose_function_throws_on_a_pool_is_reported_and_ends_as_threw) {
  int reported = 0;
  const auto count = [](void* context, const char*, const char*) { ++*static_cast<int*>(context); };
  {
    thread_pool pool{{.workers = 1, .hooks = {.job_threw = count, .context = &reported}}};
    auto made = *promise<int>::make();
    const auto after = made.future().then(
        pool, [](const result<int>&) -> int { throw std::runtime_error("broken asset"); });
    made.set_value(1);
    EXPECT_EQ(after->get().error().code, errc::threw);
  }
  EXPECT_EQ(reported, 1);
}

TEST(a_task, that_throws_is_reported_by_every_job_system) {
  const task throws{[](void*) { throw std::runtime_error("broken asset"); }, nullptr};
  const auto count = [](void* context, const char*, const char* what) {
    EXPECT_STREQ(what, "broken asset");
    ++*static_cast<int*>(context);
  };
  int reported = 0;
  {
    thread_pool pool{{.hooks = {.job_threw = count, .context = &reported}}};
    pool.execute(throws);
    job_group group{pool};
    group.execute(throws);
    group.wait();
  }
  EXPECT_EQ(reported, 2);
  single_threaded alone{{.hooks = {.job_threw = count, .context = &reported}}};
  alone.execute(throws);
  alone.run_all();
  EXPECT_EQ(reported, 3);
}

TEST(a_hook, that_throws_is_reported_to_job_threw_and_no_further) {
  std::atomic<int> reported{0};
  {
    thread_pool pool{{.workers = 1,
                      .hooks = {.worker_begins = [](void*, unsigned) { throw 1; },
                                .worker_ends = [](void*, unsigned) { throw 2; },
                                .job_threw =
                                    [](void* context, const char*, const char*) {
                                      ++*static_cast<std::atomic<int>*>(context);
                                      throw 3;
                                    },
                                .wait_refused = [](void*, const char*, const char*) { throw 4; },
                                .context = &reported}}};
    job_group group{pool};
    group.run([&group] { group.wait(); });
    group.wait();
  }
  EXPECT_EQ(reported, 3);
}

TEST(a_thread_factory, that_throws_leaves_a_pool_without_workers) {
  struct throwing final : thread_factory {
    result<thread_handle> start(const thread_options&, void (*)(void*) noexcept, void*) override {
      throw std::runtime_error("no threads today");
    }
    void join(thread_handle) noexcept override {}
  } factory;
  thread_pool pool{{.workers = 2, .threads = &factory}};
  EXPECT_EQ(pool.status().error().code, errc::threw);
  EXPECT_EQ(pool.workers(), 0u);
}

}  // namespace
}  // namespace overture::bad_luck_test

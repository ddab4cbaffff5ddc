// SPDX-License-Identifier: Zlib
//
// A pool that is refused memory or threads goes on with what it has.
#include <gtest/gtest.h>

#include "jobs/pool_test_support.hpp"
#include "overture/jobs/single_threaded.hpp"

namespace overture::refusal_test {
namespace {

class refusing_allocator final : public allocator {
 public:
  explicit refusing_allocator(int allowed) : allowed_(allowed) {}
  void* allocate(std::size_t bytes, std::size_t alignment, memory_tag tag) noexcept override {
    if (allowed_.fetch_sub(1) <= 0) return nullptr;
    balance_.fetch_add(1);
    return default_allocator().allocate(bytes, alignment, tag);
  }
  void deallocate(void* memory, std::size_t bytes, std::size_t alignment,
                  memory_tag tag) noexcept override {
    if (memory != nullptr) balance_.fetch_sub(1);
    default_allocator().deallocate(memory, bytes, alignment, tag);
  }
  [[nodiscard]] int balance() const { return balance_.load(); }
  [[nodiscard]] bool refused() const { return allowed_.load() < 0; }

 private:
  atomic<int> allowed_;
  atomic<int> balance_{0};
};

class refusing_factory final : public thread_factory {
 public:
  explicit refusing_factory(unsigned allowed) : allowed_(allowed) {}
  result<thread_handle> start(const thread_options& options, void (*entry)(void*) noexcept,
                              void* argument) override {
    if (allowed_ == 0) return fail(errc::limit, "no more threads");
    --allowed_;
    return default_thread_factory().start(options, entry, argument);
  }
  void join(thread_handle thread) noexcept override { default_thread_factory().join(thread); }

 private:
  unsigned allowed_;
};

void use(thread_pool& pool) {
  atomic<int> runs{0};
  job_group group{pool};
  for (int i = 0; i < 2000; ++i) group.run([&runs] { runs.fetch_add(1); });
  group.run([&] {
    for (int i = 0; i < 1000; ++i) group.run([&runs] { runs.fetch_add(1); });
  });
  (void)group.wait_until(now_ns() + 1);
  group.wait();
  EXPECT_EQ(runs.load(), 3000);
  EXPECT_EQ(test::fib(pool, 10), 55u);
}

TEST(refused_memory, leaves_a_pool_that_runs_every_job) {
  bool refused = true;
  for (int allowed = 0; refused; ++allowed) {
    ASSERT_LT(allowed, 100);
    refusing_allocator memory(allowed);
    {
      thread_pool pool{{.workers = 3, .memory = &memory}};
      if (!pool.status()) {
        EXPECT_EQ(pool.status().error().code, errc::out_of_memory);
      } else {
        EXPECT_EQ(pool.workers(), 3u);
      }
      use(pool);
      refused = memory.refused();
    }
    EXPECT_EQ(memory.balance(), 0);
  }
}

TEST(refused_memory, makes_a_pool_without_any_run_jobs_where_they_are_submitted) {
  refusing_allocator memory(0);
  thread_pool pool{{.workers = 3, .memory = &memory}};
  ASSERT_FALSE(pool.status());
  EXPECT_EQ(pool.workers(), 0u);
  EXPECT_EQ(pool.concurrency(), 1u);
  int runs = 0;
  pool.submit([&runs] { ++runs; }, nullptr);
  EXPECT_EQ(runs, 1);
  pool.set_idle_reason("nothing");
  EXPECT_EQ(pool.stats().jobs_run, 0u);
  use(pool);
}

TEST(refused_memory, leaves_the_rules_of_jobs_as_they_are) {
  refusing_allocator memory(0);
  thread_pool pool{{.memory = &memory}};
  single_threaded single{{.memory = &memory}};
  job_system* const both[] = {&pool, &single};
  for (job_system* const jobs : both) {
    int runs = 0;
    job_group group(*jobs);
    group.cancel();
    group.run([&runs] { ++runs; });
    cancellation token;
    token.cancel();
    jobs->submit([&runs] { ++runs; }, nullptr, {.token = &token});
    EXPECT_EQ(runs, 0) << "they were cancelled";
    group.revive();
    bool waited = true;
    group.run([&] { waited = group.wait_until(0); });
    EXPECT_FALSE(waited) << "that could not end";
    group.begin_job();
    EXPECT_FALSE(group.wait_until(1));
    EXPECT_TRUE(group.end_job());
  }
}

TEST(refused_threads, leave_a_pool_with_those_that_started) {
  for (unsigned allowed = 0; allowed < 3; ++allowed) {
    refusing_factory threads(allowed);
    thread_pool pool{{.workers = 3, .threads = &threads}};
    ASSERT_FALSE(pool.status());
    EXPECT_EQ(pool.status().error().code, errc::limit);
    EXPECT_EQ(pool.workers(), allowed);
    use(pool);
  }
}

// With three there would be two for the background.
TEST(refused_threads, are_not_those_that_background_jobs_leave_to_the_others) {
  refusing_factory threads(2);
  thread_pool pool{{.workers = 3, .threads = &threads}};
  atomic<unsigned> begun{0};
  barricade door;
  job_group background{pool};
  {
    const test::busy_worker first(pool);
    const test::busy_worker second(pool);
    for (int i = 0; i < 2; ++i) {
      background.run(
          [&] {
            begun.fetch_add(1);
            door.wait();
          },
          {.priority = job_priority::low});
    }
  }
  while (begun.load() + pool.stats().parked_now != 2) yield_thread();
  EXPECT_EQ(begun.load(), 1u);
  door.lower();
  background.wait();
}

}  // namespace
}  // namespace overture::refusal_test

// SPDX-License-Identifier: Zlib
#include "overture/jobs/coroutine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "jobs/pool_test_support.hpp"
#include "overture/jobs/job_batch.hpp"
#include "overture/jobs/single_threaded.hpp"
#include "support/failing_allocator.hpp"

namespace overture::coroutine_test {
namespace {

co_task<int> answer() {
  co_return 42;
}

co_task<int> sum_of(int from, int to) {
  if (to - from == 1) co_return from;
  const int middle = from + (to - from) / 2;
  const result<int> left = co_await sum_of(from, middle);
  const result<int> right = co_await sum_of(middle, to);
  co_return *left + *right;
}

TEST(a_coroutine, gives_its_value_to_its_awaiter_and_to_the_future) {
  thread_pool pool{{.workers = 1}};
  const auto value = spawn(pool, answer());
  ASSERT_TRUE(value);
  EXPECT_EQ(value->get(), 42);
  EXPECT_EQ(spawn(pool, sum_of(0, 1000))->get(), 499'500);
}

co_task<result<int>> refused() {
  co_return fail(errc::corrupt, "no picture");
}

co_task<std::string> passes_on() {
  const result<int> inner = co_await refused();
  if (!inner) co_return tl::unexpected<error>(inner.error());
  co_return std::string("there");
}

TEST(a_coroutine, passes_errors_on_as_values) {
  thread_pool pool;
  const auto outcome = spawn(pool, passes_on());
  while (pool.try_help()) {
  }
  EXPECT_EQ(outcome->get().error().code, errc::corrupt);
}

// Counts what it begins, and notes how it was told to end.
struct cancelled_steps {
  cancellation cancel;
  int begun = 0;
  errc task = errc::invalid;
  errc job = errc::invalid;
  errc future = errc::invalid;
  errc copied = errc::invalid;
};
co_task<int> counted_step(cancelled_steps& of) {
  ++of.begun;
  co_return 1;
}
co_task<int> in_steps(cancelled_steps& of, job_system& jobs, shared_future<int> late) {
  const result<int> first = co_await counted_step(of);
  of.cancel.cancel();
  const result<int> second = co_await counted_step(of);
  if (!second) of.task = second.error().code;
  const result<int> third = co_await run_job(jobs, [&of] { return ++of.begun; });
  if (!third) of.job = third.error().code;
  const result<int>& fourth = co_await late;
  if (!fourth) of.future = fourth.error().code;
  const result<int> fifth = co_await shared_future<int>(late);
  if (!fifth) of.copied = fifth.error().code;
  co_return *first;
}

TEST(a_coroutine, begins_nothing_more_once_it_is_cancelled) {
  thread_pool pool{{.workers = 1}};
  cancelled_steps of;
  auto late = promise<int>::make();
  ASSERT_TRUE(late);
  const auto outcome =
      spawn(pool, in_steps(of, pool, late->future()), default_allocator(), &of.cancel);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->get(), 1);
  EXPECT_EQ(of.begun, 1);
  for (const errc each : {of.task, of.job, of.future, of.copied}) {
    EXPECT_EQ(each, errc::cancelled);
  }
}

co_task<errc> outer_step(cancelled_steps& of, job_system& jobs) {
  const auto inner = [](cancelled_steps& of_all, job_system& on) -> co_task<int> {
    of_all.cancel.cancel();
    co_return co_await run_job(on, [] { return 1; });
  };
  const result<int> ended = co_await inner(of, jobs);
  co_return ended ? errc::invalid : ended.error().code;
}

TEST(a_coroutine, is_cancelled_with_the_one_that_awaits_it) {
  thread_pool pool{{.workers = 1}};
  cancelled_steps of;
  EXPECT_EQ(spawn(pool, outer_step(of, pool), default_allocator(), &of.cancel)->get(),
            errc::cancelled);
}

TEST(a_coroutine, that_is_never_awaited_does_nothing) {
  auto owned = std::make_shared<int>(0);
  {
    const auto made = [](std::shared_ptr<int> held) -> co_task<> {
      ++*held;
      co_return;
    };
    const co_task<> unused = made(owned);
    EXPECT_TRUE(unused.valid());
  }
  EXPECT_EQ(*owned, 0);
  EXPECT_EQ(owned.use_count(), 1);
}

// NOLINTBEGIN(bugprone-use-after-move): that is what these two are about.
co_task<int> awaits_one_twice() {
  co_task<int> once = answer();
  const result<int> first = co_await std::move(once);
  EXPECT_FALSE(once.valid());
  const result<int> second = co_await std::move(once);
  EXPECT_EQ(second.error().code, errc::invalid);
  co_task<int> moved = answer();
  const co_task<int> there = std::move(moved);
  EXPECT_EQ((co_await std::move(moved)).error().code, errc::invalid);
  EXPECT_TRUE(there.valid());
  co_return *first;
}

TEST(a_coroutine, runs_once) {
  thread_pool pool{{.workers = 1}};
  EXPECT_EQ(spawn(pool, awaits_one_twice())->get(), 42);
  co_task<int> moved = answer();
  EXPECT_EQ(spawn(pool, std::move(moved))->get(), 42);
  EXPECT_EQ(spawn(pool, std::move(moved)).error().code, errc::invalid);
}
// NOLINTEND(bugprone-use-after-move)

co_task<int> twice(shared_future<int> number) {
  const result<int>& value = co_await number;
  if (!value) co_return tl::unexpected<error>(value.error());
  co_return 2 * *value;
}

TEST(a_coroutine, waits_for_a_future_without_a_thread) {
  thread_pool pool{{.workers = 1}};
  for (int i = 0; i < 200; ++i) {
    auto made = promise<int>::make();
    const auto later = spawn(pool, twice(made->future()));
    // The one worker is free meanwhile.
    job_group group(pool);
    int runs = 0;
    group.run([&runs] { ++runs; });
    group.wait();
    EXPECT_EQ(runs, 1);
    EXPECT_FALSE(later->is_ready());
    made->set_value(i);
    EXPECT_EQ(later->get(), 2 * i);
  }
}

co_task<std::string> twice_of(shared_future<std::string>&& only) {
  const result<std::string> text = co_await std::move(only);
  co_return *text + *text;
}

TEST(a_coroutine, keeps_what_a_temporary_future_gave) {
  single_threaded jobs;
  auto made = promise<std::string>::make();
  auto only = made->future();
  const auto later = spawn(jobs, twice_of(std::move(only)));
  made->set_value("a text that is too long to lie in the object itself; ");
  jobs.run_all();
  EXPECT_EQ(later->get()->size(), 2 * std::string_view("a text that is too long to lie in the "
                                                       "object itself; ")
                                          .size());
}

TEST(a_coroutine, hears_that_a_promise_was_dropped) {
  thread_pool pool{{.workers = 1}};
  auto made = promise<int>::make();
  const auto later = spawn(pool, twice(made->future()));
  {
    const promise<int> dropped = std::move(*made);
  }
  EXPECT_EQ(later->get().error().code, errc::cancelled);
}

co_task<> pass(barricade& door, atomic<int>& passed) {
  co_await door;
  passed.fetch_add(1);
}

TEST(coroutines, wait_for_a_barricade_in_any_number) {
  thread_pool pool{{.workers = 2}};
  atomic<int> passed{0};
  for (int round = 1; round <= 20; ++round) {
    barricade door;
    barricade other;  // on the same stack: near enough for the same list, now and then
    std::vector<shared_future<void>> all;
    for (int i = 0; i < 50; ++i) all.push_back(*spawn(pool, pass(door, passed)));
    const auto one_more = spawn(pool, pass(other, passed));
    door.lower();
    for (const auto& each : all) each.wait();
    EXPECT_FALSE(one_more->is_ready());
    EXPECT_EQ(passed.load(), 51 * round - 1);
    other.lower();
    one_more->wait();
  }
}

TEST(a_coroutine, that_reaches_a_lowered_barricade_goes_on) {
  single_threaded jobs;
  barricade door{barricade::lowered};
  atomic<int> passed{0};
  const auto done = spawn(jobs, pass(door, passed));
  EXPECT_TRUE(jobs.try_help());
  EXPECT_TRUE(done->is_ready());
  EXPECT_FALSE(jobs.try_help()) << "without another job";
}

TEST(a_coroutine, goes_through_a_barricade_that_was_raised_again) {
  single_threaded jobs;
  barricade door;
  atomic<int> passed{0};
  const auto done = spawn(jobs, pass(door, passed));
  jobs.run_all();
  door.lower();
  door.raise();
  jobs.run_all();
  EXPECT_TRUE(done->is_ready());
}

co_task<std::vector<int>> lends(job_system& jobs) {
  std::vector<int> order{1};
  const result<int> value = co_await run_job(jobs, [&order] {
    order.push_back(2);
    return 3;
  });
  order.push_back(*value);
  const result<void> nothing = co_await run_job(jobs, [&order] { order.push_back(4); });
  order.push_back(nothing ? 5 : 0);
  co_return order;
}

TEST(a_coroutine, waits_for_a_job_and_takes_what_it_returns) {
  thread_pool pool{{.workers = 1}};
  EXPECT_EQ(spawn(pool, lends(pool))->get(), (std::vector<int>{1, 2, 3, 4, 5}));
}

co_task<bool> unlucky(job_system& jobs, const cancellation& token) {
  const auto thrown = co_await run_job(jobs, [] { throw std::runtime_error("broken"); });
  const auto dropped = co_await run_job(jobs, [] { return 1; }, {.token = &token});
  co_return !thrown && thrown.error().code == errc::threw && !dropped &&
      dropped.error().code == errc::cancelled;
}

TEST(a_coroutine, goes_on_after_jobs_that_throw_or_are_dropped) {
  thread_pool pool{{.workers = 1}};
  cancellation token;
  token.cancel();
  EXPECT_EQ(spawn(pool, unlucky(pool, token))->get(), true);
  EXPECT_EQ(pool.stats().jobs_thrown, 1u);
}

co_task<int> throws(bool now) {
  if (now) throw std::runtime_error("broken");
  co_return 1;
}

TEST(a_coroutine, that_throws_is_reported_and_ends_as_threw) {
  thread_pool pool{{.workers = 1}};
  const auto outcome = spawn(pool, throws(true));
  EXPECT_EQ(outcome->get().error().code, errc::threw);
  EXPECT_EQ(pool.stats().jobs_thrown, 1u);
}

co_task<int> from(allocator& memory, int value) {
  (void)memory;
  co_return value;
}

co_task<errc> awaits_from(int value, allocator& memory) {
  const result<int> got = co_await from(memory, value);
  co_return got ? errc::io : got.error().code;
}

TEST(a_coroutine, takes_its_memory_from_its_first_parameter) {
  single_threaded jobs;
  tracking_allocator memory;
  {
    const co_task<int> made = from(memory, 1);
    EXPECT_EQ(memory.usage(memory_tag::jobs).allocations, 1u);
  }
  EXPECT_EQ(memory.usage(memory_tag::jobs).bytes, 0u);

  failing_allocator refusing(0);
  EXPECT_FALSE(from(refusing, 1).valid());
  failing_allocator refusing_again(0);
  EXPECT_EQ(spawn(jobs, from(refusing_again, 1)).error().code, errc::out_of_memory);
  failing_allocator no_future(0);
  EXPECT_EQ(spawn(jobs, from(memory, 1), no_future).error().code, errc::out_of_memory);
  EXPECT_EQ(memory.usage(memory_tag::jobs).bytes, 0u);

  failing_allocator inner(0);
  const auto told = spawn(jobs, awaits_from(1, inner));
  jobs.run_all();
  EXPECT_EQ(told->get(), errc::out_of_memory);
}

TEST(a_coroutine, ends_in_a_pool_that_cancels) {
  auto made = promise<int>::make();
  shared_future<int> outcome;
  {
    thread_pool pool{{.queued = at_end::cancel}};
    outcome = *spawn(pool, twice(made->future()));
    while (pool.try_help()) {
    }
    made->set_value(4);
    EXPECT_FALSE(outcome.is_ready()) << "the rest has not run yet";
  }
  EXPECT_EQ(outcome.get(), 8);
}

co_task<int> awaits_often(int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += *co_await answer();
  co_return sum;
}

co_task<int> depth_of(int depth) {
  if (depth == 0) co_return 0;
  const result<int> below = co_await depth_of(depth - 1);
  co_return *below + 1;
}

// Whether or not the compiler makes a jump of a move from one to the other.
TEST(a_coroutine, takes_no_stack_for_those_that_it_awaits) {
  thread_pool pool{{.workers = 1}};
  EXPECT_EQ(spawn(pool, awaits_often(100'000))->get(), 4'200'000);
  EXPECT_EQ(spawn(pool, depth_of(100'000))->get(), 100'000);

  single_threaded jobs;
  const auto sum = *spawn(jobs, awaits_often(256));
  while (jobs.try_help()) {
  }
  EXPECT_EQ(sum.get(), 256 * 42);
  EXPECT_EQ(jobs.jobs_run(), 3u) << "the first, and one in each 256 moves";
}

co_task<int> counts_jobs() {
  co_return test::jobs_on_this_stack();
}
co_task<int> deepest_of(int awaits) {
  int most = 0;
  for (int i = 0; i < awaits; ++i) most = std::max(most, *co_await counts_jobs());
  co_return most;
}

TEST(a_coroutine, that_awaits_others_takes_no_job_above_its_own_where_there_is_no_room) {
  thread_pool full{{.queued_max = 1}};
  bool is_full = false;
  while (!is_full) full.submit([&is_full] { is_full = true; });
  const auto most = *spawn(full, deepest_of(2'000));
  ASSERT_TRUE(most.is_ready());
  EXPECT_LE(*most.get(), 2);
}

co_task<int> awaits_jobs(job_system& jobs, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += *co_await run_job(jobs, [] { return 1; });
  co_return sum;
}

TEST(a_coroutine, takes_no_stack_where_there_is_no_room_for_its_jobs) {
  failing_allocator nothing(0, true);
  thread_pool full{{.queued_max = 1}};
  thread_pool pool_without_memory{{.memory = &nothing}};
  single_threaded without_memory{{.memory = &nothing}};
  bool is_full = false;
  while (!is_full) full.submit([&is_full] { is_full = true; });
  job_system* const all[] = {&full, &pool_without_memory, &without_memory};
  for (job_system* const jobs : all) {
    const auto sum = *spawn(*jobs, awaits_jobs(*jobs, 100'000));
    ASSERT_TRUE(sum.is_ready()) << "all ran inside submit()";
    EXPECT_EQ(sum.get(), 100'000);
  }
}

// The jobs that a cork has gathered run later if there is no room in the call that releases them.
TEST(a_coroutine, waits_for_a_job_in_a_cork_of_a_full_pool) {
  thread_pool full{{.queued_max = 1}};
  bool is_full = false;
  while (!is_full) full.submit([&is_full] { is_full = true; });
  cork gathered(full);
  const auto sum = *spawn(full, awaits_jobs(full, 100));
  for (int i = 0; i < 100; ++i) {
    gathered.flush();
    EXPECT_FALSE(sum.is_ready());
  }
  gathered.flush();
  EXPECT_EQ(sum.get(), 100);
}

// Runs each job inside submit(), and looks at the options afterwards.
class hasty final : public job_system {
 public:
  void submit(job work, job_group*, const job_options& options) noexcept override {
    work();
    priorities.push_back(options.priority);
  }
  void wait(job_group&) noexcept override {}
  bool wait_until(job_group&, std::uint64_t) noexcept override { return true; }
  [[nodiscard]] unsigned concurrency() const noexcept override { return 1; }
  void set_idle_reason(const char*) noexcept override {}

  std::vector<job_priority> priorities;  // of those that have ended first, first
};

// Overwrites what it frees.
class wiping_allocator final : public allocator {
 public:
  void* allocate(std::size_t bytes, std::size_t alignment, memory_tag tag) noexcept override {
    return default_allocator().allocate(bytes, alignment, tag);
  }
  void deallocate(void* memory, std::size_t bytes, std::size_t alignment,
                  memory_tag tag) noexcept override {
    auto* const first = static_cast<volatile unsigned char*>(memory);
    for (std::size_t i = 0; i < bytes; ++i) first[i] = 0xA5;
    default_allocator().deallocate(memory, bytes, alignment, tag);
  }
};

co_task<int> awaits_urgent_job(allocator&, job_system& jobs) {
  co_return *co_await run_job(jobs, [] { return 1; }, {.priority = job_priority::high});
}

TEST(a_coroutine, may_end_before_its_job_is_submitted) {
  hasty jobs;
  wiping_allocator memory;
  const auto outcome = spawn(jobs, awaits_urgent_job(memory, jobs));
  EXPECT_EQ(outcome->get(), 1);
  EXPECT_EQ(jobs.priorities, (std::vector{job_priority::high, job_priority::normal}));
}

TEST(coroutines, take_turns_in_the_order_of_the_seed) {
  const auto order_with = [](std::uint64_t seed) {
    single_threaded jobs{{.seed = seed}};
    std::vector<int> order;
    const auto walk = [](job_system& on, std::vector<int>& steps, int which) -> co_task<> {
      for (int i = 0; i < 4; ++i) {
        (void)co_await run_job(on, [&steps, which] { steps.push_back(which); });
      }
    };
    std::vector<shared_future<void>> all;
    for (int i = 0; i < 4; ++i) all.push_back(*spawn(jobs, walk(jobs, order, i)));
    jobs.run_all();
    for (const auto& each : all) EXPECT_TRUE(each.is_ready());
    return order;
  };
  EXPECT_EQ(order_with(5), order_with(5));
  EXPECT_NE(order_with(5), order_with(6));
}

}  // namespace
}  // namespace overture::coroutine_test

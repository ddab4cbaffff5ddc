// SPDX-License-Identifier: Zlib
#include "overture/sync/future.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "overture/base/thread.hpp"
#include "support/failing_allocator.hpp"
#include "support/guards.hpp"
#include "support/manual_executor.hpp"
#include "support/recording_observer.hpp"
#include "support/wake_calls.hpp"
#include "sync/wait.hpp"

namespace overture::future_test {
namespace {

using namespace sync_detail;
using namespace std::chrono_literals;
using test::manual_executor;

constexpr std::uint64_t never = ~std::uint64_t{0};

TEST(futures, let_the_last_handle_take_the_value) {
  auto made = promise<std::unique_ptr<int>>::make();
  ASSERT_TRUE(made);
  auto one = made->future();
  EXPECT_EQ(one.take().error().code, errc::busy) << "not there yet";
  made->set_value(std::make_unique<int>(7));
  auto two = one;
  EXPECT_EQ(one.take().error().code, errc::busy) << "two handles";
  EXPECT_EQ(**one.get(), 7);
  two = {};
  const auto taken = one.take();
  ASSERT_TRUE(taken);
  EXPECT_EQ(**taken, 7);
  EXPECT_FALSE(one.valid());

  future_storage<int> storage;
  promise<int> kept(storage);
  auto stored = kept.future();
  kept.set_value(1);
  EXPECT_EQ(stored.take().error().code, errc::busy) << "handles are not counted";

  auto broken = promise<int>::make();
  auto failed = broken->future();
  auto other = failed;
  broken->set_error({.code = errc::io});
  EXPECT_EQ(failed.take().error().code, errc::io);
  EXPECT_EQ(other.get().error().code, errc::io);
}

// Says that a promise has come to its continuations, and holds it there.
class holding_executor final : public executor {
 public:
  void execute(task work) noexcept override {
    reached.lower();
    go_on.wait();
    work.run(work.context);
  }
  barricade reached;
  barricade go_on;
};

TEST(futures, destroy_the_value_with_the_last_handle_though_the_promise_has_not_returned) {
  auto made = promise<std::shared_ptr<int>>::make();
  auto future = made->future();
  holding_executor where;
  continuation last{{[](void*) {}, nullptr}, &where};
  future.on_ready(last);
  auto content = std::make_shared<int>(1);
  const std::weak_ptr<int> value = content;
  std::thread setter([&] { made->set_value(std::move(content)); });
  where.reached.wait();
  EXPECT_FALSE(value.expired());
  future = {};
  EXPECT_TRUE(value.expired());
  where.go_on.lower();
  setter.join();
}

TEST(futures, give_the_value_that_was_promised) {
  auto made = promise<std::string>::make();
  ASSERT_TRUE(made);
  const auto future = made->future();
  EXPECT_FALSE(future.is_ready());
  EXPECT_FALSE(future.wait_for(1ms));
  made->set_value("there");
  EXPECT_FALSE(made->valid());
  EXPECT_TRUE(future.is_ready());
  EXPECT_TRUE(future.wait_for(0ns));
  EXPECT_EQ(future.get().value(), "there");
  EXPECT_EQ(&future.get(), &future.get()) << "shared, not copied";
}

TEST(futures, give_the_error_that_was_set) {
  auto made = *promise<int>::make();
  const auto future = made.future();
  made.set_error({errc::corrupt, 0, "bad"});
  ASSERT_FALSE(future.get());
  EXPECT_EQ(future.get().error().code, errc::corrupt);
}

TEST(futures, of_nothing_tell_that_it_has_happened) {
  auto made = *promise<void>::make();
  const auto future = made.future();
  made.set_value();
  EXPECT_TRUE(future.get().has_value());
}

TEST(futures, say_cancelled_when_the_promise_is_dropped) {
  std::optional made = *promise<int>::make();
  const auto future = made->future();
  made.reset();
  EXPECT_EQ(future.get().error().code, errc::cancelled);

  auto overwritten = *promise<int>::make();
  const auto other = overwritten.future();
  overwritten = *promise<int>::make();
  EXPECT_EQ(other.get().error().code, errc::cancelled);
}

TEST(futures, take_one_allocation_and_give_it_back_with_the_last_handle) {
  failing_allocator memory(never);
  {
    shared_future<int> copy;
    {
      auto made = *promise<int>::make(memory);
      copy = made.future();
      const auto another = copy;
      made.set_value(1);
    }
    EXPECT_EQ(memory.calls(), 1u);
    EXPECT_GT(memory.live_bytes(), 0);
    EXPECT_EQ(copy.get().value(), 1);
  }
  EXPECT_EQ(memory.live_bytes(), 0);
}

TEST(futures, say_so_when_there_is_no_memory) {
  failing_allocator memory(0, true);
  const auto made = promise<int>::make(memory);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, errc::out_of_memory);

  failing_allocator later(1, true);
  auto first = *promise<int>::make(later);
  manual_executor executor;
  const auto chained =
      first.future().then(executor, [](const result<int>& value) { return *value; });
  ASSERT_FALSE(chained);
  EXPECT_EQ(chained.error().code, errc::out_of_memory);
  first.set_value(1);
  EXPECT_EQ(executor.run(), 0u);
}

TEST(futures, need_no_allocation_in_storage_of_the_callers) {
  const test::no_alloc_scope no_alloc;
  const test::no_lock_scope no_lock;
  future_storage<int> place;
  promise<int> made(place);
  const auto future = made.future();
  const auto copy = future;
  made.set_value(7);
  EXPECT_EQ(copy.get().value(), 7);
}

TEST(futures, cost_no_system_call_without_waiters) {
  const wait_counts before = wait_layer::counts();
  const std::uint64_t wakes = test::wake_calls();
  auto made = *promise<int>::make();
  const auto future = made.future();
  made.set_value(1);
  (void)future.get();
  EXPECT_EQ(test::wake_calls(), wakes);
  EXPECT_EQ(wait_layer::counts().waits, before.waits);
}

TEST(futures, wake_all_waiters) {
  const wait_counts before = wait_layer::counts();
  auto made = *promise<std::unique_ptr<int>>::make();
  const auto future = made.future();
  std::vector<std::thread> waiters;
  for (int i = 0; i < 8; ++i) {
    waiters.emplace_back([future] { EXPECT_EQ(**future.get(), 42); });
  }
  while (wait_layer::counts().waits - before.waits < 8) yield_thread();
  made.set_value(std::make_unique<int>(42));
  for (auto& waiter : waiters) waiter.join();
}

TEST(futures, report_a_wait_that_blocks_with_its_reason) {
  const test::recording_observer observer;
  const auto made = *promise<int>::make();
  EXPECT_FALSE(made.future().wait_for(1ms));
  EXPECT_STREQ(observer.last_reason.load(), wait_reasons::future);
}

TEST(futures, run_what_is_registered_on_its_executor_in_order) {
  auto made = *promise<int>::make();
  const auto future = made.future();
  manual_executor executor;
  std::string order;
  (void)future.then(executor, [&](const result<int>&) { order += 'a'; });
  (void)future.then(executor, [&](const result<int>&) { order += 'b'; });
  EXPECT_EQ(executor.run(), 0u);
  made.set_value(1);
  EXPECT_EQ(order, "") << "must not run on the thread that sets the value";
  (void)future.then(executor, [&](const result<int>&) { order += 'c'; });
  EXPECT_EQ(executor.run(), 3u);
  EXPECT_EQ(order, "abc");
}

TEST(futures, chain_values_errors_and_results) {
  auto made = *promise<int>::make();
  manual_executor executor;
  const auto half = made.future().then(executor, [](const result<int>& value) -> result<int> {
    if (!value) return tl::unexpected(value.error());
    if (*value % 2 != 0) return fail(errc::invalid, "odd");
    return *value / 2;
  });
  const auto text = half->then(executor, [](const result<int>& value) {
    return value ? std::to_string(*value) : std::string(value.error().reason);
  });
  const shared_future<std::string>& typed = *text;
  made.set_value(3);
  while (executor.run() != 0) {
  }
  EXPECT_EQ(half->get().error().code, errc::invalid);
  EXPECT_EQ(typed.get().value(), "odd");
}

TEST(futures, say_so_when_the_function_throws) {
  manual_executor later;
  auto owned = std::make_shared<int>(0);
  auto made = *promise<int>::make();
  const auto number = made.future().then(later, [owned](const result<int>&) -> int { throw 3; });
  ASSERT_TRUE(number);
  made.set_value(1);
  EXPECT_THROW(later.run(), int);
  ASSERT_TRUE(number->is_ready());
  EXPECT_EQ(number->get().error().code, errc::threw);
  EXPECT_EQ(owned.use_count(), 1);
  const auto nothing = number->then(later, [](const result<int>&) { throw 4; });
  EXPECT_THROW(later.run(), int);
  ASSERT_TRUE(nothing->is_ready());
  EXPECT_FALSE(nothing->get());
}

TEST(futures, let_go_what_a_function_owns_when_it_has_run) {
  failing_allocator memory(never);
  auto made = *promise<int>::make(memory);
  manual_executor executor;
  const auto owned = std::make_shared<int>(1);
  const auto after = made.future().then(executor, [owned](const result<int>&) {});
  EXPECT_EQ(owned.use_count(), 2);
  made.set_value(1);
  executor.run();
  EXPECT_EQ(owned.use_count(), 1);
  EXPECT_TRUE(after->is_ready());
  EXPECT_EQ(memory.calls(), 2u) << "one for the promise, one for the future of then()";
}

TEST(futures, run_a_continuation_of_the_callers_without_allocation) {
  manual_executor executor;
  int ran = 0;
  continuation before{{[](void* count) { ++*static_cast<int*>(count); }, &ran}, &executor};
  continuation after = before;
  future_storage<int> place;
  promise<int> made(place);
  const auto future = made.future();
  future.on_ready(before);
  made.set_value(1);
  future.on_ready(after);
  EXPECT_EQ(executor.run(), 2u);
  EXPECT_EQ(ran, 2);
}

TEST(futures, may_leave_the_callers_storage_as_soon_as_they_are_got) {
  for (int round = 0; round < 1000; ++round) {
    auto* const place = new future_storage<int>;
    promise<int> made(*place);
    auto future = made.future();
    std::thread setting([&made] { made.set_value(7); });
    EXPECT_EQ(future.get().value(), 7);
    future = {};
    delete place;
    setting.join();
  }
}

TEST(futures, lose_no_function_that_is_registered_while_the_value_is_set) {
  for (int round = 0; round < 500; ++round) {
    auto made = *promise<int>::make();
    const auto future = made.future();
    manual_executor executor;
    atomic<int> ran{0};
    std::thread registering([&executor, &ran, future] {
      for (int i = 0; i < 3; ++i) {
        (void)future.then(executor, [&ran](const result<int>& value) { ran.fetch_add(*value); });
      }
    });
    made.set_value(1);
    registering.join();
    executor.run();
    EXPECT_EQ(ran.load(), 3);
  }
}

}  // namespace
}  // namespace overture::future_test

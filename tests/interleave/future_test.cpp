// SPDX-License-Identifier: Zlib
//
// The shipped future.cpp, through all interleavings of small programs.
#include "overture/sync/future.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"

namespace overture::future_test {
namespace {

using interleave::at_once;
using interleave::check;
using interleave::expect_clean_and_complete;
using interleave::run;
using interleave::variable;

// Keeps freed memory until the execution ends, so that a later use can be seen, and counts what was
// not freed.
class watching_allocator final : public allocator {
 public:
  ~watching_allocator() override {
    for (void* const memory : all_) ::operator delete(memory);
  }
  OVERTURE_UNWATCHED void* allocate(std::size_t bytes, std::size_t /*alignment*/,
                                    memory_tag) noexcept override {
    ++live;
    all_.push_back(::operator new(bytes));  // which the explorer knows
    return all_.back();
  }
  OVERTURE_UNWATCHED void deallocate(void* /*memory*/, std::size_t, std::size_t,
                                     memory_tag) noexcept override {
    --live;
  }
  int live = 0;

 private:
  std::vector<void*> all_;
};

// An executor without a queue to explore: it keeps one task, and a thread of the program runs it.
class one_task_executor final : public executor {
 public:
  void execute(task work) noexcept override {
    check(work_.run == nullptr, "runs once");
    work_ = work;
    there_.store(1, std::memory_order_release);
  }
  void run_it() {
    while (there_.load(std::memory_order_acquire) == 0) interleave::let_others_run();
    work_.run(work_.context);
  }

 private:
  task work_;
  atomic<int> there_{0};
};

TEST(a_future_in_all_interleavings, gives_its_value_to_two_waiters) {
  expect_clean_and_complete(interleave::explore({.preemptions = 2}, [] {
    watching_allocator memory;
    variable<int> value(0);
    {
      auto made = *promise<int>::make(memory);
      auto first = made.future();
      auto second = first;
      const auto get = [&](shared_future<int>& future) {
        check(future.get(at_once).value() == 7, "the value");
        check(value.read() == 1, "sees what was written before");
        future = {};
      };
      run({[&] {
             value.write(1);
             promise<int> own = std::move(made);
             own.set_value(7);
           },
           [&] { get(first); }, [&] { get(second); }});
    }
    check(memory.live == 0, "nothing is left");
  }));
}

// The last one to let go ends the value, after all that others did with it.
struct watched_value {
  explicit watched_value(int number) : is(number) {}
  watched_value(watched_value&& other) noexcept : is(other.is) {}
  watched_value& operator=(watched_value&&) = delete;
  ~watched_value() { is = 0; }
  int is;
};

TEST(a_future_in_all_interleavings, ends_its_value_after_the_last_use) {
  expect_clean_and_complete(interleave::explore({.preemptions = 2}, [] {
    watching_allocator memory;
    {
      auto made = *promise<watched_value>::make(memory);
      auto first = made.future();
      auto second = first;
      const auto use = [](shared_future<watched_value>& future) {
        check(future.get(at_once)->is == 7, "the value");
        future = {};
      };
      made.set_value(7);
      run({[&] { use(first); }, [&] { use(second); }});
    }
    check(memory.live == 0, "nothing is left");
  }));
}

// Says when it has been destroyed.
struct telling_value {
  explicit telling_value(bool& told) : gone(&told) {}
  telling_value(telling_value&& other) noexcept : gone(std::exchange(other.gone, nullptr)) {}
  telling_value& operator=(telling_value&&) = delete;
  ~telling_value() {
    if (gone != nullptr) *gone = true;
  }
  bool* gone;
};

TEST(a_future_in_all_interleavings, ends_its_value_before_the_last_handle_is_gone) {
  expect_clean_and_complete(interleave::explore({.preemptions = 2}, [] {
    watching_allocator memory;
    {
      bool gone = false;
      atomic<int> left{2};
      auto made = *promise<telling_value>::make(memory);
      auto first = made.future();
      auto second = first;
      const auto use = [&](shared_future<telling_value>& future) {
        future.wait(at_once);
        future = {};
        if (left.fetch_sub(1, std::memory_order_acq_rel) == 1) check(gone, "the value is gone");
      };
      run({[&] { made.set_value(telling_value(gone)); }, [&] { use(first); },
           [&] { use(second); }});
    }
    check(memory.live == 0, "nothing is left");
  }));
}

TEST(a_future_in_all_interleavings, runs_what_is_registered_while_it_is_set_exactly_once) {
  expect_clean_and_complete(interleave::explore({.preemptions = 2, .early_returns = 0}, [] {
    watching_allocator memory;
    {
      one_task_executor other;
      auto made = *promise<int>::make(memory);
      auto future = made.future();
      int ran = 0;
      run({[&] {
             promise<int> own = std::move(made);
             own.set_value(7);
           },
           [&] {
             auto twice = future.then(other, [&ran, future](const result<int>& value) {
               ++ran;
               check(future.is_ready(), "ready where it is used");
               return *value * 2;
             });
             future = {};
             check(twice->get(at_once).value() == 14, "the value of then()");
           },
           [&] { other.run_it(); }});
      check(ran == 1, "ran once");
    }
    check(memory.live == 0, "nothing is left");
  }));
}

TEST(a_future_in_all_interleavings, keeps_two_that_are_registered_at_once) {
  expect_clean_and_complete(interleave::explore({.preemptions = 2}, [] {
    watching_allocator memory;
    {
      one_task_executor first;
      one_task_executor second;
      auto made = *promise<int>::make(memory);
      const auto future = made.future();
      int ran = 0;
      continuation one{{[](void* count) { ++*static_cast<int*>(count); }, &ran}, &first};
      continuation two{{[](void* count) { ++*static_cast<int*>(count); }, &ran}, &second};
      run({[&] { made.set_value(7); }, [&] { future.on_ready(one); },
           [&] { future.on_ready(two); }});
      first.run_it();
      second.run_it();
      check(ran == 2, "both ran");
    }
  }));
}

TEST(a_future_in_all_interleavings, is_ready_where_what_was_registered_runs) {
  expect_clean_and_complete(interleave::explore({.preemptions = 2}, [] {
    watching_allocator memory;
    {
      one_task_executor other;
      auto made = *promise<int>::make(memory);
      const auto future = made.future();
      const auto look = [](void* context) {
        check(static_cast<const shared_future<int>*>(context)->is_ready(), "is ready");
      };
      continuation registered{{look, const_cast<shared_future<int>*>(&future)}, &other};
      run({[&] { made.set_value(7); }, [&] { future.on_ready(registered); },
           [&] { other.run_it(); }});
    }
    check(memory.live == 0, "nothing is left");
  }));
}

// A thread that has the value may free the storage while set_value() is still returning.
TEST(a_future_in_all_interleavings, may_end_in_storage_of_the_caller_as_soon_as_its_value_is_read) {
  expect_clean_and_complete(interleave::explore({.preemptions = 4}, [] {
    alignas(future_storage<int>) std::byte memory[sizeof(future_storage<int>)];
    auto* const place = new (memory) future_storage<int>;
    promise<int> made(*place);
    auto future = made.future();
    run({[&] { made.set_value(7); },
         [&] {
           check(future.get(at_once).value() == 7, "the value");
           future = {};
           place->~future_storage();
           std::memset(memory, 0xFF, sizeof memory);  // what a later read would find
         }});
  }));
}

}  // namespace
}  // namespace overture::future_test

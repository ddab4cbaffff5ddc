// SPDX-License-Identifier: Zlib
//
// The explorer itself: it finds every allowed execution, and no others.
#include "interleave/explorer.hpp"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "overture/base/allocator.hpp"
#include "overture/base/atomic.hpp"

namespace interleave {
namespace {

using overture::allocator;
using overture::atomic;

TEST(the_explorer, sees_every_order_of_two_threads) {
  std::set<std::string> seen;
  const outcome all = explore({.preemptions = 8, .watches = false}, [&] {
    atomic<int> a{0};
    std::string order;
    run({[&] {
           a.fetch_add(1);
           order += "a";
           a.fetch_add(1);
           order += "b";
         },
         [&] {
           a.fetch_add(1);
           order += "c";
           a.fetch_add(1);
           order += "d";
         }});
    seen.insert(order);
  });
  EXPECT_TRUE(all.complete);
  EXPECT_EQ(seen.size(), 6u);  // 4! / (2! 2!)
}

TEST(the_explorer, counts_preemptions) {
  std::set<std::string> seen;
  (void)explore({.preemptions = 0, .watches = false}, [&] {
    atomic<int> a{0};
    std::string order;
    const auto step = [&](const char* name) {
      a.fetch_add(1);
      order += name;
    };
    run({[&] { step("a"), step("b"); }, [&] { step("c"), step("d"); }});
    seen.insert(order);
  });
  EXPECT_EQ(seen, (std::set<std::string>{"abcd", "cdab"}));
}

using results = std::set<std::tuple<int, int>>;

// Each thread stores to one object and loads the other.
results store_buffering(std::memory_order storing, std::memory_order loading) {
  results seen;
  (void)explore({.preemptions = 4, .stale_loads = 2}, [&] {
    atomic<int> x{0};
    atomic<int> y{0};
    int first = 0;
    int second = 0;
    run({[&] {
           x.store(1, storing);
           first = y.load(loading);
         },
         [&] {
           y.store(1, storing);
           second = x.load(loading);
         }});
    seen.emplace(first, second);
  });
  return seen;
}

TEST(the_explorer, lets_loads_pass_stores_unless_both_are_sequentially_consistent) {
  EXPECT_EQ(store_buffering(std::memory_order_release, std::memory_order_acquire).count({0, 0}),
            1u);
  EXPECT_EQ(store_buffering(std::memory_order_seq_cst, std::memory_order_acquire).count({0, 0}),
            1u);
  EXPECT_EQ(store_buffering(std::memory_order_seq_cst, std::memory_order_seq_cst),
            (results{{0, 1}, {1, 0}, {1, 1}}));
}

// One thread writes data and then a flag; the other reads the flag and then the data.
results message_passing(std::memory_order storing, std::memory_order loading) {
  results seen;
  (void)explore({.preemptions = 4, .stale_loads = 2}, [&] {
    atomic<int> data{0};
    atomic<int> flag{0};
    int first = 0;
    int second = 0;
    run({[&] {
           data.store(1, std::memory_order_relaxed);
           flag.store(1, storing);
         },
         [&] {
           first = flag.load(loading);
           second = data.load(std::memory_order_relaxed);
         }});
    seen.emplace(first, second);
  });
  return seen;
}

TEST(the_explorer, shows_old_data_if_a_flag_is_not_released_and_acquired) {
  const std::tuple<int, int> bad{1, 0};
  EXPECT_EQ(message_passing(std::memory_order_relaxed, std::memory_order_acquire).count(bad), 1u);
  EXPECT_EQ(message_passing(std::memory_order_release, std::memory_order_relaxed).count(bad), 1u);
  EXPECT_EQ(message_passing(std::memory_order_release, std::memory_order_acquire),
            (results{{0, 0}, {0, 1}, {1, 1}}));
}

TEST(the_explorer, never_lets_a_thread_see_an_object_go_back) {
  const outcome seen = explore({.preemptions = 4, .stale_loads = 4}, [] {
    atomic<int> a{0};
    run({[&] {
           a.store(1, std::memory_order_relaxed);
           a.store(2, std::memory_order_relaxed);
         },
         [&] {
           const int first = a.load(std::memory_order_relaxed);
           const int second = a.load(std::memory_order_relaxed);
           check(second >= first, "it went back");
         }});
  });
  EXPECT_EQ(seen.failure, "");
  EXPECT_TRUE(seen.complete);
}

TEST(the_explorer, lets_a_release_go_through_the_read_modify_writes_of_others) {
  const outcome seen = explore({.preemptions = 4, .stale_loads = 2}, [] {
    variable<int> data(0);
    atomic<int> flag{0};
    run({[&] {
           data.write(1);
           flag.store(1, std::memory_order_release);
         },
         [&] { flag.fetch_add(1, std::memory_order_relaxed); },
         [&] {
           if (flag.load(std::memory_order_acquire) == 2) (void)data.read();
         }});
  });
  EXPECT_EQ(seen.failure, "");
  EXPECT_TRUE(seen.complete);
}

// What a compare-exchange of 1 for 2 comes to, and what it saw, after another thread stored 1.
results compare_exchange_of_an_old_value(bool weak, const bounds& limits) {
  results seen;
  (void)explore(limits, [&] {
    atomic<int> a{0};
    int expected = 1;
    bool done = false;
    run({[&] { a.store(1, std::memory_order_relaxed); },
         [&] {
           done = weak ? a.compare_exchange_weak(expected, 2, std::memory_order_relaxed)
                       : a.compare_exchange_strong(expected, 2, std::memory_order_relaxed);
         }});
    seen.emplace(done, expected);
  });
  return seen;
}

TEST(the_explorer, lets_a_compare_exchange_fail_on_an_old_value) {
  EXPECT_EQ(compare_exchange_of_an_old_value(false, {.preemptions = 0, .deviations = 0}),
            (results{{1, 1}}));
  const bounds one_old{.preemptions = 0, .stale_loads = 1, .spurious_failures = 0};
  EXPECT_EQ(compare_exchange_of_an_old_value(false, one_old), (results{{1, 1}, {0, 0}}));
}

TEST(the_explorer, lets_a_weak_compare_exchange_fail_for_no_reason) {
  const bounds one_failure{.stale_loads = 0, .spurious_failures = 1};
  EXPECT_EQ(compare_exchange_of_an_old_value(true, one_failure).count({0, 1}), 1u);
  EXPECT_EQ(compare_exchange_of_an_old_value(false, one_failure).count({0, 1}), 0u);
}

TEST(the_explorer, takes_no_more_deviations_than_it_may) {
  const auto executions_with = [](unsigned deviations) {
    return explore({.preemptions = 8, .deviations = deviations},
                   [] {
                     atomic<int> a{0};
                     const auto work = [&] {
                       for (int i = 0; i < 3; ++i) a.fetch_add(1);
                     };
                     run({work, work});
                   })
        .executions;
  };
  EXPECT_EQ(executions_with(0), 1u);
  EXPECT_GT(executions_with(1), 3u);
  EXPECT_GT(executions_with(2), executions_with(1));
}

TEST(the_explorer, sees_races_on_plain_data) {
  const outcome seen = explore({}, [] {
    variable<int> data(0);
    run({[&] { data.write(1); }, [&] { (void)data.read(); }});
  });
  EXPECT_NE(seen.failure.find("a race"), std::string::npos);
}

#ifndef __SANITIZE_ADDRESS__
// Publishes an int that is no atomic, for another thread that reads it.
outcome publish(std::memory_order storing) {
  return explore({}, [=] {
    int data = 0;
    atomic<int> there{0};
    run({[&] {
           data = 1;
           there.store(1, storing);
         },
         [&] {
           if (there.load(std::memory_order_acquire) == 1) check(data == 1, "there");
         }});
  });
}

TEST(the_explorer, sees_races_on_any_memory) {
  EXPECT_EQ(publish(std::memory_order_release).failure, "");
  EXPECT_NE(publish(std::memory_order_relaxed).failure.find("a race on plain memory"),
            std::string::npos);
}

TEST(the_explorer, sees_memory_that_is_not_freed) {
  void* lost = nullptr;
  const outcome seen = explore({}, [&lost] {
    lost = overture::default_allocator().allocate(8, 8, overture::memory_tag::base);
    run({[] {}});
  });
  overture::default_allocator().deallocate(lost, 8, 8, overture::memory_tag::base);
  EXPECT_NE(seen.failure.find("not freed"), std::string::npos) << seen.failure;
}

TEST(the_explorer, sees_uses_of_freed_memory) {
  const outcome seen = explore({}, [] {
    allocator& memory = overture::default_allocator();
    auto* const data = static_cast<int*>(memory.allocate(4, 4, overture::memory_tag::base));
    atomic<int> freed{0};
    run({[&] {
           memory.deallocate(data, 4, 4, overture::memory_tag::base);
           freed.store(1);
         },
         [&] {
           if (freed.load() == 1) *data = 1;
         }});
  });
  EXPECT_NE(seen.failure.find("memory that has been freed"), std::string::npos);
}
#endif

TEST(the_explorer, says_when_a_program_runs_for_ever) {
  const outcome seen = explore({}, [] {
    atomic<int> never{0};
    run({[&] {
      while (never.load() == 0) let_others_run();
    }});
  });
  EXPECT_NE(seen.failure.find("for ever"), std::string::npos);
}

TEST(the_explorer, says_when_it_has_not_seen_all) {
  const outcome seen = explore({.preemptions = 8, .executions_max = 10}, [] {
    atomic<int> a{0};
    const auto work = [&] {
      for (int i = 0; i < 40; ++i) a.fetch_add(1);
    };
    run({work, work});
  });
  EXPECT_FALSE(seen.complete);
  EXPECT_GT(seen.executions, 0u);
  EXPECT_LE(seen.executions, 100u) << "ten times as many in a long run";
}

}  // namespace
}  // namespace interleave

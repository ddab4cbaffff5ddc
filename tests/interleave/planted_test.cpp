// SPDX-License-Identifier: Zlib
//
// An explorer that finds nothing may be blind, so it must find these.
#include "interleave/planted.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "interleave/explorer.hpp"
#include "overture/sync/event_count.hpp"

namespace planted {
namespace {

using interleave::explore;
using interleave::outcome;
using interleave::run;
using interleave::variable;

const char* const hang = "all remaining threads sleep";

bool finds(const outcome& seen, const char* what) {
  testing::Test::RecordProperty("executions", std::to_string(seen.executions));
  return seen.failure.find(what) != std::string::npos;
}

// One thread raises; another sees that, lowers again and waits; a third waits too.
template <class Event>
void lower_after_a_raise() {
  Event door(true);
  run({[&] { door.raise(); },
       [&] {
         while (door.is_lowered()) interleave::let_others_run();
         door.lower();
         door.wait();
       },
       [&] { door.wait(); }});
}

TEST(the_explorer, finds_a_flag_and_an_event_out_of_step) {
  EXPECT_TRUE(finds(explore({}, lower_after_a_raise<two_state_event>), hang));
}

TEST(the_explorer, finds_a_lowering_that_a_third_state_drops) {
  EXPECT_TRUE(finds(explore({}, lower_after_a_raise<three_state_event>), hang));
}

// A consumer that waits on the shipped event count for what a producer makes true.
struct looks {
  bool before = true;  // the producer publishes before it notifies
  bool again = true;   // the consumer looks between its two phases
};
outcome produce_and_consume(looks right) {
  return explore({.preemptions = 3}, [right] {
    overture::event_count changed;
    atomic<int> ready{0};
    run({[&] {
           if (right.before) ready.store(1, std::memory_order_release);
           changed.notify_one();
           if (!right.before) ready.store(1, std::memory_order_release);
         },
         [&] {
           while (ready.load(std::memory_order_acquire) == 0) {
             const auto key = changed.prepare_wait();
             if (right.again && ready.load(std::memory_order_acquire) != 0) {
               changed.cancel_wait();
               return;
             }
             changed.wait(key, {.spin = overture::spin_policy::none()});
           }
         }});
  });
}

TEST(the_explorer, finds_a_missing_look_between_announcing_and_sleeping) {
  EXPECT_TRUE(finds(produce_and_consume({.again = false}), hang));
}

TEST(the_explorer, finds_a_notify_before_the_publishing) {
  EXPECT_TRUE(finds(produce_and_consume({.before = false}), hang));
}

TEST(the_explorer, finds_nothing_if_both_are_done_right) {
  const outcome seen = produce_and_consume({});
  EXPECT_EQ(seen.failure, "");
  EXPECT_TRUE(seen.complete);
}

TEST(the_explorer, finds_a_missing_generation) {
  const outcome seen = explore({}, [] {
    event_without_generation door;
    run({[&] { door.wait(); },
         [&] {
           while (!interleave::asleep(1)) interleave::let_others_run();
           door.lower();
           door.raise();
         }});
  });
  EXPECT_TRUE(finds(seen, hang));
}

TEST(the_explorer, finds_a_missing_second_look_before_parking) {
  const outcome seen = explore({}, [] {
    event_without_second_look door;
    run({[&] { door.lower(); }, [&] { door.wait(); }});
  });
  EXPECT_TRUE(finds(seen, hang));
}

TEST(the_explorer, finds_a_use_after_free_on_completion) {
  const outcome seen = explore({}, [] {
    std::optional<event_that_looks_back> door(std::in_place);
    run({[&] { door->lower(); },
         [&] {
           door->wait();
           door.reset();
         }});
  });
  EXPECT_TRUE(finds(seen, "use after end of lifetime"));
}

TEST(the_explorer, finds_a_relaxed_store_that_should_publish) {
  const outcome seen = explore({}, [] {
    relaxed_event door;
    variable<int> value(0);
    run({[&] {
           value.write(1);
           door.lower();
         },
         [&] {
           door.wait();
           (void)value.read();
         }});
  });
  EXPECT_TRUE(finds(seen, "a race"));
}

TEST(the_explorer, finds_store_buffering) {
  const auto program = [] {
    event_with_store_buffering door;
    run({[&] { door.lower(); }, [&] { door.wait(); }});
  };
  EXPECT_TRUE(finds(explore({.stale_loads = 1}, program), hang));
  // It is right on a machine that is sequentially consistent.
  EXPECT_EQ(explore({.stale_loads = 0}, program).failure, "");
}

TEST(the_explorer, finds_bugs_at_random_and_again_with_the_same_seed) {
  const auto program = lower_after_a_raise<two_state_event>;
  const outcome first = explore({.random = 20'000, .seed = 7}, program);
  EXPECT_TRUE(finds(first, hang));
  EXPECT_NE(first.failure.find("seed"), std::string::npos);
  const outcome second = explore({.random = 20'000, .seed = 7}, program);
  EXPECT_EQ(first.failure, second.failure);
  EXPECT_EQ(first.executions, second.executions);
}

}  // namespace
}  // namespace planted

// SPDX-License-Identifier: Zlib
//
// The shipped barricade.cpp, through all interleavings of small programs.
#include "overture/sync/barricade.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <new>
#include <optional>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"
#include "interleave/include/sync/wait.hpp"
#include "sync/continuation_table.hpp"

namespace overture {

namespace sync_detail {

struct fresh_continuation_table {
  fresh_continuation_table() {
    for (auto& each : base_detail::shared().continuations) begin_anew(each);
  }
  [[nodiscard]] static bool same_list(const barricade& a, const barricade& b) {
    return &continuation_table::list_of(&a) == &continuation_table::list_of(&b);
  }

 private:
  template <class T>
  static void begin_anew(T& object) {
    object.~T();
    new (&object) T();
  }
};

}  // namespace sync_detail

namespace {

using interleave::at_once;
using interleave::bounds;
using interleave::check;
using interleave::expect_clean;
using interleave::expect_clean_and_complete;
using interleave::run;
using interleave::some_time;
using interleave::variable;
using sync_detail::fresh_continuation_table;

TEST(a_barricade_in_all_interleavings, shows_what_was_written_to_one_that_only_looks) {
  expect_clean_and_complete(interleave::explore({.preemptions = 3}, [] {
    barricade door(barricade::raised);
    variable<int> value(0);
    run({[&] {
           value.write(1);
           door.lower();
         },
         [&] {
           if (door.is_lowered()) check(value.read() == 1, "is seen");
         }});
  }));
}

TEST(a_barricade_in_all_interleavings, lets_two_waiters_through_and_shows_what_was_written) {
  expect_clean_and_complete(interleave::explore({.preemptions = 3}, [] {
    barricade door;
    variable<int> value(0);
    const auto wait = [&] {
      door.wait(at_once);
      check(value.read() == 1, "sees what was written before lower()");
    };
    run({[&] {
           value.write(1);
           door.lower();
         },
         wait, wait});
  }));
}

TEST(a_barricade_in_all_interleavings, may_spin_before_it_sleeps) {
  expect_clean_and_complete(interleave::explore({.preemptions = 2}, [] {
    barricade door;
    variable<int> value(0);
    run({[&] {
           value.write(1);
           door.lower();
         },
         [&] {
           door.wait({.spin = {.pauses = 2, .yields = 2}});
           check(value.read() == 1, "sees what was written before lower()");
         }});
  }));
}

TEST(a_barricade_in_all_interleavings, releases_sleepers_though_it_is_raised_at_once) {
  expect_clean_and_complete(interleave::explore({.preemptions = 2}, [] {
    barricade door;
    const auto wait = [&] { door.wait(at_once); };
    run({wait, wait, [&] {
           while (!interleave::asleep(1) || !interleave::asleep(2)) interleave::let_others_run();
           door.lower();
           door.raise();
         }});
  }));
}

TEST(a_barricade_in_all_interleavings, loses_no_lowering_that_overlaps_a_raising) {
  expect_clean_and_complete(interleave::explore({.preemptions = 4}, [] {
    barricade door{barricade::lowered};
    run({[&] { door.raise(); },
         [&] {
           while (door.is_lowered()) interleave::let_others_run();
           door.lower();
           door.wait(at_once);
         }});
    check(door.is_lowered(), "the lowering came last");
  }));
}

TEST(a_barricade_in_all_interleavings, is_right_between_pulses) {
  expect_clean_and_complete(interleave::explore({.preemptions = 2}, [] {
    barricade door;
    const auto wait = [&] { door.wait(at_once); };
    run({[&] {
           door.lower();
           door.raise();
           door.lower();
         },
         wait, wait});
    check(door.is_lowered(), "the last word decides");
  }));
}

TEST(a_barricade_in_all_interleavings, takes_lowerings_and_raisings_of_several_threads) {
  expect_clean_and_complete(interleave::explore({.preemptions = 2}, [] {
    barricade door;
    run({[&] {
           door.lower();
           door.raise();
           door.lower();
         },
         [&] {
           door.raise();
           door.lower();
         },
         [&] { door.wait(at_once); }});
    check(door.is_lowered(), "both lowered last");
  }));
}

TEST(a_barricade_in_all_interleavings, shows_what_a_second_lowering_published) {
  expect_clean_and_complete(interleave::explore({.preemptions = 3}, [] {
    barricade door;
    atomic<bool> twice{false};
    variable<int> value(0);
    door.lower();
    run({[&] {
           value.write(1);
           door.lower();
           twice.store(true, std::memory_order_relaxed);
         },
         [&] {
           while (!twice.load(std::memory_order_relaxed)) interleave::let_others_run();
           // The relaxed load orders nothing, and a load in wait() might see the first lower(). A
           // raise() reads the latest value.
           door.raise();
           check(value.read() == 1, "each lower() writes");
         }});
  }));
}

// A sleeper's deadline may pass at any step, even that of the wake.
TEST(a_barricade_in_all_interleavings, may_time_out_at_the_very_moment_of_lowering) {
  expect_clean_and_complete(interleave::explore({.preemptions = 2}, [] {
    barricade door;
    variable<int> value(0);
    run({[&] {
           value.write(1);
           door.lower();
         },
         [&] {
           if (door.wait_for(some_time, at_once)) check(value.read() == 1, "in time");
         },
         [&] { door.wait(at_once); }});
    check(door.is_lowered(), "is lowered");
  }));
}

// With three asleep the wake is relayed; a waiter that gives up must not swallow it.
TEST(a_barricade_in_all_interleavings, relays_the_wake_past_a_waiter_that_gives_up) {
  expect_clean_and_complete(interleave::explore({.preemptions = 1}, [] {
    barricade door;
    const auto wait = [&] { door.wait(at_once); };
    run({wait, [&] { (void)door.wait_for(some_time, at_once); }, wait,
         [&] {
           door.lower();
           door.raise();
           door.lower();
         }});
  }));
}

TEST(a_barricade_in_all_interleavings, may_be_destroyed_by_the_one_it_let_through) {
  expect_clean_and_complete(interleave::explore({.preemptions = 4}, [] {
    std::optional<barricade> door(std::in_place);
    run({[&] { door->lower(); },
         [&] {
           door->wait(at_once);
           door.reset();
         }});
  }));
}

TEST(a_barricade_in_all_interleavings, may_be_destroyed_by_the_last_one_out) {
  expect_clean_and_complete(interleave::explore({.preemptions = 2}, [] {
    std::optional<barricade> door(std::in_place);
    atomic<int> inside{2};
    const auto wait = [&] {
      door->wait(at_once);
      if (inside.fetch_sub(1) == 1) door.reset();
    };
    run({[&] { door->lower(); }, wait, wait});
  }));
}

// A late lower() wakes a thread that by then sleeps on something else at the same address.
TEST(a_barricade_in_all_interleavings, disturbs_no_later_sleeper_at_its_address) {
  const bounds few{.preemptions = 1, .early_returns = 2};
  expect_clean_and_complete(interleave::explore(few, [] {
    using word_type = atomic<std::uint32_t>;
    alignas(barricade) std::byte place[sizeof(barricade)];
    auto* const door = new (place) barricade;
    word_type* word = nullptr;
    atomic<int> inside{2};
    barricade replaced;
    const auto wait_twice = [&] {
      door->wait(at_once);
      if (inside.fetch_sub(1) == 1) {
        door->~barricade();
        word = new (place) word_type(0);
        replaced.lower();
      }
      replaced.wait(at_once);
      while (word->load() == 0) (void)sync_detail::address_wait(*word, 0, 0);
    };
    run({[&] { door->lower(); }, wait_twice, wait_twice,
         [&] {
           replaced.wait(at_once);
           word->store(1);
           sync_detail::address_wake_all(word);
         }});
  }));
}

TEST(a_barricade_in_random_interleavings, lets_three_threads_through_while_two_lower_and_raise) {
  const bounds at_random{.stale_loads = 8, .early_returns = 4, .random = 20'000, .seed = 1};
  expect_clean(interleave::explore(at_random, [] {
    barricade door;
    atomic<int> lowering{2};
    const auto lower_and_raise = [&] {
      for (int i = 0; i < 3; ++i) {
        door.lower();
        door.raise();
      }
      if (lowering.fetch_sub(1) == 1) door.lower();
    };
    const auto wait = [&] {
      for (int i = 0; i < 2; ++i) door.wait(at_once);
    };
    run({lower_and_raise, lower_and_raise, wait, wait, [&] {
           (void)door.wait_for(some_time, at_once);
           door.wait(at_once);
         }});
    check(door.is_lowered(), "the last word decides");
  }));
}

// Work that waits without a thread. The executor runs it at once.
class at_once_executor final : public executor {
 public:
  void execute(task work) noexcept override { work.run(work.context); }
};

struct passes {
  barricade_continuation link;
  atomic<int> runs{0};

  passes(barricade& door, const variable<int>& shown, executor& where)
      : door_(door), shown_(shown) {
    link.work = {[](void* self) { static_cast<passes*>(self)->pass(); }, this};
    link.where = &where;
  }
  void wait() {
    if (!door_.on_lowered(link)) pass();
  }

 private:
  void pass() {
    check(shown_.read() == 1, "what was written before the lowering is seen");
    runs.fetch_add(1);
  }

  barricade& door_;
  const variable<int>& shown_;
};

TEST(a_barricade_in_all_interleavings, runs_what_waits_for_it_once) {
  const auto program = [](bool raised_again) {
    return [raised_again] {
      const fresh_continuation_table begun;
      at_once_executor where;
      barricade door;
      variable<int> shown(0);
      passes first(door, shown, where);
      passes second(door, shown, where);
      run({[&] {
             shown.write(1);
             door.lower();
             if (raised_again) door.raise();
           },
           [&] { first.wait(); }, [&] { second.wait(); }});
      door.lower();  // for one that came after it was raised again
      check(first.runs.load() == 1 && second.runs.load() == 1, "each ran once");
    };
  };
  for (const bool raised_again : {false, true}) {
    expect_clean(interleave::explore(
        {.preemptions = 2, .early_returns = 0, .executions_max = 20'000}, program(raised_again)));
    expect_clean(
        interleave::explore({.stale_loads = 3, .random = 3'000, .seed = 5}, program(raised_again)));
  }
}

TEST(a_barricade_in_all_interleavings, releases_a_sleeper_and_what_waits_without_a_thread) {
  expect_clean(interleave::explore({.preemptions = 2, .executions_max = 20'000}, [] {
    const fresh_continuation_table begun;
    at_once_executor where;
    barricade door;
    variable<int> shown(0);
    passes first(door, shown, where);
    run({[&] {
           shown.write(1);
           door.lower();
         },
         [&] {
           door.wait(at_once);
           check(shown.read() == 1, "what was written before the lowering is seen");
         },
         [&] { first.wait(); }});
    check(first.runs.load() == 1, "it ran once");
  }));
}

TEST(barricades_in_all_interleavings, share_a_list_and_lose_nothing) {
  const auto program = [] {
    const fresh_continuation_table begun;
    at_once_executor where;
    barricade doors[65];  // more than there are lists, so that two share one
    barricade* one = nullptr;
    barricade* other = nullptr;
    for (std::size_t i = 1; i < 65 && other == nullptr; ++i) {
      for (std::size_t j = 0; j < i && other == nullptr; ++j) {
        if (!fresh_continuation_table::same_list(doors[i], doors[j])) continue;
        one = &doors[i];
        other = &doors[j];
      }
    }
    const variable<int> shown(1);
    passes first(*one, shown, where);
    passes second(*other, shown, where);
    run({[&] { one->lower(); }, [&] { other->lower(); },
         [&] {
           first.wait();
           second.wait();
         }});
    check(first.runs.load() == 1 && second.runs.load() == 1, "each ran once");
  };
  expect_clean(interleave::explore({.preemptions = 2, .early_returns = 0, .executions_max = 20'000},
                                   program));
  expect_clean(interleave::explore({.stale_loads = 3, .random = 3'000, .seed = 5}, program));
}

}  // namespace
}  // namespace overture

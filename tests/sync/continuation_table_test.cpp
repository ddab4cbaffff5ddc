// SPDX-License-Identifier: Zlib
#include "sync/continuation_table.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace overture::continuation_table_test {
namespace {

class at_once final : public executor {
 public:
  void execute(task work) noexcept override { work.run(work.context); }
};

struct passes {
  barricade_continuation link;
  atomic<int> runs{0};

  void wait(barricade& door, executor& where) {
    link.work = {[](void* self) { static_cast<passes*>(self)->runs.fetch_add(1); }, this};
    link.where = &where;
    if (!door.on_lowered(link)) runs.fetch_add(1);
  }
};

TEST(a_continuation, runs_once_when_the_barricade_is_lowered) {
  at_once where;
  barricade door;
  passes first;
  passes second;
  first.wait(door, where);
  second.wait(door, where);
  EXPECT_EQ(first.runs.load(), 0);
  door.lower();
  EXPECT_EQ(first.runs.load(), 1);
  EXPECT_EQ(second.runs.load(), 1);
  door.lower();
  EXPECT_EQ(first.runs.load(), 1);
}

TEST(a_continuation, does_not_wait_for_what_is_lowered) {
  at_once where;
  barricade door{barricade::lowered};
  passes seen;
  seen.wait(door, where);
  EXPECT_EQ(seen.runs.load(), 1);
  EXPECT_FALSE(door.on_lowered(seen.link));
  EXPECT_EQ(seen.runs.load(), 1);
}

TEST(continuations, of_many_barricades_and_threads_run_once_each) {
  at_once where;
  constexpr std::size_t doors = 200;  // more than there are lists
  for (int round = 0; round < 10; ++round) {
    std::vector<barricade> all(doors);
    std::vector<passes> waiting(doors);
    std::vector<std::thread> threads;
    for (std::size_t half = 0; half < 2; ++half) {
      threads.emplace_back([&, half] {
        for (std::size_t i = half; i < doors; i += 2) waiting[i].wait(all[i], where);
      });
      threads.emplace_back([&, half] {
        for (std::size_t i = half; i < doors; i += 2) all[doors - 1 - i].lower();
      });
    }
    for (std::thread& each : threads) each.join();
    for (const passes& each : waiting) EXPECT_EQ(each.runs.load(), 1);
  }
}

}  // namespace
}  // namespace overture::continuation_table_test

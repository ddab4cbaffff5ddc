// SPDX-License-Identifier: Zlib
//
// asset_store: what is in memory at once. The assets count themselves, in MiB that they only claim.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <sstream>
#include <string>
#include <thread>

#include "assets/memory_rig.hpp"
#include "overture/sync/memory_ledger.hpp"

namespace overture::memory_test {
namespace {

using namespace std::chrono_literals;
using namespace overture::literals;
using namespace overture::test;

TEST(asset_memory, of_a_level_that_is_dropped_is_there_for_the_next) {
  for (const unsigned workers : {0u, 1u, 3u}) {
    for (const bool free_parts : {false, true}) {
      for (const bool free_levels : {false, true}) {
        SCOPED_TRACE(testing::Message() << workers << free_parts << free_levels);
        memory_rig rig({.workers = workers});
        rig.parts.is_free = free_parts;
        rig.levels.is_free = free_levels;
        rig.add_level("a", 200);
        rig.add_level("b", 200);
        rig.mount();
        memory_store store(rig, {.keep_bytes = 0, .budget_bytes = 16 * mib});
        asset<level> now = store.get<level>("a"_path);
        ASSERT_TRUE(store.is_ready(now));
        EXPECT_EQ(rig.sum.now, 200u);
        now = {};
        now = store.get<level>("b"_path);
        ASSERT_TRUE(store.is_ready(now));
        EXPECT_LE(rig.sum.peak, 200u + 16u);
        EXPECT_EQ(rig.sum.now, 200u);
        EXPECT_EQ(store.progress().held_bytes, 200 * mib);
      }
    }
  }
}

TEST(asset_memory, nothing_begins_before_what_was_dropped_is_unloaded_except_what_is_urgent) {
  memory_rig rig({.workers = 0});
  rig.parts.is_free = true;
  rig.add_level("a", 20);
  rig.add_level("b", 20);
  rig.add("urgent", "1");
  rig.mount();
  memory_store store(rig, {.keep_bytes = 0, .budget_bytes = 16 * mib, .background_threads = 0});
  asset<level> now = store.get<level>("a"_path);
  ASSERT_TRUE(store.is_ready(now));
  now = {};
  now = store.get<level>("b"_path);
  store.run_jobs();
  EXPECT_EQ(rig.sum.decodes, 20) << "level a waits for pump() to be unloaded";
  EXPECT_EQ(store.progress().waiting_bytes, 20 * mib);
  const asset<part> urgent = store.get<part>("urgent"_path, asset_priority::high);
  store.run_jobs();
  EXPECT_TRUE(urgent.is_ready());
  EXPECT_EQ(now.state(), asset_state::queued);
  ASSERT_TRUE(store.is_ready(now));
}

TEST(asset_memory, what_a_dropped_level_still_waited_for_is_not_decoded) {
  for (const bool free_levels : {false, true}) {
    memory_rig rig({.workers = 0});
    rig.parts.is_free = true;
    rig.levels.is_free = free_levels;
    rig.add_level("a", 1000);
    rig.mount();
    memory_store store(rig, {.keep_bytes = 0, .background_threads = 0});
    asset<level> now = store.get<level>("a"_path);
    while (rig.sum.decodes < 20) store.pump(1ns);
    now = {};
    store.run_jobs();  // though it never pumps again
    EXPECT_LE(rig.sum.decodes, 20 + 1);
    EXPECT_EQ(rig.sum.now, 0u);
    EXPECT_EQ(store.progress().asked, 0u);
  }
}

TEST(asset_memory, is_bounded_while_the_program_does_not_pump) {
  for (const bool states : {true, false}) {
    memory_rig rig({.workers = 0});
    rig.parts.states = states;
    for (int i = 0; i < 100; ++i) rig.add(std::to_string(i), "4");
    rig.mount();
    memory_store store(rig, {.budget_bytes = 40 * mib, .background_threads = 0});
    std::vector<asset<part>> all;
    for (int i = 0; i < 100; ++i) all.push_back(store.get<part>(std::to_string(i)));
    store.run_jobs();
    EXPECT_GE(rig.sum.now, 20u);
    EXPECT_LE(rig.sum.peak, 30u) << "three quarters: the last is for what is urgent";
    EXPECT_GE(store.progress().waiting_bytes, rig.sum.now * mib);
    for (const asset<part>& each : all) ASSERT_TRUE(store.is_ready(each));
    EXPECT_LE(rig.sum.peak, 400u);
    EXPECT_EQ(store.progress().waiting_bytes, 0u);
    EXPECT_LE(rig.sum.decodes, 100) << "none twice";
  }
}

TEST(asset_memory, of_a_pile_that_waits_for_pump_is_freed_once_at_the_end) {
  for (int round = 0; round < 5; ++round) {
    memory_rig rig({.workers = 2});
    for (int i = 0; i < 500; ++i) rig.add(std::to_string(i), "4");
    rig.mount();
    {
      memory_store store(rig, {.budget_bytes = 2000 * mib});
      std::vector<asset<part>> all;
      for (int i = 0; i < 500; ++i) all.push_back(store.get<part>(std::to_string(i)));
      while (store.progress().for_pump < 300) std::this_thread::yield();
    }
    EXPECT_EQ(rig.sum.now, 0u);
  }
}

TEST(asset_memory, of_what_no_loader_states_is_counted_afterwards) {
  memory_rig rig({.workers = 3});
  rig.parts.states = false;
  for (int i = 0; i < 100; ++i) rig.add(std::to_string(i), "4");
  rig.mount();
  memory_store store(rig, {.budget_bytes = 40 * mib});
  std::vector<asset<part>> all;
  for (int i = 0; i < 100; ++i) all.push_back(store.get<part>(std::to_string(i)));
  while (store.progress().waiting_bytes < 20 * mib) std::this_thread::yield();
  EXPECT_LE(rig.sum.now, 40u + 3 * 4u) << "one for each thread on top";
  for (const asset<part>& each : all) ASSERT_TRUE(store.is_ready(each));
}

TEST(asset_memory, an_asset_larger_than_the_budget_goes_alone) {
  memory_rig rig({.workers = 2});
  for (int i = 0; i < 40; ++i) rig.add(std::to_string(i), i % 10 == 3 ? "50" : "1");
  rig.mount();
  memory_store store(rig, {.keep_bytes = 0, .budget_bytes = 8 * mib});
  std::vector<asset<part>> all;
  for (int i = 0; i < 40; ++i) all.push_back(store.get<part>(std::to_string(i)));
  for (asset<part>& each : all) {
    ASSERT_TRUE(store.is_ready(each));
    each = {};
  }
  EXPECT_LE(rig.sum.peak, 40 * 1u + 4 * 50u);
  // Nothing is held beside it now: the budget and that one asset.
  rig.sum.peak = 0;
  rig.parts.reads = 0;
  while (store.progress().waiting_bytes > 0 || rig.sum.now > 0) store.pump(1ms);
  for (asset<part>& each : all) each = store.get<part>("3"_path);
  ASSERT_TRUE(store.is_ready(all[0]));
  EXPECT_EQ(rig.sum.peak, 50u);
  EXPECT_EQ(rig.parts.reads, 1) << "it is not read in vain";
}

TEST(asset_memory, what_is_urgent_is_not_stuck_behind_a_pile) {
  for (const char* size : {"1", "100"}) {
    for (const auto priority :
         {asset_priority::background, asset_priority::low, asset_priority::normal}) {
      memory_rig rig({.workers = 0});
      rig.levels.is_free = true;
      for (int i = 0; i < 100; ++i) rig.add(std::to_string(i), "2");
      rig.add("urgent.part", size);
      rig.add("urgent", std::string("=") + size);
      rig.mount();
      memory_store store(rig, {.budget_bytes = 16 * mib, .background_threads = 0});
      std::vector<asset<part>> pile;
      for (int i = 0; i < 100; ++i) {
        pile.push_back(store.get<part>(std::to_string(i), priority));
      }
      store.run_jobs();
      ASSERT_GT(store.progress().for_pump, 0u);
      const asset<level> urgent = store.get<level>("urgent"_path, asset_priority::high);
      store.run_jobs();
      EXPECT_TRUE(urgent.is_ready()) << "no pump() is needed for it";
    }
  }
}

TEST(asset_memory, a_raised_asset_leaves_the_pile) {
  memory_rig rig({.workers = 0});
  rig.levels.is_free = true;
  for (int i = 0; i < 100; ++i) rig.add(std::to_string(i), "2");
  rig.add("late", "=1");
  rig.mount();
  memory_store store(rig, {.budget_bytes = 16 * mib, .background_threads = 0});
  std::vector<asset<part>> pile;
  for (int i = 0; i < 100; ++i) pile.push_back(store.get<part>(std::to_string(i)));
  const asset<level> late = store.get<level>("late"_path);
  store.run_jobs();
  ASSERT_EQ(late.state(), asset_state::queued);
  store.raise(late, asset_priority::high);
  store.run_jobs();
  EXPECT_TRUE(late.is_ready());
}

// Each parent is as large as the budget, and waits for what its children need.
TEST(asset_memory, what_others_wait_for_goes_on_though_they_have_all_the_room) {
  for (const std::uint64_t budget : {std::uint64_t{1}, 8 * mib, 1024 * mib}) {
    for (const unsigned workers : {0u, 2u}) {
      memory_rig rig({.workers = workers});
      std::vector<std::string> names;
      for (int i = 0; i < 10; ++i) {
        const std::string name = std::to_string(i);
        names.push_back("parent" + name);
        rig.add("parent" + name, "=8\n@child" + name + "\n@child" + std::to_string((i + 1) % 10));
        rig.add("child" + name, "=8\n@grandchild" + name);
        rig.add("grandchild" + name, "=8\npart" + name);
        rig.add("part" + name, "8");
      }
      rig.mount();
      memory_store store(rig, {.keep_bytes = 0, .budget_bytes = budget, .background_threads = 0});
      std::vector<asset<level>> all;
      for (const std::string& name : names) all.push_back(store.get<level>(name));
      for (const asset<level>& each : all) ASSERT_TRUE(store.is_ready(each));
      EXPECT_EQ(rig.sum.now, 10 * 4 * 8u);
      EXPECT_EQ(store.progress().waiting_bytes, 0u);
    }
  }
}

TEST(asset_memory, what_others_wait_for_goes_on_though_its_file_is_empty) {
  for (const unsigned workers : {0u, 2u}) {
    for (const char* needs : {"empty\nother", "other\nempty", "empty\nempty2\nother"}) {
      store_rig rig({.workers = workers});
      rig.add("list", needs);
      rig.add("empty", "");
      rig.add("empty2", "");
      rig.add("other", "other");
      rig.mount();
      rigged_store store(rig, {.budget_bytes = sizeof(list)});
      const asset<list> one = store.get<list>("list"_path);
      EXPECT_TRUE(store.wait_for(one, test::hang)) << needs;
      EXPECT_TRUE(one.is_ready());
    }
  }
}

// A parent that waits holds its value: more of them do not begin before what they need.
TEST(asset_memory, parents_do_not_pile_up_before_their_children) {
  memory_rig rig({.workers = 0});
  for (int i = 0; i < 50; ++i) {
    rig.add("parent" + std::to_string(i), "=4\npart" + std::to_string(i));
    rig.add("part" + std::to_string(i), "4");
  }
  rig.mount();
  memory_store store(rig, {.keep_bytes = 0, .budget_bytes = 16 * mib, .background_threads = 0});
  std::vector<asset<level>> all;
  for (int i = 0; i < 50; ++i) all.push_back(store.get<level>("parent" + std::to_string(i)));
  store.run_jobs();
  EXPECT_LE(rig.sum.now, 16u + 4u);
  for (const asset<level>& each : all) ASSERT_TRUE(store.is_ready(each));
}

TEST(asset_memory, shares_a_ledger_with_others) {
  memory_rig rig({.workers = 0});
  for (int i = 0; i < 20; ++i) rig.add(std::to_string(i), "2");
  rig.mount();
  memory_ledger ledger(16 * mib);
  {
    memory_store store(rig, {.ledger = &ledger, .background_threads = 0});
    bool ticket = false;
    ASSERT_TRUE(ledger.take(14 * mib, memory_tag::load, ticket));
    std::vector<asset<part>> all;
    for (int i = 0; i < 20; ++i) all.push_back(store.get<part>(std::to_string(i)));
    store.run_jobs();
    EXPECT_EQ(rig.sum.now, 2u) << "one goes alone";
    ledger.give_back(14 * mib, memory_tag::load);
    store.pump(1ns);
    store.run_jobs();
    EXPECT_GE(rig.sum.now, 8u) << "the room of others is noticed";
    for (const asset<part>& each : all) ASSERT_TRUE(store.is_ready(each));
    EXPECT_EQ(ledger.used(), 0u);
    all.resize(10);
  }
  EXPECT_EQ(ledger.used(), 0u);
}

TEST(asset_memory, notices_the_room_that_others_give_back_while_its_own_work_goes_on) {
  memory_rig rig({.workers = 0});
  rig.os.set_cached(true);
  rig.parts.is_free = true;
  rig.add("slow", "slow");
  rig.add("next", "2");
  rig.mount();
  bool goes_on = true;
  rig.texts.during_finalize = [&](words&, std::chrono::nanoseconds) {
    return goes_on ? finalize_step::again : finalize_step::done;
  };
  memory_ledger ledger(16 * mib);
  memory_store store(rig, {.ledger = &ledger, .background_threads = 0});
  ASSERT_TRUE(store.add(rig.texts));
  bool ticket = false;
  ASSERT_TRUE(ledger.take(14 * mib, memory_tag::load, ticket));
  const asset<words> slow = store.get<words>("slow"_path);
  store.run_jobs();
  const asset<part> next = store.get<part>("next"_path);
  store.run_jobs();
  EXPECT_EQ(next.state(), asset_state::queued);
  ledger.give_back(14 * mib, memory_tag::load);
  store.pump(1ns);
  store.run_jobs();
  EXPECT_TRUE(next.is_ready());
  EXPECT_FALSE(slow.is_ready());
  goes_on = false;
  pump_until_settled(store);
}

// With the job of each that was read after it, as a job takes what is most urgent.
TEST(asset_memory, that_is_lacking_for_what_is_dropped_keeps_none_from_being_decoded) {
  memory_rig rig({.workers = 0});
  rig.add("wall", "=5");
  rig.add("large", "12");
  for (const char* name : {"a", "b", "c"}) rig.add(name, "1");
  rig.os.set_cached(true);
  rig.mount();
  memory_store store(rig, {.budget_bytes = 16 * mib, .background_threads = 0});
  const auto run_jobs = [&] {
    while (rig.engine.jobs.try_help()) {
    }
  };
  const asset<level> wall = store.get<level>("wall"_path, asset_priority::high);
  run_jobs();
  ASSERT_EQ(store.progress().for_pump, 1u);
  asset<part> large = store.get<part>("large"_path, asset_priority::high);
  std::vector<asset<part>> all;
  for (const char* name : {"a", "b", "c"}) all.push_back(store.get<part>(name));
  run_jobs();
  EXPECT_EQ(rig.sum.decodes, 0) << "they wait behind the one that has no room";
  for (const asset<part>& each : all) EXPECT_EQ(each.state(), asset_state::decoding) << "read";
  large = {};
  (void)store.progress();  // looks at what was dropped
  run_jobs();
  EXPECT_EQ(rig.sum.decodes, 3);
}

TEST(asset_memory, that_is_lacking_for_what_is_dropped_keeps_none_from_being_read) {
  memory_rig rig({.workers = 0});
  rig.os.set_cached(true);
  rig.texts.is_free = true;
  rig.add("first", "5");  // which is what parts usually take
  rig.add("wall", "=8");
  rig.add("large", "5");
  rig.add("small", "text");
  rig.mount();
  memory_store store(rig, {.budget_bytes = 16 * mib, .background_threads = 0});
  ASSERT_TRUE(store.add(rig.texts));
  ASSERT_TRUE(store.is_ready(store.get<part>("first"_path)));
  const asset<level> wall = store.get<level>("wall"_path);
  store.run_jobs();
  asset<part> large = store.get<part>("large"_path);
  const asset<words> small = store.get<words>("small"_path);
  store.run_jobs();
  EXPECT_EQ(large.state(), asset_state::queued);
  EXPECT_EQ(small.state(), asset_state::queued) << "its turn is later";
  large = {};
  (void)store.progress();  // looks at what was dropped
  store.run_jobs();
  EXPECT_TRUE(small.is_ready());
}

// The first part says what parts usually take, so the child is not begun beside the one that was
// read before.
TEST(asset_memory, beyond_the_budget_is_for_what_others_wait_for_first) {
  memory_rig rig({.workers = 0});
  rig.add("first", "5");
  rig.add("parent", "=10\nchild");
  rig.add("child", "5");
  rig.add("other", "10");
  rig.os.set_cached(true);
  rig.mount();
  memory_store store(rig, {.budget_bytes = 16 * mib, .background_threads = 0});
  ASSERT_TRUE(store.is_ready(store.get<part>("first"_path)));
  const asset<level> parent = store.get<level>("parent"_path);
  const asset<part> other = store.get<part>("other"_path);
  store.run_jobs();
  EXPECT_EQ(parent.state(), asset_state::needing);
  EXPECT_EQ(store.get<part>("child"_path).state(), asset_state::finalizing);
  EXPECT_EQ(other.state(), asset_state::decoding) << "it waits";
  ASSERT_TRUE(store.is_ready(parent) && store.is_ready(other));
}

TEST(asset_memory, that_is_lacking_for_one_file_keeps_no_urgent_one_from_being_read) {
  memory_rig rig({.workers = 0});
  rig.texts.is_free = true;
  rig.add("wall", "=8");
  rig.add("large", "8");
  rig.add("urgent", "text");
  rig.os.set_cached(true);
  rig.mount();
  memory_store store(rig, {.budget_bytes = 16 * mib, .files_max = 1, .background_threads = 0});
  ASSERT_TRUE(store.add(rig.texts));
  const asset<level> wall = store.get<level>("wall"_path);
  const asset<part> large = store.get<part>("large"_path);
  store.run_jobs();
  EXPECT_EQ(large.state(), asset_state::decoding) << "it waits for room";
  const asset<words> urgent = store.get<words>("urgent"_path, asset_priority::high);
  store.run_jobs();
  EXPECT_TRUE(urgent.is_ready()) << "no pump() is needed for it";
  ASSERT_TRUE(store.is_ready(large));
}

}  // namespace
}  // namespace overture::memory_test

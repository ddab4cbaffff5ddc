// SPDX-License-Identifier: Zlib
//
// asset_store: first things first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "assets/store_rig.hpp"
#include "overture/sync/barricade.hpp"
#include "support/temp_folder.hpp"

namespace overture::order_test {
namespace {

using namespace std::chrono_literals;
using namespace overture::literals;
using test::decodes;
using test::list;
using test::os_call_info;
using test::pump_until_settled;
using test::rigged_store;
using test::store_rig;
using test::words;
using ::testing::ElementsAre;

// One file at a time, on the thread that pumps.
constexpr asset_store_config in_order{.files_max = 1, .background_threads = 0};

TEST(asset_order, is_by_priority_and_then_as_asked) {
  store_rig rig({.workers = 0});
  for (const char* name : {"music", "low", "one", "two", "menu"}) rig.add(name, name);
  rig.mount();
  rigged_store store(rig, in_order);
  const asset<words> held[] = {store.get<words>("music"_path, asset_priority::background),
                               store.get<words>("low"_path, asset_priority::low),
                               store.get<words>("one"_path), store.get<words>("two"_path),
                               store.get<words>("menu"_path, asset_priority::high)};
  pump_until_settled(store);
  EXPECT_THAT(decodes(rig), ElementsAre("menu", "one", "two", "low", "music"));
}

// Or a level would show no progress until all that it needs is decoded.
TEST(asset_order, what_is_decoded_is_made_ready_before_its_siblings_are_decoded) {
  for (const unsigned workers : {0u, 1u}) {
    store_rig rig({.workers = workers});
    rig.texts.is_free = true;
    std::string names;
    for (char name = 'a'; name <= 't'; ++name) {
      names += std::string(1, name) + '\n';
      rig.add(std::string(1, name), std::string(1, name));
    }
    rig.add("level", names);
    rig.os.set_cached(true);
    rig.mount();
    std::size_t most_waiting = 0;
    std::size_t decoded = 0;
    rig.texts.before_decode = [&](const std::string&) {
      std::size_t ready = 0;
      for (const std::string& line : rig.happened.lines()) ready += line.starts_with("finalize ");
      most_waiting = std::max(most_waiting, decoded++ - ready);
    };
    rigged_store store(rig, {.background_threads = 0});
    const asset<list> level = store.get<list>("level"_path);
    EXPECT_EQ(store.outcome(level), "ready");
    EXPECT_LE(most_waiting, 2u);
  }
}

TEST(asset_order, no_file_waits_for_more_than_are_in_memory) {
  constexpr unsigned in_memory = 8;
  temp_folder folder;  // in the page cache, so that no read interrupts the jobs
  for (int i = 0; i < 100; ++i) folder.write(std::to_string(i), "text");
  for (const unsigned workers : {0u, 1u}) {
    store_rig rig({.workers = workers});
    file_system files;
    ASSERT_TRUE(files.mount(folder.path()));
    read_queue reads(files);
    asset_store store(files, reads, rig.engine.jobs,
                      {.files_max = in_memory, .background_threads = 0});
    ASSERT_TRUE(store.add(rig.texts));
    std::vector<asset<words>> held;
    for (int i = 0; i < 100; ++i) held.push_back(store.get<words>(std::to_string(i)));
    pump_until_settled(store);
    const std::vector<std::string> order = decodes(rig);
    ASSERT_EQ(order.size(), 100u);
    for (std::size_t i = 0; i < order.size(); ++i) {
      EXPECT_LT(i, std::stoul(order[i]) + 2 * in_memory) << workers << " workers, " << order[i];
    }
  }
}

TEST(asset_order, raises_what_an_asset_needs_with_it) {
  store_rig rig({.workers = 0});
  rig.add("room", "wall.txt\nfloor.txt");
  for (const char* name : {"wall.txt", "floor.txt", "a", "b"}) rig.add(name, name);
  rig.mount();
  rigged_store store(rig, in_order);
  const asset<list> room = store.get<list>("room"_path, asset_priority::low);
  while (room.state() != asset_state::needing) store.pump(1ns);
  const asset<words> a = store.get<words>("a"_path);
  const asset<words> b = store.get<words>("b"_path);
  store.raise(room, asset_priority::high);
  pump_until_settled(store);
  EXPECT_THAT(decodes(rig), ElementsAre("room", "wall.txt", "floor.txt", "a", "b"));
}

TEST(asset_order, of_needs_is_by_their_number_too) {
  store_rig rig({.workers = 0});
  rig.add("far", "a\nb\nc");
  for (const char* name : {"a", "b", "c", "same", "near"}) rig.add(name, name);
  rig.mount();
  rigged_store store(rig, in_order);
  const asset<list> far = store.get<list>("far"_path, asset_priority{130});
  while (far.state() != asset_state::needing) store.pump(1ns);
  const asset<words> same = store.get<words>("same"_path, asset_priority{130});
  const asset<words> near = store.get<words>("near"_path, asset_priority{131});
  pump_until_settled(store);
  EXPECT_THAT(decodes(rig), ElementsAre("far", "a", "near", "b", "c", "same"));
}

TEST(asset_order, asking_again_with_a_higher_priority_raises) {
  store_rig rig({.workers = 0});
  for (const char* name : {"a", "b", "c"}) rig.add(name, name);
  rig.mount();
  rigged_store store(rig, in_order);
  const asset<words> a = store.get<words>("a"_path);
  const asset<words> b = store.get<words>("b"_path);
  const asset<words> c = store.get<words>("c"_path, asset_priority::low);
  const asset<words> again = store.get<words>("c"_path, asset_priority::high);
  const asset<words> lower = store.get<words>("b"_path, asset_priority::low);
  pump_until_settled(store);
  EXPECT_THAT(decodes(rig), ElementsAre("c", "a", "b"));
}

TEST(asset_order, finalizes_by_priority_too) {
  store_rig rig;
  for (const char* name : {"a", "b", "c"}) rig.add(name, name);
  rig.mount();
  rigged_store store(rig);
  const asset<words> a = store.get<words>("a"_path, asset_priority::low);
  const asset<words> b = store.get<words>("b"_path);
  const asset<words> c = store.get<words>("c"_path);
  while (store.progress().for_pump < 3) std::this_thread::yield();
  store.raise(a, asset_priority::high);
  store.pump(0ns);
  EXPECT_TRUE(a.is_ready());
  EXPECT_FALSE(b.is_ready());
  EXPECT_EQ(store.progress().for_pump, 2u);
}

TEST(asset_order, unloads_before_it_finalizes_what_is_no_more_urgent) {
  for (const asset_priority next :
       {asset_priority::low, asset_priority::normal, asset_priority::high}) {
    store_rig rig;
    rig.add("old", "old");
    rig.add("new", "new");
    rig.mount();
    rigged_store store(rig, {.keep_bytes = 0});
    asset<words> old = store.get<words>("old"_path);
    ASSERT_EQ(store.outcome(old), "ready");
    const asset<words> fresh = store.get<words>("new"_path, next);
    while (store.progress().for_pump == 0) std::this_thread::yield();
    old = {};
    const pump_result first = store.pump(0ns);
    EXPECT_EQ(first.unloaded, next == asset_priority::high ? 0u : 1u);
    EXPECT_EQ(first.steps, next == asset_priority::high ? 1u : 0u);
    EXPECT_EQ(store.outcome(fresh), "ready");
  }
}

TEST(asset_order, a_background_decode_keeps_no_worker) {
  store_rig rig({.workers = 1});
  rig.add("music", "music");
  rig.add("menu", "menu");
  rig.mount();
  barricade gate{barricade::raised};
  rig.texts.before_decode = [&](const std::string& path) {
    if (path == "music") gate.wait();
  };
  rigged_store store(rig);
  const asset<words> music = store.get<words>("music"_path, asset_priority::background);
  while (music.state() != asset_state::decoding) std::this_thread::yield();
  const asset<words> menu = store.get<words>("menu"_path);
  EXPECT_EQ(store.outcome(menu), "ready") << "the only worker is free";
  gate.lower();
  EXPECT_EQ(store.outcome(music), "ready");
}

TEST(asset_order, a_background_asset_that_is_raised_while_it_waits_is_decoded_by_a_worker) {
  store_rig rig({.workers = 1});
  rig.add("music", "music");
  rig.add("other", "other");
  rig.mount();
  barricade gate{barricade::raised};
  rig.texts.before_decode = [&](const std::string& path) {
    if (path == "music") gate.wait();
  };
  rigged_store store(rig);
  const asset<words> music = store.get<words>("music"_path, asset_priority::background);
  while (music.state() != asset_state::decoding) std::this_thread::yield();
  const asset<words> other = store.get<words>("other"_path, asset_priority::background);
  while (other.state() != asset_state::reading) std::this_thread::yield();
  store.raise(other, asset_priority::normal);
  EXPECT_EQ(store.outcome(other), "ready") << "the background thread is busy";
  gate.lower();
  EXPECT_EQ(store.outcome(music), "ready");
}

// Runs jobs until one of the host has run that is queued now, with `check` in it; `meanwhile` comes
// after it was queued.
template <class Check, class Meanwhile>
void run_a_job_of_the_host(store_rig& rig, Check check, Meanwhile meanwhile) {
  job_group others{rig.engine.jobs};
  bool ran = false;
  others.run([&] {
    ran = true;
    check();
  });
  meanwhile();
  while (!ran) (void)rig.engine.jobs.try_help();
  others.wait();
}

// Whatever list it waits in, a job of the new priority comes for it.
TEST(asset_order, a_raised_asset_is_finalized_before_jobs_that_were_queued_meanwhile) {
  store_rig rig({.workers = 0});
  rig.texts.is_free = true;
  rig.add("late", "late");
  rig.mount();
  rigged_store store(rig, {.background_threads = 0});
  const asset<words> late = store.get<words>("late"_path, asset_priority::low);
  while (late.state() != asset_state::finalizing) (void)rig.engine.jobs.try_help();
  run_a_job_of_the_host(
      rig, [&] { EXPECT_TRUE(late.is_ready()); }, [&] { store.raise(late, asset_priority::high); });
}

TEST(asset_order, a_raised_asset_is_decoded_before_jobs_that_were_queued_meanwhile) {
  store_rig rig({.workers = 0});
  rig.add("late", "late");
  rig.mount();
  rigged_store store(rig, {.background_threads = 0});
  const asset<words> late = store.get<words>("late"_path, asset_priority::low);
  while (late.state() != asset_state::decoding) (void)rig.engine.jobs.try_help();
  run_a_job_of_the_host(
      rig, [&] { EXPECT_EQ(rig.happened.count("decode late"), 1u); },
      [&] { store.raise(late, asset_priority::high); });
}

TEST(asset_order, what_cannot_be_read_lends_its_priority_to_no_other) {
  store_rig rig({.workers = 0});
  rig.add("late", "late");
  rig.mount();
  rigged_store store(rig, {.background_threads = 0});
  const asset<words> late = store.get<words>("late"_path, asset_priority::low);
  while (late.state() != asset_state::decoding) (void)rig.engine.jobs.try_help();
  const asset<words> missing = store.get<words>("missing"_path, asset_priority::high);
  run_a_job_of_the_host(
      rig,
      [&] {
        EXPECT_EQ(missing.state(), asset_state::failed);
        EXPECT_EQ(rig.happened.count("decode late"), 0u);
      },
      [&] {});
  EXPECT_EQ(store.outcome(late), "ready");
}

TEST(asset_order, a_background_asset_that_is_raised_before_it_is_read_needs_no_other_to_end) {
  store_rig rig({.workers = 1});
  rig.add("music", "music");
  rig.add("other", "other");
  rig.mount();
  barricade gate{barricade::raised};
  rig.texts.before_decode = [&](const std::string& path) {
    if (path == "music") gate.wait();
  };
  rigged_store store(rig, {.files_max = 4});
  const asset<words> music = store.get<words>("music"_path, asset_priority::background);
  while (music.state() != asset_state::decoding) std::this_thread::yield();
  const asset<words> other = store.get<words>("other"_path, asset_priority::background);
  store.pump(1ms);
  ASSERT_EQ(other.state(), asset_state::queued) << "a quarter of the files is one";
  store.raise(other, asset_priority::normal);
  EXPECT_EQ(store.outcome(other), "ready");
  gate.lower();
  EXPECT_EQ(store.outcome(music), "ready");
}

TEST(asset_order, what_others_wait_for_is_read_before_what_nothing_waits_for) {
  store_rig rig({.workers = 0});
  rig.add("room", "wall.txt");
  for (const char* name : {"wall.txt", "a", "b"}) rig.add(name, name);
  rig.mount();
  rigged_store store(rig, in_order);
  const asset<list> room = store.get<list>("room"_path);
  const asset<words> a = store.get<words>("a"_path);
  const asset<words> wall = store.get<words>("b"_path);
  pump_until_settled(store);
  EXPECT_THAT(decodes(rig), ElementsAre("room", "wall.txt", "a", "b"));
}

TEST(asset_order, what_others_wait_for_is_read_first_though_these_were_raised_late) {
  store_rig rig({.workers = 0});
  rig.add("room", "wall.txt");
  for (const char* name : {"wall.txt", "a"}) rig.add(name, name);
  rig.mount();
  rigged_store store(rig, in_order);
  const asset<list> room = store.get<list>("room"_path, asset_priority::low);
  asset<words> a;
  rig.lists.before_decode = [&](const std::string&) {
    a = store.get<words>("a"_path);
    store.raise(room, asset_priority::normal);
  };
  pump_until_settled(store);
  EXPECT_THAT(decodes(rig), ElementsAre("room", "wall.txt", "a"));
}

TEST(asset_order, what_is_urgent_is_decoded_before_what_is_less_so_is_read) {
  store_rig rig({.workers = 0});
  rig.os.set_cached(true);
  for (const char* name : {"urgent", "other"}) rig.add(name, name);
  rig.mount();
  rigged_store store(rig, {.background_threads = 0});
  const asset<words> urgent = store.get<words>("urgent"_path, asset_priority::high);
  const asset<words> other = store.get<words>("other"_path);
  rig.os.before_each_call([&](const os_call_info& call) {
    const bool is_decoded = rig.happened.count("decode urgent") == 1;
    EXPECT_TRUE(is_decoded || !call.path.ends_with("other"));
  });
  pump_until_settled(store);
  EXPECT_TRUE(other.is_ready());
}

// The queue reads them in the order of the disk, which is one of these two at most.
TEST(asset_order, is_that_of_asking_though_reads_end_in_another) {
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{"a", "b", "c"}, std::vector<std::string>{"c", "b", "a"}}) {
    store_rig rig({.workers = 0});
    for (const char* name : {"a", "b", "c"}) rig.add(name, name);
    rig.os.set_cached(false);
    rig.mount();
    read_queue reads(rig.engine.files, {.run_by_host = true});
    asset_store store(rig.engine.files, reads, rig.engine.jobs, {.background_threads = 0});
    ASSERT_TRUE(store.add(rig.texts));
    std::vector<asset<words>> held;
    for (const std::string& name : names) held.push_back(store.get<words>(name));
    while (rig.engine.jobs.try_help()) {
    }
    reads.drain();
    pump_until_settled(store);
    EXPECT_EQ(decodes(rig), names);
  }
}

TEST(asset_order, background_assets_leave_most_of_the_room_to_others) {
  store_rig rig({.workers = 1});
  for (int i = 0; i < 20; ++i) rig.add("music" + std::to_string(i), "music");
  rig.add("menu", "menu");
  rig.mount();
  barricade gate{barricade::raised};
  rig.texts.before_decode = [&](const std::string& path) {
    if (path != "menu") gate.wait();
  };
  rigged_store store(rig, {.files_max = 8});
  std::vector<asset<words>> music;
  for (int i = 0; i < 20; ++i) {
    music.push_back(store.get<words>("music" + std::to_string(i), asset_priority::background));
  }
  EXPECT_EQ(store.outcome(store.get<words>("menu"_path)), "ready");
  gate.lower();
  for (const asset<words>& each : music) EXPECT_EQ(store.outcome(each), "ready");
}

// Both parents are in memory, so what they need waits. The store remembers where needs went by some
// bits of their number, which parents 64 apart share.
TEST(asset_order, of_needs_is_that_of_their_parents_whichever_asks_first) {
  store_rig rig({.workers = 2});
  rig.add("first", "wall.txt");
  rig.add("last", "floor.txt");
  for (const char* name : {"wall.txt", "floor.txt"}) rig.add(name, name);
  for (int i = 0; i < 63; ++i) rig.add(std::to_string(i), "");
  rig.mount();
  barricade last_has_asked{barricade::raised};
  barricade one_has_come{barricade::raised};
  rig.lists.before_decode = [&](const std::string& path) {
    if (path == "first") last_has_asked.wait();
  };
  rig.lists.after_needs = [&](const std::string& path) {
    if (path != "last") return;
    last_has_asked.lower();
    one_has_come.wait();
  };
  std::string came_first;
  rig.texts.before_decode = [&](const std::string& path) {
    if (one_has_come.is_lowered()) return;
    came_first = path;
    one_has_come.lower();
  };
  rigged_store store(rig, {.files_max = 2, .background_threads = 0});
  const asset<list> first = store.get<list>("first"_path);
  std::vector<asset<list>> between;
  for (int i = 0; i < 63; ++i) between.push_back(store.get<list>(std::to_string(i)));
  const asset<list> last = store.get<list>("last"_path);
  ASSERT_EQ(store.outcome(first), "ready");
  ASSERT_EQ(store.outcome(last), "ready");
  EXPECT_EQ(came_first, "wall.txt");
}

// All others are in memory by then, and have jobs in the pool that were queued before.
TEST(asset_order, of_one_class_is_that_of_its_numbers_in_every_step) {
  for (const bool is_free : {false, true}) {
    for (const int priority : {20, 110, 200}) {
      constexpr int count = 20;
      store_rig rig({.workers = 1});
      rig.os.set_cached(true);
      rig.texts.is_free = is_free;
      rig.add("urgent", "urgent");
      for (int i = 0; i < count; ++i) rig.add(std::to_string(i), std::to_string(i));
      rig.mount();
      barricade decoding{barricade::raised};
      barricade gate{barricade::raised};
      std::atomic<bool> holds{true};
      rig.texts.before_decode = [&](const std::string&) {
        if (!holds.exchange(false)) return;
        decoding.lower();
        gate.wait();
      };
      rigged_store store(rig, {.background_threads = 0});
      std::vector<asset<words>> held;
      for (int i = 0; i < count; ++i) {
        held.push_back(store.get<words>(std::to_string(i), static_cast<asset_priority>(priority)));
      }
      decoding.wait();
      const asset<words> urgent =
          store.get<words>("urgent"_path, static_cast<asset_priority>(priority + 1));
      gate.lower();
      pump_until_settled(store);
      const std::vector<std::string> lines = rig.happened.lines();
      const auto at = std::ranges::find(lines, "finalize urgent") - lines.begin();
      const auto before = std::count_if(lines.begin(), lines.begin() + at, [](const auto& line) {
        return line.starts_with("decode ") && line != "decode urgent";
      });
      EXPECT_TRUE(!is_free || before <= 2) << priority << ", after " << before;
      const std::vector<std::string> order = decodes(rig);
      EXPECT_LE(std::ranges::find(order, "urgent") - order.begin(), 2) << priority;
    }
  }
}

}  // namespace
}  // namespace overture::order_test

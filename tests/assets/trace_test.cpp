// SPDX-License-Identifier: Zlib
//
// asset_store: what a timeline shows of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "assets/store_rig.hpp"
#include "overture/base/spin.hpp"
#include "overture/base/thread.hpp"
#include "overture/trace/timeline.hpp"

namespace overture::asset_trace_test {
namespace {

using namespace std::chrono_literals;
using namespace overture::literals;
using test::list;
using test::rigged_store;
using test::store_rig;
using test::words;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

// "STEP PATH" of each zone of one track that belongs to an asset.
std::vector<std::string> steps(const timeline& record, const asset_store& store,
                               std::size_t track) {
  std::vector<std::string> found;
  (void)record.track(track).for_each_event([&](const trace_event& event) {
    if (event.kind != event_kind::zone || event.subject == no_subject) return;
    char text[64];
    const std::size_t length = store.subject_name(event.subject, text);
    found.push_back(std::string(event.name) + " " + std::string(text, length));
  });
  return found;
}

TEST(a_timeline_of_a_store, has_each_step_of_each_asset_with_its_path) {
  store_rig rig({.workers = 0});
  rig.os.set_cached(true);
  rig.add("room", "wall.txt");
  rig.add("wall.txt", "wall");
  rig.mount();
  timeline record;
  rigged_store store(rig, {.keep_bytes = 0, .background_threads = 0});
  ASSERT_TRUE(record.attach_thread("main"));
  asset<list> room = store.get<list>("room"_path);
  ASSERT_EQ(store.outcome(room), "ready");
  room = {};
  while (store.progress().waiting_bytes + store.progress().asked > 0) store.pump(1s);
  record.detach_thread();
  EXPECT_THAT(steps(record, store, 0),
              UnorderedElementsAre("read room", "decode room", "finalize room", "unload room",
                                   "read wall.txt", "decode wall.txt", "finalize wall.txt",
                                   "unload wall.txt"));
}

TEST(a_timeline_of_a_store, has_what_is_decoded_in_the_background) {
  store_rig rig({.workers = 1});
  rig.add("music", "music");
  rig.mount();
  timeline record;
  char text[8];
  {
    rigged_store store(rig, {.record = &record});
    ASSERT_EQ(store.outcome(store.get<words>("music"_path, asset_priority::background)), "ready");
    EXPECT_EQ(store.subject_name(first_asset_subject + 1, text), 0u);
    EXPECT_EQ(store.subject_name(0, text), 0u) << "which is of an entry";
    EXPECT_EQ(store.subject_name(first_asset_subject, std::span(text, 3)), 3u);
  }
  std::vector<std::string> names;
  (void)record.track(0).for_each_event([&](const trace_event& event) {
    if (event.subject == first_asset_subject) names.emplace_back(event.name);
  });
  EXPECT_THAT(names, AllOf(Contains("read"), Contains("decode")));
}

TEST(a_timeline_of_a_store, numbers_a_reload_as_its_asset) {
  store_rig rig({.workers = 0});
  rig.os.set_cached(true);
  rig.add("a", "a");
  rig.add("b", "b");
  rig.mount();
  timeline record;
  rigged_store store(rig, {.background_threads = 0, .reload_delay = 0ns});
  const asset<words> a = store.get<words>("a"_path);
  const asset<words> b = store.get<words>("b"_path);
  ASSERT_EQ(store.outcome(b), "ready");
  ASSERT_TRUE(record.attach_thread("main"));
  store.reload("b");
  ASSERT_TRUE(test::pump_until(store, [&] { return b.version() == 2; }));
  record.detach_thread();
  EXPECT_THAT(steps(record, store, 0), Contains("decode b"));
}

// "WAIT PATH [by PATH]" of each delay of all tracks, and "MARK PATH" of each mark.
std::vector<std::string> events(const timeline& record, const asset_store& store, event_kind kind) {
  const auto path = [&](std::uint32_t subject) {
    char text[64];
    return std::string(text, store.subject_name(subject, text));
  };
  std::vector<std::string> found;
  for (std::size_t i = 0; i < record.track_count(); ++i) {
    (void)record.track(i).for_each_event([&](const trace_event& event) {
      if (event.kind != kind || event.subject == no_subject) return;
      EXPECT_LE(event.begin_ns, event.end_ns) << event.name;
      std::string& line = found.emplace_back(std::string(event.name) + " " + path(event.subject));
      if (kind != event_kind::delay || event.value == 0) return;
      line += " by " + path(static_cast<std::uint32_t>(event.value - 1));
    });
  }
  return found;
}

TEST(a_timeline_of_a_store, has_what_each_asset_waited_for_and_which_need_let_it_go_on) {
  store_rig rig({.workers = 0});
  rig.os.set_cached(true);
  rig.add("room", "wall.txt\nfloor.txt");
  rig.add("wall.txt", "wall");
  rig.add("floor.txt", "floor");
  rig.mount();
  timeline record;
  rigged_store store(rig, {.background_threads = 0});
  ASSERT_TRUE(record.attach_thread("main"));
  const asset<list> room = store.get<list>("room"_path);
  ASSERT_EQ(store.outcome(room), "ready");
  record.detach_thread();
  EXPECT_THAT(
      events(record, store, event_kind::delay),
      UnorderedElementsAre("its turn to be read room", "its file to be read room",
                           "a thread to decode it room", "an asset that it needs room by floor.txt",
                           "pump() on the main thread room", "its turn to be read wall.txt",
                           "its file to be read wall.txt", "a thread to decode it wall.txt",
                           "pump() on the main thread wall.txt", "its turn to be read floor.txt",
                           "its file to be read floor.txt", "a thread to decode it floor.txt",
                           "pump() on the main thread floor.txt"));
  EXPECT_THAT(events(record, store, event_kind::instant),
              UnorderedElementsAre("asked room", "asked wall.txt", "asked floor.txt", "ready room",
                                   "ready wall.txt", "ready floor.txt"));
  std::vector<std::string> flows;
  ASSERT_TRUE(for_each_release(record, [&](const release_flow& flow) {
    EXPECT_LE(flow.from_ns, flow.delay->end_ns);
    EXPECT_GE(flow.to_ns, flow.delay->end_ns);
    flows.emplace_back(flow.delay->name);
  }));
  EXPECT_THAT(flows, ElementsAre("an asset that it needs"));
}

TEST(a_timeline_of_a_store, tells_room_in_the_budget_from_a_turn) {
  store_rig rig({.workers = 0});
  rig.os.set_cached(true);
  const std::string large(900, 'x');
  for (const char* path : {"usual", "a", "b"}) rig.add(path, large);
  rig.mount();
  timeline record;
  rigged_store store(rig, {.keep_bytes = 0, .budget_bytes = 2000, .background_threads = 0});
  ASSERT_TRUE(record.attach_thread("main"));
  // Of which it learns how much room the others need: b lacks it before it is read.
  ASSERT_EQ(store.outcome(store.get<words>("usual"_path)), "ready");
  std::vector<asset<words>> held;
  for (const char* path : {"a", "b"}) held.push_back(store.get<words>(path, asset_priority::high));
  for (const asset<words>& each : held) EXPECT_EQ(store.outcome(each), "ready");
  record.detach_thread();
  const std::vector<std::string> found = events(record, store, event_kind::delay);
  EXPECT_THAT(found, Contains("room in the budget b"));
  EXPECT_THAT(found, Not(Contains("room in the budget a")));
}

TEST(a_timeline_of_a_store, has_what_failed_was_retried_reloaded_or_given_up) {
  store_rig rig({.workers = 0});
  rig.os.set_cached(true);
  rig.add("a", "broken");
  rig.add("b", "b");
  rig.mount();
  timeline record;
  rigged_store store(rig, {.background_threads = 0, .reload_delay = 0ns});
  ASSERT_TRUE(record.attach_thread("main"));
  const asset<words> a = store.get<words>("a"_path);
  EXPECT_EQ(store.outcome(a), "corrupt");
  rig.add("a", "whole");
  store.retry(a);
  EXPECT_EQ(store.outcome(a), "ready");
  store.reload("a");
  ASSERT_TRUE(test::pump_until(store, [&] { return a.version() == 2; }));
  (void)store.get<words>("b"_path);
  (void)store.progress();
  record.detach_thread();
  EXPECT_THAT(events(record, store, event_kind::instant),
              ElementsAre("asked a", "failed a", "retried a", "ready a", "reloaded a", "ready a",
                          "asked b", "given up b"));
}

TEST(a_timeline_of_a_store, names_what_made_a_pump_longer_than_its_budget) {
  store_rig rig({.workers = 0});
  rig.os.set_cached(true);
  rig.add("quick", "quick");
  rig.add("slow", "slow");
  rig.mount();
  // Longer than any budget: what comes before has to fit one.
  rig.texts.during_finalize = [](const words& value, std::chrono::nanoseconds) {
    const std::uint64_t begin = now_ns();
    while (value.text == "slow" && now_ns() - begin < 5'000'000) yield_thread();
    return finalize_step::done;
  };
  timeline record;
  rigged_store store(rig, {.background_threads = 0});
  ASSERT_TRUE(record.attach_thread("main"));
  const asset<words> quick = store.get<words>("quick"_path);
  const asset<words> slow = store.get<words>("slow"_path);
  ASSERT_TRUE(test::pump_until(store, [&] { return slow.is_ready() && quick.is_ready(); }));
  record.detach_thread();
  EXPECT_THAT(events(record, store, event_kind::instant), Contains("over budget slow"));
}

TEST(a_timeline_of_a_store, has_no_overrun_of_a_wait) {
  store_rig rig({.workers = 0});
  rig.os.set_cached(true);
  rig.add("slow", "slow");
  rig.mount();
  rig.texts.during_finalize = [](words&, std::chrono::nanoseconds budget) {
    const std::uint64_t begin = now_ns();
    while (now_ns() - begin < 2 * static_cast<std::uint64_t>(budget.count())) yield_thread();
    return finalize_step::done;
  };
  timeline record;
  rigged_store store(rig, {.background_threads = 0});
  ASSERT_TRUE(record.attach_thread("main"));
  ASSERT_EQ(store.outcome(store.get<words>("slow"_path)), "ready");
  record.detach_thread();
  EXPECT_THAT(events(record, store, event_kind::instant), Not(Contains("over budget slow")));
}

// What others do is missing; what is there is whole.
TEST(a_timeline_of_a_store, may_have_some_of_its_threads_only) {
  store_rig rig({.workers = 2});
  rig.add("room", "wall.txt");
  rig.add("wall.txt", "wall");
  rig.mount();
  timeline record;
  rigged_store store(rig, {.background_threads = 0});
  ASSERT_TRUE(record.attach_thread("main"));
  ASSERT_EQ(store.outcome(store.get<list>("room"_path)), "ready");
  record.detach_thread();
  const std::vector<std::string> waits = events(record, store, event_kind::delay);
  EXPECT_THAT(waits, Contains("pump() on the main thread wall.txt"));
  EXPECT_THAT(waits, Contains("pump() on the main thread room"));
  EXPECT_THAT(events(record, store, event_kind::instant), Contains("ready room"));
}

}  // namespace
}  // namespace overture::asset_trace_test

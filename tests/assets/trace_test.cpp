// SPDX-License-Identifier: Zlib
//
// asset_store: what a timeline shows of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "assets/store_rig.hpp"
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
    EXPECT_EQ(store.subject_name(1, text), 0u);
    EXPECT_EQ(store.subject_name(0, std::span(text, 3)), 3u);
  }
  std::vector<std::string> names;
  (void)record.track(0).for_each_event([&](const trace_event& event) {
    if (event.subject == 0) names.emplace_back(event.name);
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

}  // namespace
}  // namespace overture::asset_trace_test

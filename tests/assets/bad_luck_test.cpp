// SPDX-License-Identifier: Zlib
//
// asset_store: hosts and loaders that misbehave, and machines that have too little.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <thread>

#include "assets/store_rig.hpp"
#include "support/temp_folder.hpp"

namespace overture::bad_luck_test {
namespace {

using namespace std::chrono_literals;
using namespace overture::literals;
using test::list;
using test::rigged_store;
using test::store_rig;
using test::words;

// Refuses any block above `bytes_max`, as a machine with little memory would.
class small_memory final : public allocator {
 public:
  static constexpr std::size_t bytes_max = 256u << 20;

  void* allocate(std::size_t bytes, std::size_t alignment, memory_tag tag) noexcept override {
    return bytes > bytes_max ? nullptr : default_allocator().allocate(bytes, alignment, tag);
  }
  void deallocate(void* memory, std::size_t bytes, std::size_t alignment,
                  memory_tag tag) noexcept override {
    default_allocator().deallocate(memory, bytes, alignment, tag);
  }
};

TEST(asset_bad_luck, a_decode_that_does_not_return_is_named_with_those_who_need_it) {
  store_rig rig;
  rig.add("room", "wall.txt\nfloor.txt");
  rig.add("wall.txt", "wall");
  rig.add("floor.txt", "floor");
  rig.add("other.txt", "other");
  rig.mount();
  barricade gate{barricade::raised};
  barricade decoding{barricade::raised};
  rig.texts.before_decode = [&](const std::string& path) {
    if (path != "wall.txt") return;
    decoding.lower();
    gate.wait();
  };
  rigged_store store(rig);
  const asset<list> room = store.get<list>("room"_path);
  EXPECT_EQ(store.outcome(store.get<words>("floor.txt"_path)), "ready");
  EXPECT_EQ(store.outcome(store.get<words>("other.txt"_path)), "ready");
  while (room.state() != asset_state::needing) std::this_thread::yield();
  decoding.wait();
  std::map<std::string, std::string> waits;
  ASSERT_TRUE(store.for_each_unsettled([&](const unsettled_asset& one) {
    waits[std::string(one.path.text)] = std::string(one.what) + "|" + std::string(one.needs.text);
  }));
  EXPECT_EQ(waits, (std::map<std::string, std::string>{
                       {"room", "an asset that it needs|wall.txt"},
                       {"wall.txt", "decode() to return|"},
                   }));
  gate.lower();
  EXPECT_EQ(store.outcome(room), "ready");
}

TEST(asset_bad_luck, what_is_given_up_at_any_stage_is_unloaded) {
  using enum asset_state;
  for (const asset_state stage : {queued, reading, decoding, needing, finalizing, ready}) {
    store_rig rig({.workers = 1});
    rig.add("room", "wall.txt");
    rig.add("wall.txt", "wall");
    rig.mount();
    bool goes_on = false;
    rig.texts.during_finalize = [&](words&, std::chrono::nanoseconds) -> result<finalize_step> {
      rig.happened.note("finalize wall");
      return goes_on ? finalize_step::done : finalize_step::again;
    };
    {
      rigged_store store(rig, {.keep_bytes = 0});
      asset<list> room = store.get<list>("room"_path);
      // Later stages than those that were seen in passing are as good.
      while (room.state() < std::min(stage, needing)) std::this_thread::yield();
      if (stage > needing) goes_on = true;
      while (stage > needing && room.state() < stage) store.pump(1ms);
      if (stage == needing) store.pump(1ms);
      room = {};
      goes_on = true;
      while (store.progress().asked > 0) store.pump(1ms);
      EXPECT_EQ(store.progress().kept, 0u);
    }
    EXPECT_EQ(rig.happened.count("finalize wall") > 0, rig.happened.count("unload wall") == 1)
        << static_cast<int>(stage);
  }
}

TEST(asset_bad_luck, a_host_that_never_pumps_still_gets_what_is_free_threaded) {
  store_rig rig;
  rig.add("room", "wall.txt");
  rig.add("wall.txt", "wall");
  rig.texts.is_free = true;
  rig.mount();
  {
    rigged_store store(rig);
    const asset<words> wall = store.get<words>("wall.txt"_path);
    wall.settled().wait();
    EXPECT_TRUE(wall.is_ready());
    const asset<list> room = store.get<list>("room"_path);
    while (store.progress().for_pump == 0) std::this_thread::yield();
    EXPECT_FALSE(room.is_ready());
  }
  EXPECT_EQ(rig.happened.count("finalize room"), 0u);
  EXPECT_EQ(rig.happened.count("unload wall"), 1u);
}

TEST(asset_bad_luck, eviction_leaves_what_is_in_use) {
  store_rig rig;
  rig.add("used.txt", "used");
  rig.add("room", "used.txt");
  for (int i = 0; i < 50; ++i) rig.add(std::to_string(i), "text");
  rig.mount();
  rigged_store store(rig, {.keep_bytes = 8});
  asset<words> used = store.get<words>("used.txt"_path);
  const asset<list> room = store.get<list>("room"_path);
  EXPECT_EQ(store.outcome(room), "ready");
  used = {};  // the room still has it
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(store.outcome(store.get<words>(std::to_string(i))), "ready");
    store.pump(1ms);
  }
  EXPECT_LE(store.progress().kept_bytes, 8u);
  EXPECT_GE(rig.happened.count("unload text"), 40u);
  EXPECT_EQ(rig.happened.count("unload used"), 0u);
  EXPECT_EQ(room->texts[0]->text, "used");
}

TEST(asset_bad_luck, a_file_that_is_larger_than_memory_fails_alone) {
  temp_folder folder;
  folder.write("small.txt", "small");
  folder.write("huge.txt", "");
  std::filesystem::resize_file(folder / "huge.txt", std::uintmax_t{2} << 30);
  store_rig rig;
  small_memory memory;
  file_system files({.memory = &memory});
  ASSERT_TRUE(files.mount(folder.path()));
  read_queue reads(files, {.memory = &memory});
  asset_store store(files, reads, rig.engine.jobs, {.memory = &memory});
  ASSERT_TRUE(store.add(rig.texts));
  const asset<words> huge = store.get<words>("huge.txt"_path);
  const asset<words> small = store.get<words>("small.txt"_path);
  ASSERT_TRUE(store.wait_for(huge, test::hang) && store.wait_for(small, test::hang));
  EXPECT_TRUE(small.is_ready());
  EXPECT_EQ(huge.status().error().code, errc::out_of_memory);
  char text[200];
  store.explain(huge, text);
  EXPECT_THAT(std::string(text), ::testing::HasSubstr("huge.txt"));
}

}  // namespace
}  // namespace overture::bad_luck_test

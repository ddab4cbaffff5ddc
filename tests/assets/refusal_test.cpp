// SPDX-License-Identifier: Zlib
//
// asset_store: hosts that refuse threads or memory, and loaders that say that they are busy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "assets/store_rig.hpp"
#include "support/failing_allocator.hpp"

namespace overture::refusal_test {
namespace {

using namespace std::chrono_literals;
using namespace overture::literals;
using test::list;
using test::rigged_store;
using test::store_rig;
using test::words;

// Starts so many threads only.
class few_threads final : public thread_factory {
 public:
  explicit few_threads(unsigned count) : left_(count) {}
  result<thread_handle> start(const thread_options& options, void (*entry)(void*) noexcept,
                              void* argument) override {
    if (left_ == 0) return fail(errc::no_space, "no more threads");
    --left_;
    return default_thread_factory().start(options, entry, argument);
  }
  void join(thread_handle thread) noexcept override { default_thread_factory().join(thread); }

 private:
  unsigned left_;
};

TEST(asset_refusal, of_the_root_may_be_the_first_of_a_store) {
  for (const char* path : {"", "/"}) {
    store_rig rig;
    rig.add("a", "a");
    rig.mount();
    rigged_store store(rig);
    EXPECT_EQ(store.outcome(store.get<words>(path)), "not_a_file") << path;
  }
}

TEST(asset_refusal, of_background_threads_leaves_their_assets_to_the_job_system) {
  for (const unsigned workers : {0u, 2u}) {
    for (const unsigned started : {0u, 1u, 3u}) {
      store_rig rig({.workers = workers});
      rig.add("room", "wall.txt\nfloor.txt");
      rig.add("wall.txt", "wall");
      rig.add("floor.txt", "floor");
      rig.mount();
      few_threads factory(started);
      rigged_store store(
          rig,
          {.keep_bytes = 0, .background_threads = 3, .reload_delay = 0ns, .factory = &factory});
      EXPECT_EQ(store.status().has_value(), started == 3);
      const asset<list> room = store.get<list>("room"_path, asset_priority::background);
      EXPECT_EQ(store.outcome(room), "ready");
      rig.add("room", "floor.txt");
      store.reload("room");
      while (room.version() < 2) store.pump(1ms);
      EXPECT_EQ(room->texts[0]->text, "floor");
    }
  }
}

TEST(asset_refusal, of_background_threads_lets_a_store_end_in_the_middle_of_a_load) {
  for (const unsigned workers : {0u, 1u}) {
    store_rig rig({.workers = workers});
    for (int i = 0; i < 20; ++i) rig.add(std::to_string(i), "text");
    rig.mount();
    few_threads none(0);
    rigged_store store(rig, {.factory = &none});
    std::vector<asset<words>> all;
    for (int i = 0; i < 20; ++i) {
      all.push_back(store.get<words>(std::to_string(i), asset_priority::background));
    }
    while (all[0].state() == asset_state::queued) store.pump(0ns);
  }
}

// What was refused once is there again: nothing stays broken that status() does not tell.
TEST(asset_refusal, of_memory_once_at_any_call_does_not_last) {
  bool is_done = false;
  for (std::uint64_t fail_at = 0; !is_done; ++fail_at) {
    ASSERT_LT(fail_at, 1000u);
    SCOPED_TRACE(fail_at);
    store_rig rig({.workers = 1});
    rig.add("room", "wall.txt\n?floor.txt");
    rig.add("wall.txt", "wall");
    rig.add("floor.txt", "floor");
    rig.mount();
    failing_allocator memory(fail_at);
    {
      asset_store store(rig.engine.files, rig.engine.reads, rig.engine.jobs,
                        {.keep_bytes = 0, .reload_delay = 0ns, .memory = &memory});
      if (!store.status() && memory.live_bytes() == 0) continue;  // no store, as it says
      for (int attempt = 0; !store.add(rig.texts); ++attempt) ASSERT_LT(attempt, 1);
      for (int attempt = 0; !store.add(rig.lists); ++attempt) ASSERT_LT(attempt, 1);
      asset<list> room = store.get<list>("room"_path);
      ASSERT_TRUE(store.wait_for(room, test::hang));
      // Whatever failed, as the asset said, loads now.
      if (!room.valid()) room = store.get<list>("room"_path);
      store.retry(room);
      ASSERT_TRUE(store.wait_for(room, test::hang));
      // The memory may have been refused in this second attempt.
      store.retry(room);
      ASSERT_TRUE(store.wait_for(room, test::hang));
      EXPECT_TRUE(room.is_ready());
      const std::uint32_t before = room.version();
      while (room.version() == before) {
        store.reload("room");
        store.pump(1ms);
      }
      is_done = memory.refusals() == 0;
      room = {};
      while (store.progress().asked > 0 || store.progress().waiting_bytes > 0) store.pump(1ms);
    }
    EXPECT_EQ(rig.happened.count("finalize room"), rig.happened.count("unload room"));
    EXPECT_EQ(rig.happened.count("finalize wall"), rig.happened.count("unload wall"));
    EXPECT_EQ(memory.live_bytes(), 0);
  }
}

TEST(asset_refusal, of_memory_finds_what_is_known) {
  store_rig rig;
  constexpr int count = 256;  // the table grows with the next
  for (int i = 0; i < count; ++i) rig.add(std::to_string(i), "text");
  rig.mount();
  failing_allocator memory(UINT64_MAX);
  asset_store store(rig.engine.files, rig.engine.reads, rig.engine.jobs, {.memory = &memory});
  ASSERT_TRUE(store.add(rig.texts));
  std::vector<asset<words>> all;
  for (int i = 0; i < count; ++i) all.push_back(store.get<words>(std::to_string(i)));
  for (const asset<words>& each : all) ASSERT_TRUE(store.wait_for(each, test::hang));
  memory.refuse_from_now();
  for (int i = 0; i < count; ++i) {
    EXPECT_EQ(store.get<words>(std::to_string(i)), all[static_cast<std::size_t>(i)]);
  }
  EXPECT_EQ(store.get<words>("new"_path).status().error().code, errc::out_of_memory);
}

// "busy" means that an asset is loading, so none fails with it.
class busy_loader final : public loader<int> {
 public:
  result<int> decode(std::span<const std::byte>, load_context&) override {
    if (in_decode) return fail(errc::busy, "the device is busy");
    return 1;
  }
  result<finalize_step> finalize(int&, std::chrono::nanoseconds) override {
    return fail(errc::busy, "the device is busy");
  }
  bool in_decode = false;
};

TEST(asset_refusal, of_a_loader_that_is_busy_is_a_failure_with_a_sentence) {
  for (const bool in_decode : {false, true}) {
    store_rig rig;
    rig.add("maps/1.map", "x");
    rig.mount();
    busy_loader ints;
    ints.in_decode = in_decode;
    asset_store store(rig.engine.files, rig.engine.reads, rig.engine.jobs);
    ASSERT_TRUE(store.add(ints));
    const asset<int> one = store.get<int>("maps/1.map"_path);
    ASSERT_TRUE(store.wait_for(one, test::hang));
    EXPECT_EQ(one.status().error().code, errc::invalid);
    char text[200];
    store.explain(one, text);
    EXPECT_STREQ(
        text,
        "maps/1.map: its loader returned the error \"busy\", which is the status of an asset "
        "that is loading: return another");
  }
}

// What a loader says of an asset may be anything.
class boasting_loader final : public loader<int> {
 public:
  result<int> decode(std::span<const std::byte>, load_context&) override { return 1; }
  std::uint64_t bytes_of(const int&) const noexcept override { return UINT64_MAX; }
  std::uint64_t memory_needed(const asset_path&,
                              std::span<const std::byte>) const noexcept override {
    return UINT64_MAX;
  }
};

TEST(asset_refusal, of_what_no_machine_has_is_counted_as_far_as_sums_go) {
  store_rig rig;
  for (int i = 0; i < 20; ++i) rig.add(std::to_string(i), "x");
  rig.mount();
  boasting_loader ints;
  asset_store store(rig.engine.files, rig.engine.reads, rig.engine.jobs, {.keep_bytes = 0});
  ASSERT_TRUE(store.add(ints));
  std::vector<asset<int>> all;
  std::uint64_t before = 0;
  for (int i = 0; i < 20; ++i) {
    all.push_back(store.get<int>(std::to_string(i)));
    ASSERT_TRUE(store.wait_for(all.back(), test::hang) && all.back().is_ready());
    const asset_progress now = store.progress();
    EXPECT_GT(now.held_bytes, before);
    EXPECT_EQ(now.waiting_bytes, 0u);
    before = now.held_bytes;
  }
  all.clear();
  while (store.progress().waiting_bytes > 0) store.pump(1ms);
  EXPECT_EQ(store.progress().held_bytes, 0u);
}

}  // namespace
}  // namespace overture::refusal_test

// SPDX-License-Identifier: Zlib
//
// asset_store: hosts and loaders that misbehave, and machines that have too little.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <string>
#include <thread>

#include "assets/store_rig.hpp"
#include "support/failing_allocator.hpp"
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

// Memory that ends at any moment fails assets, and leaves nothing behind.
TEST(asset_bad_luck, memory_that_is_refused_once_at_any_call_ends_well) {
  bool is_done = false;
  for (std::size_t fail_at = 0; !is_done; ++fail_at) {
    ASSERT_LT(fail_at, 1000u);
    store_rig rig({.workers = 1});
    rig.add("room", "wall.txt\n?floor.txt");
    rig.add("wall.txt", "wall");
    rig.add("floor.txt", "floor");
    rig.mount();
    failing_allocator memory(fail_at);
    {
      asset_store store(rig.engine.files, rig.engine.reads, rig.engine.jobs,
                        {.keep_bytes = 0, .reload_delay = 0ns, .memory = &memory});
      if (!store.add(rig.texts) || !store.add(rig.lists)) continue;
      asset<list> room = store.get<list>("room"_path);
      ASSERT_TRUE(store.wait_for(room, test::hang));
      const result<void> status = room.status();
      EXPECT_TRUE(status || status.error().code == errc::out_of_memory);
      for (int i = 0; i < 3; ++i) {
        store.reload("room");
        store.retry(room);
        ASSERT_TRUE(store.wait_for(room, test::hang));
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

// Calls the store from wherever the store calls it.
class calling_loader final : public loader<int> {
 public:
  result<int> decode(std::span<const std::byte>, load_context& context) override {
    if (context.path().text == "a") (void)context.need<int>("b"_path);
    call();
    return 1;
  }
  result<finalize_step> finalize(int& value, std::chrono::nanoseconds) override {
    call();
    // In a build with contracts that is a mistake.
    if constexpr (!detail::contracts) {
      EXPECT_EQ(store->pump(0ns).steps, 0u);
      EXPECT_FALSE(store->wait_for(store->get<int>("never"_path), 0ns));
    }
    return ++value < 3 ? finalize_step::again : finalize_step::done;
  }
  void unload(int&) override { call(); }
  bool free_threaded() const noexcept override { return is_free; }

  asset_store* store = nullptr;
  bool is_free = false;

 private:
  void call() {
    const asset<int> c = store->get<int>("c"_path, asset_priority::high);
    store->raise(c, asset_priority::high);
    store->retry(c);
    store->reload("c");
    (void)store->reload_status(c);
    (void)store->progress();
    (void)store->get_if_ready(soft_asset<int>(c));
    char text[80];
    (void)store->explain(c, text);
    EXPECT_TRUE(store->for_each_asset([](const known_asset&) {}));
    EXPECT_TRUE(store->for_each_unsettled([](const unsettled_asset&) {}));
  }
};

TEST(asset_bad_luck, loaders_may_call_the_store_from_every_step) {
  for (const bool is_free : {false, true}) {
    if (is_free && !detail::contracts) continue;  // pump() is for one thread
    for (const unsigned workers : {0u, 2u}) {
      store_rig rig({.workers = workers});
      for (const char* name : {"a", "b", "c", "never"}) rig.add(name, name);
      rig.mount();
      calling_loader ints;
      ints.is_free = is_free;
      asset_store store(rig.engine.files, rig.engine.reads, rig.engine.jobs,
                        {.keep_bytes = 0, .background_threads = 0, .reload_delay = 0ns});
      ints.store = &store;
      ASSERT_TRUE(store.add(ints));
      asset<int> a = store.get<int>("a"_path);
      ASSERT_TRUE(store.wait_for(a, test::hang));
      EXPECT_TRUE(a.is_ready());
      a = {};
      for (int i = 0; i < 20; ++i) store.pump(1ms);
    }
  }
}

// Returns once it is told to give up, and names more assets.
class late_loader final : public loader<std::string> {
 public:
  result<std::string> decode(std::span<const std::byte>, load_context& context) override {
    began.lower();
    while (!context.is_cancelled()) std::this_thread::yield();
    const asset<std::string> other = context.need<std::string>("other"_path);
    if (fails) return fail(errc::cancelled, "given up");
    return std::string(100, 'x');
  }
  barricade began{barricade::raised};
  bool fails = false;
};

TEST(asset_bad_luck, a_decode_that_returns_after_the_store_began_to_end_is_dropped) {
  for (const bool fails : {false, true}) {
    store_rig rig({.workers = 1});
    rig.add("a", "a");
    rig.add("other", "other");
    rig.mount();
    late_loader late;
    late.fails = fails;
    asset_store store(rig.engine.files, rig.engine.reads, rig.engine.jobs);
    ASSERT_TRUE(store.add(late));
    asset<std::string> a = store.get<std::string>("a"_path);
    late.began.wait();
    a = {};
  }
}

TEST(asset_bad_luck, reload_storms_while_files_come_and_go_end_with_what_is_there) {
  store_rig rig({.workers = 2});
  rig.add("room", "wall.txt");
  rig.add("wall.txt", "wall");
  rig.add("floor.txt", "floor");
  rig.mount();
  {
    rigged_store store(rig, {.keep_bytes = 0, .reload_delay = 0ns});
    const asset<list> room = store.get<list>("room"_path);
    ASSERT_EQ(store.outcome(room), "ready");
    std::atomic<bool> is_over{false};
    std::thread artist([&] {
      constexpr const char* rooms[] = {"wall.txt", "", "gone.txt", "floor.txt\nwall.txt", "@room"};
      for (int i = 0; i < 400; ++i) {
        rig.os.remove("/game/wall.txt");
        rig.add("room", rooms[i % 5]);
        store.reload("room");
        rig.add("wall.txt", i % 3 == 0 ? "broken" : "wall");
        store.reload("wall.txt");
      }
      is_over = true;
    });
    while (!is_over) store.pump(100us);
    artist.join();
    rig.add("wall.txt", "last");
    rig.add("room", "floor.txt\nwall.txt");
    store.reload("wall.txt");
    store.reload("room");
    while (room->texts.size() != 2 || !room->texts[1].is_ready() ||
           room->texts[1]->text != "last") {
      store.pump(1ms);
    }
  }
  EXPECT_EQ(rig.happened.count("finalize room"), rig.happened.count("unload room"));
}

TEST(asset_bad_luck, a_hundred_thousand_assets_load_and_go) {
  constexpr int count = 100'000;
  store_rig rig({.workers = 2});
  for (int i = 0; i < count / 100; ++i) rig.add(std::to_string(i), "x");
  rig.mount();
  rig.texts.is_free = true;
  rigged_store store(rig, {.keep_bytes = 0, .budget_bytes = 1000});
  std::vector<asset<words>> all;
  for (int i = 0; i < count; ++i) {
    // Most of them are missing, which is as many records.
    all.push_back(store.get<words>(std::to_string(i)));
  }
  for (const asset<words>& each : all) each.settled().wait();
  EXPECT_EQ(store.progress().ready, static_cast<std::uint64_t>(count / 100));
  all.clear();
  while (store.progress().asked > 0 || store.progress().waiting_bytes > 0) store.pump(4ms);
  std::size_t known = 0;
  ASSERT_TRUE(store.for_each_asset(
      [&](const known_asset& one) { known += one.held_by == asset_holder::nothing ? 1 : 0; }));
  EXPECT_EQ(known, static_cast<std::size_t>(count));
}

// Made of nothing, but of what it needs.
struct from_nothing {};

class needing_loader final : public loader<from_nothing> {
 public:
  result<from_nothing> decode(std::span<const std::byte>, load_context& context) override {
    (void)context.need<words>("broken.txt"_path);
    return from_nothing{};
  }
  [[nodiscard]] bool reads() const noexcept override { return false; }
  [[nodiscard]] bool free_threaded() const noexcept override { return true; }
};

// Then jobs run within the call that submits them, which must not nest as deep as there are assets.
TEST(asset_bad_luck, a_pool_whose_queue_is_full_loads_all) {
  constexpr int count = 20'000;
  for (const std::size_t queued_max : {1u, 64u, 512u}) {
    test::fake_os os;
    os.add_file("/game/broken.txt", "broken");
    os.add_file("/game/wall.txt", "wall");
    file_system files({.os = &os});
    ASSERT_TRUE(files.mount("/game") && files.freeze());
    thread_pool jobs({.workers = 1, .queued_max = queued_max});
    read_queue reads(files);
    test::diary happened;
    test::words_loader texts(happened);
    texts.is_free = true;
    needing_loader needing;
    asset_store store(files, reads, jobs, {.keep_bytes = 0});
    ASSERT_TRUE(store.add(texts) && store.add(needing));
    std::vector<asset<from_nothing>> failing;
    std::vector<asset<words>> missing;
    for (int i = 0; i < count; ++i) {
      failing.push_back(store.get<from_nothing>("nothing" + std::to_string(i)));
      missing.push_back(store.get<words>("missing" + std::to_string(i)));
    }
    const asset<words> wall = store.get<words>("wall.txt"_path);
    for (const asset<from_nothing>& each : failing) each.settled().wait();
    for (const asset<words>& each : missing) each.settled().wait();
    wall.settled().wait();
    EXPECT_TRUE(wall.is_ready());
    EXPECT_EQ(failing.back().status().error().code, errc::corrupt);
  }
}

class jobs_at_once final : public job_system {
 public:
  void submit(job work, job_group* group, const job_options&) noexcept override {
    group->begin_job();
    ++depth_;
    deepest = std::max(deepest, depth_);
    work();
    --depth_;
    (void)group->end_job();
  }
  void wait(job_group&) noexcept override {}
  bool wait_until(job_group& group, std::uint64_t) noexcept override {
    return group.pending() == 0;
  }
  [[nodiscard]] unsigned concurrency() const noexcept override { return 1; }
  void set_idle_reason(const char*) noexcept override {}

  int deepest = 0;

 private:
  int depth_ = 0;
};

TEST(asset_bad_luck, jobs_that_run_where_they_are_submitted_do_not_nest_for_each_asset) {
  store_rig rig;
  std::string names;
  for (int i = 0; i < 100; ++i) {
    names += std::to_string(i) + "\n";
    rig.add(std::to_string(i), "text");
  }
  rig.add("room", names);
  rig.os.set_cached(true);
  rig.mount();
  rig.texts.is_free = true;
  jobs_at_once jobs;
  asset_store store(rig.engine.files, rig.engine.reads, jobs,
                    {.files_max = 2, .background_threads = 0});
  ASSERT_TRUE(store.add(rig.texts) && store.add(rig.lists));
  const asset<list> room = store.get<list>("room"_path);
  ASSERT_TRUE(store.wait_for(room, test::hang) && room.is_ready());
  EXPECT_LE(jobs.deepest, 3);
}

TEST(asset_bad_luck, pump_with_no_time_goes_on_by_a_step) {
  store_rig rig({.workers = 1});
  for (int i = 0; i < 20; ++i) rig.add(std::to_string(i), "text");
  rig.mount();
  rigged_store store(rig, {.keep_bytes = 0});
  std::vector<asset<words>> all;
  for (int i = 0; i < 20; ++i) all.push_back(store.get<words>(std::to_string(i)));
  while (store.progress().ready < 20) EXPECT_LE(store.pump(-1ns).steps, 1u);
  all.clear();
  while (store.progress().waiting_bytes > 0 || store.progress().asked > 0) store.pump(0ns);
  EXPECT_EQ(rig.happened.count("unload text"), 20u);
}

}  // namespace
}  // namespace overture::bad_luck_test

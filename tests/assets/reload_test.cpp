// SPDX-License-Identifier: Zlib
//
// asset_store: files that change while the game runs.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "assets/store_rig.hpp"
#include "overture/vfs/file_watch.hpp"
#include "support/failing_allocator.hpp"
#include "support/temp_folder.hpp"

namespace overture::reload_test {
namespace {

using namespace std::chrono_literals;
using namespace overture::literals;
using test::list;
using test::pump_until;
using test::rigged_store;
using test::store_rig;
using test::words;

constexpr asset_store_config at_once{.keep_bytes = 0, .reload_delay = 0ns};

TEST(asset_reload, puts_the_new_value_in_place_of_the_old) {
  store_rig rig;
  rig.add("a.txt", "old");
  rig.mount();
  rigged_store store(rig, at_once);
  const asset<words> one = store.get<words>("a.txt"_path);
  ASSERT_EQ(store.outcome(one), "ready");
  const words* const before = one.get();
  rig.add("a.txt", "new");
  store.reload("a.txt");
  EXPECT_EQ(one.get(), before) << "not before pump()";
  ASSERT_TRUE(pump_until(store, [&] { return one.version() == 2; }));
  EXPECT_EQ(one->text, "new");
  EXPECT_TRUE(one.is_ready());
  ASSERT_TRUE(pump_until(store, [&] { return rig.happened.count("unload old") == 1; }));
  EXPECT_EQ(rig.happened.count("unload new"), 0u);
  EXPECT_TRUE(store.reload_status(one));
}

TEST(asset_reload, that_fails_leaves_the_old_value) {
  store_rig rig;
  rig.add("a.txt", "old");
  rig.mount();
  rigged_store store(rig, at_once);
  const asset<words> one = store.get<words>("a.txt"_path);
  ASSERT_EQ(store.outcome(one), "ready");
  rig.add("a.txt", "broken");  // half of it has been written, say
  store.reload("a.txt");
  ASSERT_TRUE(pump_until(store, [&] { return !store.reload_status(one); }));
  EXPECT_EQ(store.reload_status(one).error().code, errc::corrupt);
  EXPECT_TRUE(one.status());
  EXPECT_EQ(one->text, "old");
  rig.add("a.txt", "new");
  store.reload("a.txt");
  ASSERT_TRUE(pump_until(store, [&] { return one.version() == 2; }));
  EXPECT_EQ(one->text, "new");
  EXPECT_TRUE(store.reload_status(one));
}

// Wherever a reload fails, it ends, and the next one begins.
TEST(asset_reload, ends_at_whatever_step_it_fails) {
  using step = result<finalize_step>;
  struct wrong {
    const char* content;  // null: the file is gone
    std::function<step(int call)> finalize;
  };
  const auto fails = [](int) -> step { return fail(errc::invalid, "no"); };
  const auto throws = [](int) -> step { throw std::runtime_error("no"); };
  const auto fails_later = [](int call) -> step {
    if (call < 3) return finalize_step::again;
    return fail(errc::invalid, "no");
  };
  const wrong all[] = {{nullptr, {}},
                       {"gone.txt", {}},
                       {"broken.txt", {}},
                       {"throws.txt", {}},
                       {"green.txt\ngone.txt", {}},
                       {"gone.txt\ngreen.txt", {}},
                       {"@deep", {}},
                       {"green.txt\n@deep\nblue.txt", {}},
                       {"@wall", {}},
                       {"../up.txt", {}},
                       {"green.txt", fails},
                       {"green.txt", throws},
                       {"green.txt", fails_later}};
  for (const bool is_free : {false, true}) {
    for (const unsigned workers : {0u, 1u, 3u}) {
      for (const wrong& each : all) {
        SCOPED_TRACE(testing::Message() << is_free << workers << " " << std::size(all) << " "
                                        << (each.content ? each.content : "(gone)"));
        store_rig rig({.workers = workers});
        rig.lists.is_free = is_free;
        rig.texts.is_free = is_free;
        rig.add("wall", "red.txt");
        rig.add("deep", "gone.txt\ngreen.txt");
        for (const char* name : {"red.txt", "green.txt", "blue.txt"}) rig.add(name, name);
        rig.add("broken.txt", "broken");
        rig.add("throws.txt", "throws");
        rig.mount();
        {
          rigged_store store(rig, at_once);
          asset<list> wall = store.get<list>("wall"_path);
          ASSERT_EQ(store.outcome(wall), "ready");
          std::atomic<int> calls{0};
          std::atomic<bool> is_wrong{true};
          rig.lists.during_finalize = [&](list& made) -> step {
            if (!is_wrong || !each.finalize || made.name != "wall") return finalize_step::done;
            return each.finalize(++calls);
          };
          each.content ? rig.add("wall", each.content) : rig.os.remove("/game/wall");
          for (int again = 0; again < 2; ++again) {
            store.reload("wall");
            const std::size_t before = rig.happened.lines().size();
            ASSERT_TRUE(pump_until(store, [&] {
              return !store.reload_status(wall) && (again == 0 || each.content == nullptr ||
                                                    rig.happened.lines().size() > before);
            }));
            EXPECT_EQ(wall.version(), 1u);
            EXPECT_EQ(wall->texts[0]->text, "red.txt");
          }
          is_wrong = false;
          rig.add("wall", "green.txt");
          store.reload("wall");
          ASSERT_TRUE(pump_until(store, [&] { return wall.version() == 2; }));
          EXPECT_TRUE(store.reload_status(wall));
          EXPECT_EQ(wall->texts[0]->text, "green.txt");
          wall = {};
          ASSERT_TRUE(pump_until(store, [&] {
            return store.progress().asked == 0 && store.progress().waiting_bytes == 0;
          }));
        }
        EXPECT_EQ(rig.happened.count("unload wall") >= 2, true);
        EXPECT_EQ(rig.happened.count("finalize red.txt"), rig.happened.count("unload red.txt"));
      }
    }
  }
}

TEST(asset_reload, of_what_is_dropped_meanwhile_ends) {
  for (const char* content : {"green.txt", "gone.txt"}) {
    for (int frames = 0; frames < 4; ++frames) {
      store_rig rig({.workers = 1});
      rig.add("wall", "red.txt");
      rig.add("red.txt", "red");
      rig.add("green.txt", "green");
      rig.mount();
      rigged_store store(rig, at_once);
      asset<list> wall = store.get<list>("wall"_path);
      ASSERT_EQ(store.outcome(wall), "ready");
      rig.add("wall", content);
      store.reload("wall");
      for (int i = 0; i < frames; ++i) store.pump(0ns);
      wall = {};
      ASSERT_TRUE(pump_until(store, [&] { return store.progress().asked == 0; }));
      wall = store.get<list>("wall"_path);
      EXPECT_EQ(store.outcome(wall), std::string(content) == "gone.txt" ? "not_found" : "ready");
      rig.add("wall", "red.txt");
      store.reload("wall");
      ASSERT_TRUE(pump_until(
          store, [&] { return wall.is_ready() && wall->texts[0].path().text == "red.txt"; }));
    }
  }
}

TEST(asset_reload, of_what_is_dropped_before_its_turn_comes_when_it_is_asked_for_again) {
  store_rig rig({.workers = 0});
  rig.os.set_cached(true);
  for (const char* path : {"a", "b", "c"}) rig.add(path, "old");
  rig.mount();
  rigged_store store(rig, {.files_max = 1, .background_threads = 0, .reload_delay = 0ns});
  std::vector<asset<words>> held;
  for (const char* path : {"a", "b", "c"}) held.push_back(store.get<words>(path));
  for (const asset<words>& each : held) ASSERT_EQ(store.outcome(each), "ready");
  for (const char* path : {"a", "b", "c"}) rig.add(path, "new");
  rig.texts.before_decode = [&](const std::string&) { held.resize(1); };
  for (const char* path : {"a", "b", "c"}) store.reload(path);
  ASSERT_TRUE(pump_until(store, [&] { return held[0]->text == "new"; }));
  ASSERT_TRUE(pump_until(store, [&] { return store.progress().waiting_bytes == 0; }));
  rig.texts.before_decode = nullptr;
  for (const char* path : {"b", "c"}) {
    const asset<words> again = store.get<words>(path);
    ASSERT_EQ(store.outcome(again), "ready");
    EXPECT_EQ(again->text, "new");
  }
}

TEST(asset_reload, tries_again_what_has_failed) {
  store_rig rig;
  rig.add("a.txt", "broken");
  rig.mount();
  rigged_store store(rig, at_once);
  const asset<words> one = store.get<words>("a.txt"_path);
  ASSERT_EQ(store.outcome(one), "corrupt");
  rig.add("a.txt", "mended");
  store.reload("a.txt");
  ASSERT_TRUE(pump_until(store, [&] { return one.is_ready(); }));
  EXPECT_EQ(one->text, "mended");
}

TEST(asset_reload, loads_a_file_that_was_missing_once_a_watch_has_seen_it) {
  temp_folder folder;
  folder.write("a.txt", "a");
  store_rig rig;
  file_system files;
  result<file_watch> watch = file_watch::open(files);
  if (!watch && watch.error().code == errc::unsupported) GTEST_SKIP() << "not on this system";
  const result<mount_id> mounted = files.mount(folder.path());
  ASSERT_TRUE(watch && mounted && watch->add(*mounted) && files.freeze());
  read_queue reads(files);
  asset_store store(files, reads, rig.engine.jobs, at_once);
  ASSERT_TRUE(store.add(rig.texts));
  const asset<words> one = store.get<words>("new/b.txt"_path);
  ASSERT_TRUE(store.wait_for(one, test::hang));
  ASSERT_EQ(one.status().error().code, errc::not_found);
  folder.write("new/b.txt", "bee");
  ASSERT_TRUE(watch->poll([&](const file_change& change) { store.reload(change.path); }));
  ASSERT_TRUE(pump_until(store, [&] { return one.is_ready(); }));
  EXPECT_EQ(one->text, "bee");
}

TEST(asset_reload, in_the_middle_of_a_load_comes_after_it) {
  store_rig rig;
  rig.add("a.txt", "old");
  rig.mount();
  rigged_store store(rig, at_once);
  const asset<words> one = store.get<words>("a.txt"_path);
  while (store.progress().for_pump == 0) std::this_thread::yield();
  rig.add("a.txt", "new");
  store.reload("a.txt");
  ASSERT_TRUE(pump_until(store, [&] { return one.version() == 2; }));
  EXPECT_EQ(one->text, "new");
}

TEST(asset_reload, waits_until_the_file_is_left_alone) {
  store_rig rig;
  rig.add("a.txt", "old");
  rig.mount();
  rigged_store store(rig, {.reload_delay = std::chrono::hours(1)});
  const asset<words> one = store.get<words>("a.txt"_path);
  ASSERT_EQ(store.outcome(one), "ready");
  rig.add("a.txt", "new");
  store.reload("a.txt");
  for (int i = 0; i < 20; ++i) store.pump(1ms);
  EXPECT_EQ(rig.happened.count("decode a.txt"), 1u);
}

TEST(asset_reload, leaves_handles_of_others_as_they_are_unless_they_depend_on_it) {
  store_rig rig;
  rig.add("room", "wall.txt");
  rig.add("wall.txt", "old");
  rig.add("floor.txt", "floor");
  rig.mount();
  rigged_store store(rig, at_once);
  const asset<list> room = store.get<list>("room"_path);
  ASSERT_EQ(store.outcome(room), "ready");
  const asset<words> wall = room->texts[0];
  rig.add("wall.txt", "new");
  store.reload("wall.txt");
  ASSERT_TRUE(pump_until(store, [&] { return wall.version() == 2; }));
  EXPECT_EQ(room->texts[0]->text, "new");
  EXPECT_EQ(room.version(), 1u);
  EXPECT_EQ(rig.happened.count("decode room"), 1u);

  rig.add("room", "floor.txt\nwall.txt");
  store.reload("room");
  ASSERT_TRUE(pump_until(store, [&] { return room.version() == 2; }));
  EXPECT_EQ(room->texts[0]->text, "floor");
}

TEST(asset_reload, loads_a_dependent_asset_after_what_it_needs) {
  store_rig rig;
  rig.lists.depends = true;
  rig.add("level", "@room");
  rig.add("room", "wall.txt");
  rig.add("wall.txt", "old");
  rig.mount();
  rigged_store store(rig, at_once);
  const asset<list> level = store.get<list>("level"_path);
  ASSERT_EQ(store.outcome(level), "ready");
  rig.add("wall.txt", "new");
  store.reload("wall.txt");
  ASSERT_TRUE(pump_until(store, [&] { return level.version() == 2; }));
  EXPECT_EQ(level->lists[0].version(), 2u);
  EXPECT_EQ(level->lists[0]->texts[0]->text, "new");
  EXPECT_EQ(rig.happened.count("unload level"), 1u);
}

TEST(asset_reload, that_would_close_a_circle_of_needs_leaves_the_old_value) {
  for (const bool depends : {false, true}) {
    for (const char* circle : {"@a", "@b", "@c"}) {
      store_rig rig;
      rig.lists.depends = depends;
      rig.add("a", "@b");
      rig.add("b", "wall.txt");
      rig.add("c", "@a");
      rig.add("wall.txt", "wall");
      rig.mount();
      {
        rigged_store store(rig, at_once);
        const asset<list> c = store.get<list>("c"_path);
        ASSERT_EQ(store.outcome(c), "ready");
        const asset<list> b = store.get<list>("b"_path);
        rig.add("b", circle);
        store.reload("b");
        ASSERT_TRUE(pump_until(store, [&] { return !store.reload_status(b); }));
        EXPECT_EQ(store.reload_status(b).error().code, errc::invalid);
        EXPECT_EQ(b.version(), 1u);
        EXPECT_EQ(b->texts[0]->text, "wall");
        rig.add("b", "wall.txt\nwall.txt");
        store.reload("b");
        ASSERT_TRUE(pump_until(store, [&] { return b.version() == 2; }));
        EXPECT_EQ(b->texts.size(), 2u);
      }
      EXPECT_EQ(rig.happened.count("unload a"), rig.happened.count("finalize a"));
      EXPECT_EQ(rig.happened.count("unload b"), 2u);
    }
  }
}

TEST(asset_reload, exchanges_what_the_asset_needs_too) {
  store_rig rig;
  rig.lists.depends = true;
  rig.add("room", "wall.txt");
  rig.add("wall.txt", "wall");
  rig.add("floor.txt", "floor");
  rig.mount();
  rigged_store store(rig, at_once);
  const asset<list> room = store.get<list>("room"_path);
  ASSERT_EQ(store.outcome(room), "ready");
  rig.add("room", "floor.txt");
  store.reload("room");
  ASSERT_TRUE(pump_until(store, [&] { return room.version() == 2; }));
  ASSERT_TRUE(pump_until(store, [&] { return rig.happened.count("unload wall") == 1; }));
  EXPECT_EQ(store.progress().asked, 2u);
  rig.add("floor.txt", "new floor");
  store.reload("floor.txt");
  ASSERT_TRUE(pump_until(store, [&] { return room.version() == 3; }));
  EXPECT_EQ(room->texts[0]->text, "new floor");
}

// Each of two reloads needs the other's asset as it will be.
TEST(asset_reload, closes_no_circle_with_another_that_is_under_way) {
  store_rig rig;
  rig.add("a", "wall.txt");
  rig.add("b", "wall.txt");
  rig.add("wall.txt", "wall");
  rig.mount();
  {
    rigged_store store(rig, at_once);
    const asset<list> a = store.get<list>("a"_path);
    const asset<list> b = store.get<list>("b"_path);
    ASSERT_EQ(store.outcome(a), "ready");
    ASSERT_EQ(store.outcome(b), "ready");
    rig.add("a", "@b");
    rig.add("b", "@a");
    store.reload("a");
    store.reload("b");
    ASSERT_TRUE(pump_until(store, [&] {
      return a.version() + b.version() + (store.reload_status(a) ? 0u : 1u) +
                 (store.reload_status(b) ? 0u : 1u) ==
             4;
    }));
    EXPECT_EQ(a.version() + b.version(), 3u) << "one of them";
  }
  EXPECT_EQ(rig.happened.count("unload a") + rig.happened.count("unload b"), 3u);
}

TEST(asset_reload, takes_no_more_memory_the_tenth_time) {
  store_rig rig;
  rig.add("room", "wall.txt");
  rig.add("wall.txt", "wall");
  rig.mount();
  failing_allocator memory(UINT64_MAX);
  asset_store store(rig.engine.files, rig.engine.reads, rig.engine.jobs,
                    {.keep_bytes = 0, .reload_delay = 0ns, .memory = &memory});
  ASSERT_TRUE(store.add(rig.texts) && store.add(rig.lists));
  const asset<list> room = store.get<list>("room"_path);
  ASSERT_TRUE(store.wait_for(room, test::hang) && room.is_ready());
  std::uint64_t before = 0;
  for (unsigned i = 0; i < 10; ++i) {
    if (i == 5) before = memory.calls();
    store.reload("room");
    ASSERT_TRUE(pump_until(
        store, [&] { return room.version() == i + 2 && store.progress().waiting_bytes == 0; }));
    store.pump(1ms);
  }
  EXPECT_EQ(memory.calls(), before);
}

TEST(asset_reload, of_what_no_handle_holds_drops_it) {
  store_rig rig;
  rig.add("a.txt", "old");
  rig.mount();
  rigged_store store(rig, {.reload_delay = 0ns});
  EXPECT_EQ(store.outcome(store.get<words>("a.txt"_path)), "ready");
  store.pump(1ms);
  ASSERT_EQ(store.progress().kept, 1u);
  rig.add("a.txt", "new");
  store.reload("a.txt");
  ASSERT_TRUE(pump_until(store, [&] { return store.progress().kept == 0; }));
  const asset<words> one = store.get<words>("a.txt"_path);
  EXPECT_EQ(store.outcome(one), "ready");
  EXPECT_EQ(one->text, "new");
}

TEST(asset_reload, while_the_store_ends_leaves_nothing) {
  store_rig rig;
  for (int i = 0; i < 50; ++i) rig.add(std::to_string(i), "text");
  rig.mount();
  for (int round = 0; round < 20; ++round) {
    rigged_store store(rig, at_once);
    std::vector<asset<words>> held;
    for (int i = 0; i < 50; ++i) held.push_back(store.get<words>(std::to_string(i)));
    for (const asset<words>& each : held) ASSERT_EQ(store.outcome(each), "ready");
    for (int i = 0; i < 50; ++i) store.reload(std::to_string(i));
    for (int i = 0; i < round / 4; ++i) store.pump(10us);
    held.clear();
  }
  EXPECT_EQ(rig.happened.count("finalize text"), rig.happened.count("unload text"));
}

}  // namespace
}  // namespace overture::reload_test

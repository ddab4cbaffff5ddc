// SPDX-License-Identifier: Zlib
//
// asset_store: what a game sees of its assets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "assets/store_rig.hpp"
#include "overture/jobs/coroutine.hpp"
#include "support/failing_allocator.hpp"

namespace overture::asset_store_test {
namespace {

using namespace std::chrono_literals;
using namespace overture::literals;
using test::list;
using test::rigged_store;
using test::store_rig;
using test::words;
using ::testing::ElementsAre;

TEST(asset_store, loads_an_asset_once_for_all_handles) {
  store_rig rig;
  rig.add("a.txt", "hello");
  rig.mount();
  rigged_store store(rig);
  const asset<words> one = store.get<words>("a.txt"_path);
  const asset<words> two = store.get<words>("a.txt");
  EXPECT_EQ(store.outcome(one), "ready");
  EXPECT_TRUE(two.is_ready());
  EXPECT_EQ(one, two);
  EXPECT_EQ(two->text, "hello");
  EXPECT_EQ(two.path().text, "a.txt");
  EXPECT_THAT(rig.happened.lines(), ElementsAre("decode a.txt", "finalize hello"));
}

TEST(asset_store, finalizes_on_the_thread_that_pumps) {
  store_rig rig;
  rig.add("a.txt", "hello");
  rig.mount();
  rigged_store store(rig);
  std::thread::id finalized_on;
  rig.texts.during_finalize = [&](words&, std::chrono::nanoseconds) -> result<finalize_step> {
    finalized_on = std::this_thread::get_id();
    return finalize_step::done;
  };
  const asset<words> one = store.get<words>("a.txt"_path);
  EXPECT_EQ(store.outcome(one), "ready");
  EXPECT_EQ(finalized_on, std::this_thread::get_id());
}

TEST(asset_store, finalizes_on_workers_where_the_loader_is_free_threaded) {
  store_rig rig;
  rig.add("a.txt", "hello");
  rig.texts.is_free = true;
  rig.mount();
  rigged_store store(rig);
  const asset<words> one = store.get<words>("a.txt"_path);
  one.settled().wait();  // no thread pumps
  EXPECT_TRUE(one.status());
  EXPECT_EQ(one->text, "hello");
}

TEST(asset_store, shows_the_placeholder_until_the_asset_is_ready) {
  store_rig rig;
  const words placeholder{"..."};
  rig.texts.shown_first = &placeholder;
  rig.add("a.txt", "hello");
  rig.add("b.txt", "broken");
  rig.mount();
  rigged_store store(rig);
  const asset<words> good = store.get<words>("a.txt"_path);
  const asset<words> bad = store.get<words>("b.txt"_path);
  EXPECT_EQ(good.get(), &placeholder);
  EXPECT_EQ(good.status().error().code, errc::busy);
  EXPECT_EQ(store.outcome(good), "ready");
  EXPECT_EQ(store.outcome(bad), "corrupt");
  EXPECT_EQ(good->text, "hello");
  EXPECT_EQ(bad.get(), &placeholder);
  EXPECT_EQ(asset<words>().get(), nullptr);
}

TEST(asset_store, is_ready_once_what_it_needs_is) {
  store_rig rig;
  rig.add("level", "@room\nsky.txt");
  rig.add("room", "wall.txt\nfloor.txt");
  rig.add("wall.txt", "wall");
  rig.add("floor.txt", "floor");
  rig.add("sky.txt", "sky");
  rig.mount();
  rigged_store store(rig);
  const asset<list> level = store.get<list>("level"_path);
  EXPECT_EQ(store.outcome(level), "ready");
  EXPECT_EQ(level->lists[0]->texts[1]->text, "floor");
  const std::vector<std::string> lines = rig.happened.lines();
  const auto at = [&](const char* line) {
    return std::find(lines.begin(), lines.end(), line) - lines.begin();
  };
  EXPECT_LT(at("finalize wall"), at("finalize room"));
  EXPECT_LT(at("finalize floor"), at("finalize room"));
  EXPECT_LT(at("finalize room"), at("finalize level"));
  EXPECT_LT(at("finalize sky"), at("finalize level"));
}

TEST(asset_store, fails_with_what_it_needs_and_says_the_chain) {
  store_rig rig;
  rig.add("level", "@room");
  rig.add("room", "wall.txt\nfloor.txt");
  rig.add("floor.txt", "floor");
  rig.mount();
  rigged_store store(rig);
  const asset<list> level = store.get<list>("level"_path);
  EXPECT_EQ(store.outcome(level), "not_found");
  char text[200];
  const std::size_t length = store.explain(level, text);
  EXPECT_TRUE(std::string(text).starts_with("level needs room needs wall.txt: ")) << text;
  EXPECT_EQ(length, std::string(text).size());
  char cut[10];
  EXPECT_EQ(store.explain(level, cut), 9u);
  EXPECT_STREQ(cut, "level nee");
  // What did load can be had.
  EXPECT_EQ(store.outcome(store.get<words>("floor.txt"_path)), "ready");
}

TEST(asset_store, does_without_what_it_only_wants) {
  store_rig rig;
  rig.add("level", "?gone.txt\nhere.txt");
  rig.add("here.txt", "here");
  rig.mount();
  rigged_store store(rig);
  const asset<list> level = store.get<list>("level"_path);
  EXPECT_EQ(store.outcome(level), "ready");
  EXPECT_EQ(store.outcome(level->texts[0]), "not_found");
}

TEST(asset_store, refuses_assets_that_need_themselves) {
  store_rig rig;
  rig.add("a", "@b");
  rig.add("b", "@c");
  rig.add("c", "@a");
  rig.add("self", "@self");
  rig.mount();
  rigged_store store(rig);
  const asset<list> a = store.get<list>("a"_path);
  const asset<list> self = store.get<list>("self"_path);
  EXPECT_EQ(store.outcome(a), "invalid");
  EXPECT_EQ(store.outcome(self), "invalid");
  char text[200];
  (void)store.explain(a, text);
  EXPECT_THAT(text, ::testing::HasSubstr("need each other in a circle"));
  (void)store.explain(self, text);
  EXPECT_STREQ(text, "self: it needs itself");
}

TEST(asset_store, names_a_path_that_cannot_be_and_what_cannot_be_printed) {
  store_rig rig;
  rig.add("up", "../x.txt");
  rig.add("from_windows", "x.txt\r\n");
  rig.add("x.txt", "x");
  rig.mount();
  rigged_store store(rig);
  char text[200];
  const asset<list> up = store.get<list>("up"_path);
  EXPECT_EQ(store.outcome(up), "bad_path");
  (void)store.explain(up, text);
  EXPECT_THAT(text, ::testing::StartsWith("up needs ../x.txt: "));
  const asset<list> from_windows = store.get<list>("from_windows"_path);
  EXPECT_EQ(store.outcome(from_windows), "not_found");
  (void)store.explain(from_windows, text);
  EXPECT_THAT(text, ::testing::StartsWith("from_windows needs x.txt?: "));
}

TEST(asset_store, turns_what_a_loader_throws_into_that_assets_error) {
  store_rig rig;
  rig.add("a.txt", "throws");
  rig.add("b.txt", "fine");
  rig.add("c.txt", "later");
  rig.add("d.txt", "full");
  rig.add("e.txt", "");
  rig.mount();
  rig.texts.before_decode = [](const std::string& path) {
    if (path == "e.txt") throw std::bad_alloc();
  };
  rig.texts.during_finalize = [](words& value, std::chrono::nanoseconds) -> result<finalize_step> {
    if (value.text == "later") throw std::runtime_error("no");
    if (value.text == "full") throw std::bad_alloc();
    return finalize_step::done;
  };
  rigged_store store(rig);
  const asset<words> a = store.get<words>("a.txt"_path);
  const asset<words> b = store.get<words>("b.txt"_path);
  const asset<words> c = store.get<words>("c.txt"_path);
  EXPECT_EQ(store.outcome(a), "threw");
  EXPECT_EQ(store.outcome(b), "ready");
  EXPECT_EQ(store.outcome(c), "threw");
  EXPECT_EQ(store.outcome(store.get<words>("d.txt"_path)), "out_of_memory");
  EXPECT_EQ(store.outcome(store.get<words>("e.txt"_path)), "out_of_memory");
}

TEST(asset_store, says_that_a_handle_is_on_nothing) {
  store_rig rig;
  rig.add("b.txt", "b");
  rig.mount();
  rigged_store store(rig);
  const asset<words> none;
  EXPECT_EQ(none.status().error().code, errc::invalid);
  EXPECT_STREQ(none.status().error().reason,
               "no asset: the handle was default-constructed or moved from");
  EXPECT_TRUE(store.wait_for(none, 0ns));
  char text[80] = "old";
  EXPECT_EQ(store.explain(none, text), 0u);
  EXPECT_STREQ(text, "");
}

TEST(asset_store, without_memory_gives_handles_that_say_so) {
  store_rig rig;
  rig.add("a.txt", "hello");
  rig.mount();
  failing_allocator memory(0);
  asset_store store(rig.engine.files, rig.engine.reads, rig.engine.jobs, {.memory = &memory});
  EXPECT_EQ(store.status().error().code, errc::out_of_memory);
  asset<words> one = store.get<words>("a.txt"_path);
  const asset<words> copy = one;
  EXPECT_FALSE(one.valid());
  EXPECT_EQ(one.state(), asset_state::failed);
  EXPECT_EQ(one.get(), nullptr);
  EXPECT_EQ(one.status().error().code, errc::out_of_memory);
  EXPECT_EQ(copy.status().error().code, errc::out_of_memory);
  EXPECT_EQ(test::explained(store, one), "out of memory for an asset");
  store.raise(one, asset_priority::high);
  store.retry(one);
  EXPECT_TRUE(store.wait_for(one, test::hang));
  EXPECT_TRUE(store.reload_status(one));
  EXPECT_FALSE(store.get(soft_asset<words>(one)).valid());
  one = {};
  EXPECT_EQ(store.get<words>("no/../path").status().error().code, errc::out_of_memory);
}

TEST(asset_store, says_that_a_path_or_a_type_is_none) {
  store_rig rig;
  rig.add("bad", "../x");
  rig.mount();
  rigged_store store(rig);
  EXPECT_EQ(store.outcome(store.get<list>("bad"_path)), "bad_path");
  const asset<words> none = store.get<words>("no/../path");
  EXPECT_EQ(store.outcome(none), "bad_path");
  store.retry(none);
  EXPECT_EQ(store.outcome(none), "bad_path") << "not one that was not found";
  EXPECT_EQ(store.outcome(store.get(soft_asset<words>(none))), "bad_path");
  EXPECT_EQ(store.outcome(store.get<int>("bad"_path)), "unsupported");
}

TEST(asset_store, unloads_where_it_finalized_once_the_last_handle_is_gone) {
  store_rig rig;
  rig.add("a.txt", "hello");
  rig.mount();
  rigged_store store(rig, {.keep_bytes = 0});
  asset<words> one = store.get<words>("a.txt"_path);
  EXPECT_EQ(store.outcome(one), "ready");
  std::thread([moved = std::move(one)]() mutable { moved = {}; }).join();
  EXPECT_EQ(rig.happened.count("unload hello"), 0u);
  EXPECT_EQ(store.pump(1s).unloaded, 1u);
  EXPECT_EQ(rig.happened.count("unload hello"), 1u);
  const asset<words> again = store.get<words>("a.txt"_path);
  EXPECT_FALSE(again.is_ready());
  EXPECT_EQ(store.outcome(again), "ready");
  EXPECT_EQ(rig.happened.count("decode a.txt"), 2u);
}

TEST(asset_store, keeps_what_is_not_held_within_its_budget) {
  store_rig rig;
  for (const char* name : {"aaaa", "bbbb", "cccc"}) rig.add(name, name);
  rig.mount();
  rigged_store store(rig, {.keep_bytes = 8});
  for (const char* name : {"aaaa", "bbbb", "cccc"}) {
    EXPECT_EQ(store.outcome(store.get<words>(name)), "ready");
    store.pump(1s);
  }
  EXPECT_EQ(rig.happened.count("unload aaaa"), 1u) << "given up first";
  EXPECT_EQ(store.progress().kept, 2u);
  EXPECT_EQ(store.progress().kept_bytes, 8u);
  const asset<words> kept = store.get<words>("bbbb"_path);
  EXPECT_TRUE(kept.is_ready()) << "no load";
  EXPECT_EQ(store.progress().kept, 1u);
}

TEST(asset_store, unloads_what_an_asset_held_after_it) {
  store_rig rig;
  rig.add("room", "wall.txt");
  rig.add("wall.txt", "wall");
  rig.mount();
  rigged_store store(rig, {.keep_bytes = 0});
  EXPECT_EQ(store.outcome(store.get<list>("room"_path)), "ready");
  EXPECT_EQ(store.pump(1s).unloaded, 2u);
  EXPECT_THAT(rig.happened.lines(), ElementsAre("decode room", "decode wall.txt", "finalize wall",
                                                "finalize room", "unload room", "unload wall"));
}

TEST(asset_store, unloads_everything_when_it_ends) {
  store_rig rig;
  rig.add("room", "wall.txt");
  rig.add("wall.txt", "wall");
  rig.mount();
  {
    rigged_store store(rig);
    EXPECT_EQ(store.outcome(store.get<words>("wall.txt"_path)), "ready");
    EXPECT_EQ(store.outcome(store.get<list>("room"_path)), "ready");
  }
  const std::vector<std::string> lines = rig.happened.lines();
  ASSERT_GE(lines.size(), 2u);
  EXPECT_EQ(lines[lines.size() - 2], "unload room") << "what holds others goes first";
  EXPECT_EQ(lines.back(), "unload wall");
}

TEST(asset_store, ends_while_assets_load) {
  store_rig rig;
  for (int i = 0; i < 300; ++i) rig.add(std::to_string(i), "text");
  rig.mount();
  for (int round = 0; round < 20; ++round) {
    std::vector<asset<words>> held;
    rigged_store store(rig);
    for (int i = 0; i < 300; ++i) held.push_back(store.get<words>(std::to_string(i)));
    for (int i = 0; i < round; ++i) store.pump(10us);
    held.clear();
  }
  EXPECT_EQ(rig.happened.count("finalize text"), rig.happened.count("unload text"));
}

TEST(asset_store, calls_finalize_again_in_the_next_frame) {
  store_rig rig;
  rig.add("a.txt", "hello");
  rig.mount();
  int steps = 0;
  rig.texts.during_finalize = [&](words&,
                                  std::chrono::nanoseconds budget) -> result<finalize_step> {
    EXPECT_GT(budget, 0ns);
    EXPECT_LE(budget, 4ms);
    return ++steps == 3 ? finalize_step::done : finalize_step::again;
  };
  rigged_store store(rig);
  const asset<words> one = store.get<words>("a.txt"_path);
  while (store.progress().for_pump == 0) std::this_thread::yield();
  EXPECT_EQ(store.pump(4ms).steps, 1u);
  EXPECT_EQ(store.pump(4ms).steps, 1u);
  EXPECT_FALSE(one.is_ready());
  EXPECT_EQ(store.pump(4ms).steps, 1u);
  EXPECT_TRUE(one.is_ready());
}

// As a game may do in what it runs once an asset has failed: the store may still be telling others.
TEST(asset_store, retries_what_is_retried_while_others_are_told) {
  store_rig rig({.workers = 1});
  rig.add("a.txt", "broken");
  rig.mount();
  for (int i = 0; i < 20; ++i) {
    rigged_store store(rig);
    rig.add("a.txt", "broken");
    const asset<words> one = store.get<words>("a.txt"_path);
    one.settled().wait();
    rig.add("a.txt", "mended");
    store.retry(one);
    EXPECT_EQ(store.outcome(one), "ready");
  }
}

TEST(asset_store, retries_what_has_failed_down_to_the_cause) {
  store_rig rig;
  rig.add("room", "wall.txt");
  rig.add("wall.txt", "broken");
  rig.mount();
  for (const bool holds_the_cause : {false, true}) {
    rigged_store store(rig);
    rig.add("wall.txt", "broken");
    asset<words> wall;
    if (holds_the_cause) wall = store.get<words>("wall.txt"_path);
    const asset<list> room = store.get<list>("room"_path);
    EXPECT_EQ(store.outcome(room), "corrupt");
    rig.add("wall.txt", "mended");
    store.retry(room);
    EXPECT_EQ(store.outcome(room), "ready");
    EXPECT_EQ(room->texts[0]->text, "mended");
  }
}

TEST(asset_store, loads_without_workers_when_it_is_pumped) {
  store_rig rig({.workers = 0});
  rig.add("room", "wall.txt");
  rig.add("wall.txt", "wall");
  rig.mount();
  rigged_store store(rig, {.background_threads = 0});
  const asset<list> room = store.get<list>("room"_path);
  while (!room.is_ready()) store.pump(1ms);
  EXPECT_EQ(room->texts[0]->text, "wall");
}

struct number {
  int value = 0;
};
class number_loader final : public loader<number> {
 public:
  result<number> decode(std::span<const std::byte>, load_context&) override { return number{7}; }
};
// Its assets need a number.
struct sum {
  asset<number> of;
};
class sum_loader final : public loader<sum> {
 public:
  result<sum> decode(std::span<const std::byte>, load_context& context) override {
    return sum{context.need<number>("a.txt"_path)};
  }
};

TEST(asset_store, retries_what_has_no_loader_only_once_it_has_one) {
  store_rig rig;
  rig.add("a.txt", "a");
  rig.add("b.txt", "b");
  rig.mount();
  sum_loader sums;
  number_loader numbers;
  rigged_store store(rig);
  ASSERT_TRUE(store.add(sums));
  const asset<number> one = store.get<number>("a.txt"_path);
  const asset<sum> parent = store.get<sum>("b.txt"_path);
  EXPECT_EQ(store.outcome(one), "unsupported");
  EXPECT_NE(store.outcome(parent), "ready");
  store.retry(one);
  EXPECT_EQ(store.outcome(one), "unsupported");
  store.retry(parent);
  EXPECT_NE(store.outcome(parent), "ready");
  ASSERT_TRUE(store.add(numbers));
  store.retry(parent);
  EXPECT_EQ(store.outcome(parent), "ready");
  EXPECT_EQ(store.outcome(one), "ready");
  EXPECT_EQ(one->value, 7);
}

TEST(asset_store, without_workers_says_that_it_waits_for_pump) {
  store_rig rig({.workers = 0});
  rig.add("a.txt", "a");
  rig.mount();
  rigged_store store(rig, {.background_threads = 0});
  const asset<words> one = store.get<words>("a.txt"_path);
  const auto waits_for = [&] {
    std::string what;
    EXPECT_TRUE(store.for_each_unsettled([&](const unsettled_asset& each) { what = each.what; }));
    return what;
  };
  constexpr const char* only_pump = "pump() on the main thread, as the job system has no workers";
  EXPECT_EQ(waits_for(), only_pump);
  while (one.state() == asset_state::queued) (void)rig.engine.jobs.try_help();
  EXPECT_EQ(waits_for(), only_pump);
  EXPECT_EQ(store.outcome(one), "ready");
}

co_task<result<std::string>> text_of(asset<words> awaited) {
  if (auto loaded = co_await awaited; !loaded) co_return tl::unexpected(loaded.error());
  co_return awaited->text;
}

TEST(asset_store, can_be_awaited_by_a_coroutine) {
  store_rig rig;
  rig.add("a.txt", "hello");
  rig.mount();
  rigged_store store(rig);
  const auto there = spawn(rig.engine.jobs, text_of(store.get<words>("a.txt"_path)));
  const auto gone = spawn(rig.engine.jobs, text_of(store.get<words>("gone"_path)));
  ASSERT_TRUE(there && gone);
  while (!there->is_ready() || !gone->is_ready()) store.pump(1ms);
  EXPECT_EQ(there->get().value_or("none"), "hello");
  EXPECT_EQ(gone->get().error().code, errc::not_found);
}

TEST(asset_store, says_what_waits_for_whom) {
  store_rig rig;
  rig.add("room", "wall.txt");
  rig.add("wall.txt", "wall");
  rig.mount();
  rigged_store store(rig);
  const asset<list> room = store.get<list>("room"_path);
  // decode() of the room may return after the wall is there.
  while (store.progress().for_pump == 0 || room.state() != asset_state::needing) {
    std::this_thread::yield();
  }
  std::map<std::string, std::string> waits;
  ASSERT_TRUE(store.for_each_unsettled([&](const unsettled_asset& one) {
    waits[std::string(one.path.text)] = std::string(one.what) + "|" + std::string(one.needs.text);
  }));
  EXPECT_EQ(waits["room"], "an asset that it needs|wall.txt");
  EXPECT_EQ(waits["wall.txt"], "pump() on the main thread|");
  EXPECT_EQ(store.outcome(room), "ready");
}

}  // namespace
}  // namespace overture::asset_store_test

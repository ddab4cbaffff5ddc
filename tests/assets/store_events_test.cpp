// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "assets/store_rig.hpp"
#include "overture/assets/asset_event.hpp"

namespace overture::store_events_test {
namespace {

using namespace overture::literals;
using namespace overture::test;

constexpr asset_store_config at_once{.reload_delay = std::chrono::nanoseconds(0)};
constexpr asset_store_config keeps_nothing{.keep_bytes = 0};

// "loaded a.txt, failed b.txt: broken words"
std::string taken(asset_store& store) {
  std::string text;
  std::size_t count = 0;
  const result<std::size_t> taken = store.take_events([&](const asset_event& event) {
    if (count++ > 0) text += ", ";
    text += std::string(to_string(event.kind)) + " " + std::string(event.path.text);
    const bool failed =
        event.kind == asset_event_kind::failed || event.kind == asset_event_kind::reload_failed;
    if (failed) text += std::string(": ") + event.failure.reason;
  });
  EXPECT_TRUE(taken);
  EXPECT_EQ(taken.value_or(0), count);
  return text;
}

TEST(events, say_what_has_loaded_and_what_has_failed_once_in_the_order_in_which_it_did) {
  store_rig rig;
  rig.add("a.txt", "first");
  rig.add("b.txt", "broken");
  rig.mount();
  rigged_store store(rig);
  EXPECT_EQ(taken(store), "");
  const asset<words> a = store.get<words>("a.txt"_path);
  EXPECT_EQ(taken(store), "") << "it loads";
  ASSERT_EQ(store.outcome(a), "ready");
  const asset<words> b = store.get<words>("b.txt"_path);
  ASSERT_EQ(store.outcome(b), "corrupt");
  EXPECT_EQ(taken(store), "loaded a.txt, failed b.txt: broken words");
  EXPECT_EQ(taken(store), "");
}

TEST(events, of_others_are_told_if_one_changes_again_meanwhile) {
  store_rig rig;
  for (const char* name : {"a.txt", "b.txt", "c.txt"}) rig.add(name, name);
  rig.mount();
  rigged_store store(rig, at_once);
  const asset<words> a = store.get<words>("a.txt"_path);
  ASSERT_EQ(store.outcome(a), "ready");
  const asset<words> b = store.get<words>("b.txt"_path);
  ASSERT_EQ(store.outcome(b), "ready");
  rig.add("a.txt", "second");
  store.reload("a.txt");
  ASSERT_TRUE(pump_until(store, [&] { return a.version() == 2; }));
  const asset<words> c = store.get<words>("c.txt"_path);
  ASSERT_EQ(store.outcome(c), "ready");
  EXPECT_EQ(taken(store), "loaded a.txt, loaded b.txt, loaded c.txt");
}

TEST(events, name_the_asset_that_a_handle_is_on) {
  store_rig rig;
  rig.add("a.txt", "first");
  rig.mount();
  rigged_store store(rig);
  const asset<words> a = store.get<words>("a.txt"_path);
  const asset<words> other = store.get<words>("b.txt"_path);
  ASSERT_EQ(store.outcome(a), "ready");
  ASSERT_EQ(store.outcome(other), "not_found");
  std::size_t of_a = 0;
  ASSERT_TRUE(store.take_events([&](const asset_event& event) {
    EXPECT_NE(event.is_of(a), event.is_of(other));
    EXPECT_FALSE(event.is_of(asset<words>()));
    of_a += event.is_of(a) ? 1 : 0;
  }));
  EXPECT_EQ(of_a, 1u);
  EXPECT_FALSE(asset_event().is_of(asset<words>())) << "an event of nothing";
}

TEST(events, say_that_a_file_was_loaded_again_or_could_not_be) {
  store_rig rig;
  rig.add("a.txt", "first");
  rig.mount();
  rigged_store store(rig, at_once);
  const asset<words> a = store.get<words>("a.txt"_path);
  ASSERT_EQ(store.outcome(a), "ready");
  EXPECT_EQ(taken(store), "loaded a.txt");
  rig.add("a.txt", "second");
  store.reload("a.txt");
  ASSERT_TRUE(pump_until(store, [&] { return a.version() == 2; }));
  EXPECT_EQ(taken(store), "reloaded a.txt");
  rig.add("a.txt", "broken");
  store.reload("a.txt");
  ASSERT_TRUE(pump_until(store, [&] { return !store.reload_status(a); }));
  EXPECT_EQ(taken(store), "reload_failed a.txt: broken words");
  EXPECT_EQ(a->text, "second");
  EXPECT_EQ(taken(store), "");
}

TEST(events, of_one_asset_say_how_it_differs_from_what_was_told_before) {
  store_rig rig;
  rig.add("a.txt", "first");
  rig.mount();
  rigged_store store(rig, keeps_nothing);
  asset<words> a = store.get<words>("a.txt"_path);
  ASSERT_EQ(store.outcome(a), "ready");
  const auto drop = [&] {
    a = {};
    ASSERT_TRUE(pump_until(store, [&] { return store.progress().held_bytes == 0; }));
  };
  drop();
  EXPECT_EQ(taken(store), "") << "it came and went";
  a = store.get<words>("a.txt"_path);
  ASSERT_EQ(store.outcome(a), "ready");
  EXPECT_EQ(taken(store), "loaded a.txt");
  drop();
  EXPECT_EQ(taken(store), "unloaded a.txt");
  a = store.get<words>("a.txt"_path);
  ASSERT_EQ(store.outcome(a), "ready");
  EXPECT_EQ(taken(store), "loaded a.txt");
  drop();
  a = store.get<words>("a.txt"_path);
  ASSERT_EQ(store.outcome(a), "ready");
  EXPECT_EQ(taken(store), "unloaded a.txt, loaded a.txt") << "other handles, another value";
}

TEST(events, tell_of_a_failure_even_if_the_asset_has_loaded_since) {
  store_rig rig;
  rig.add("a.txt", "broken");
  rig.mount();
  rigged_store store(rig);
  const asset<words> a = store.get<words>("a.txt"_path);
  ASSERT_EQ(store.outcome(a), "corrupt");
  rig.add("a.txt", "mended");
  store.retry(a);
  ASSERT_EQ(store.outcome(a), "ready");
  EXPECT_EQ(taken(store), "failed a.txt: broken words, loaded a.txt");
}

TEST(events, of_what_was_let_go_since_are_explained_by_the_number) {
  store_rig rig;
  rig.add("room", "nowhere.txt");
  rig.mount();
  rigged_store store(rig, keeps_nothing);
  EXPECT_EQ(store.outcome(store.get<list>("room"_path)), "not_found");
  ASSERT_TRUE(pump_until(store, [&] { return store.progress().asked == 0; }));
  std::string why;
  const auto explain = [&](const asset_event& event) {
    char text[100];
    if (event.path.text != "room") return;
    why = {text, store.subject_failure(event.subject, text)};
  };
  EXPECT_TRUE(store.take_events(explain));
  EXPECT_EQ(why.find("room needs nowhere.txt: "), 0u) << why;
}

TEST(events, that_the_visitor_causes_come_the_next_time) {
  store_rig rig;
  rig.add("a.txt", "broken");
  rig.add("b.txt", "broken");
  rig.mount();
  rigged_store store(rig);
  const asset<words> a = store.get<words>("a.txt"_path);
  ASSERT_EQ(store.outcome(a), "corrupt");
  std::size_t seen = 0;
  asset<words> b;
  ASSERT_TRUE(store.take_events([&](const asset_event& event) {
    ++seen;
    store.retry(a);
    ASSERT_EQ(store.outcome(a), "corrupt");
    b = store.get<words>("b.txt"_path);
    ASSERT_EQ(store.outcome(b), "corrupt");
    EXPECT_TRUE(event.is_of(a));
  }));
  EXPECT_EQ(seen, 1u);
  EXPECT_EQ(taken(store), "failed a.txt: broken words, failed b.txt: broken words");
}

TEST(events, that_a_throwing_visitor_has_not_seen_come_the_next_time) {
  store_rig rig;
  rig.add("a.txt", "broken");
  rig.add("b.txt", "second");
  rig.mount();
  rigged_store store(rig);
  const asset<words> a = store.get<words>("a.txt"_path);
  ASSERT_EQ(store.outcome(a), "corrupt");
  rig.add("a.txt", "mended");
  store.retry(a);
  ASSERT_EQ(store.outcome(a), "ready");
  const asset<words> b = store.get<words>("b.txt"_path);
  ASSERT_EQ(store.outcome(b), "ready");
  const result<std::size_t> thrown =
      store.take_events([](const asset_event&) { throw std::runtime_error("no"); });
  ASSERT_FALSE(thrown);
  EXPECT_EQ(thrown.error().code, errc::threw);
  EXPECT_EQ(taken(store), "loaded a.txt, loaded b.txt") << "the failure of a.txt was seen";
}

}  // namespace
}  // namespace overture::store_events_test

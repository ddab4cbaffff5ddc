// SPDX-License-Identifier: Zlib
//
// What an asset waits for and can do without: need_or_placeholder().
#include <gtest/gtest.h>

#include <string>

#include "assets/store_rig.hpp"

namespace overture::placeholder_need_test {
namespace {

using namespace overture::literals;
using namespace overture::test;

constexpr asset_store_config at_once{.reload_delay = std::chrono::nanoseconds(0)};

class a_need_with_a_placeholder : public testing::Test {
 protected:
  a_need_with_a_placeholder() {
    rig.add("room", "wall.txt\n!picture.txt");
    rig.add("wall.txt", "wall");
    rig.add("picture.txt", "picture");
    rig.mount();
    rig.texts.shown_first = &pink;
  }
  [[nodiscard]] static std::string picture_in(const asset<list>& room) {
    return room->texts[1]->text;
  }

  const words pink{"pink"};
  store_rig rig;
};

TEST_F(a_need_with_a_placeholder, is_waited_for) {
  for (const bool is_free : {false, true}) {
    rig.lists.is_free = is_free;
    std::string seen;
    rig.lists.during_finalize = [&](list& room) -> result<finalize_step> {
      seen = room.texts[1]->text;
      return finalize_step::done;
    };
    rigged_store store(rig, at_once);
    const asset<list> room = store.get<list>("room"_path);
    ASSERT_EQ(store.outcome(room), "ready");
    EXPECT_EQ(seen, "picture");
  }
}

TEST_F(a_need_with_a_placeholder, that_fails_is_shown_as_that) {
  for (const char* content : {"broken", "throws", ""}) {
    rig.add("picture.txt", content);
    if (*content == '\0') rig.add("room", "wall.txt\n!nowhere.txt");
    rigged_store store(rig, at_once);
    const asset<list> room = store.get<list>("room"_path);
    ASSERT_EQ(store.outcome(room), "ready") << content;
    EXPECT_EQ(picture_in(room), "pink");
    EXPECT_EQ(room->texts[1].state(), asset_state::failed);
    EXPECT_EQ(store.progress().failed, 1u);
  }
}

TEST_F(a_need_with_a_placeholder, that_has_failed_before_is_no_error_either) {
  rig.add("picture.txt", "broken");
  rigged_store store(rig, at_once);
  const asset<words> picture = store.get<words>("picture.txt"_path);
  ASSERT_EQ(store.outcome(picture), "corrupt");
  EXPECT_EQ(store.outcome(store.get<list>("room"_path)), "ready");
}

TEST_F(a_need_with_a_placeholder, that_cannot_have_its_path_is_shown_as_that) {
  rig.add("room", "wall.txt\n!../../picture.txt");
  rigged_store store(rig, at_once);
  const asset<list> room = store.get<list>("room"_path);
  ASSERT_EQ(store.outcome(room), "ready");
  EXPECT_EQ(picture_in(room), "pink");
}

TEST_F(a_need_with_a_placeholder, shows_its_value_once_that_can_be_loaded) {
  for (const bool depends : {false, true}) {
    rig.lists.depends = depends;
    rig.add("picture.txt", "broken");
    rigged_store store(rig, at_once);
    const asset<list> room = store.get<list>("room"_path);
    ASSERT_EQ(store.outcome(room), "ready");
    rig.add("picture.txt", "picture");
    store.reload("picture.txt");
    const std::uint32_t version = depends ? 2 : 1;
    ASSERT_TRUE(pump_until(store, [&] {
      return picture_in(room) == "picture" && room.version() == version;
    })) << "what copies from its needs is made again";
    EXPECT_EQ(picture_in(room), "picture");
  }
}

TEST_F(a_need_with_a_placeholder, is_tried_again_by_a_retry_of_what_asks_for_it) {
  rig.add("wall.txt", "broken");
  rig.add("picture.txt", "broken");
  rigged_store store(rig, at_once);
  const asset<list> room = store.get<list>("room"_path);
  ASSERT_EQ(store.outcome(room), "corrupt");
  rig.add("wall.txt", "mended");
  rig.add("picture.txt", "picture");
  store.retry(room);
  ASSERT_EQ(store.outcome(room), "ready");
  EXPECT_EQ(picture_in(room), "picture");
}

TEST_F(a_need_with_a_placeholder, fails_its_asset_if_that_needs_it_without_one_too) {
  rig.add("picture.txt", "broken");
  for (const char* order : {"!picture.txt\npicture.txt", "picture.txt\n!picture.txt"}) {
    rig.add("room", order);
    rigged_store store(rig, at_once);
    EXPECT_EQ(store.outcome(store.get<list>("room"_path)), "corrupt") << order;
  }
}

TEST_F(a_need_with_a_placeholder, goes_with_what_has_asked_for_it) {
  rigged_store store(rig, {.keep_bytes = 0});
  asset<list> room = store.get<list>("room"_path);
  ASSERT_EQ(store.outcome(room), "ready");
  room = {};
  ASSERT_TRUE(pump_until(store, [&] { return rig.happened.count("unload picture") == 1; }));
}

}  // namespace
}  // namespace overture::placeholder_need_test

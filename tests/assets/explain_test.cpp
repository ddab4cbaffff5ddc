// SPDX-License-Identifier: Zlib
//
// asset_store::explain(): why an asset failed, in the words of its files.
#include "assets/explain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "assets/store_rig.hpp"
#include "overture/text/read.hpp"
#include "support/temp_folder.hpp"

namespace overture::explain_test {
namespace {

using namespace overture::literals;
using test::list;
using test::rigged_store;
using test::store_rig;
using test::words;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

template <class T>
std::string why(rigged_store& store, const asset<T>& one) {
  EXPECT_NE(store.outcome(one), "ready");
  char text[400];
  const std::size_t length = store.explain(one, text);
  EXPECT_EQ(length, std::string(text).size());
  return text;
}

TEST(asset_explain, says_which_path_was_meant) {
  store_rig rig;
  rig.add("gfx/Walls/Wall.png", "wall");
  rig.add("level", "GFX/walls/wall.PNG");
  rig.add("room", "gfx/walls/door.png");
  rig.mount();
  rigged_store store(rig);
  EXPECT_EQ(why(store, store.get<list>("level"_path)),
            "level needs GFX/walls/wall.PNG: no mount has this path; did you mean "
            "gfx/Walls/Wall.png?");
  EXPECT_EQ(why(store, store.get<list>("room"_path)),
            "room needs gfx/walls/door.png: no mount has this path");
  EXPECT_EQ(why(store, store.get<words>("LEVEL"_path)),
            "LEVEL: no mount has this path; did you mean level?");
  EXPECT_EQ(why(store, store.get<words>("gfx/Walls/wall.png/more"_path)),
            "gfx/Walls/wall.png/more: no mount has this path");
}

TEST(asset_explain, says_that_what_was_missing_has_come) {
  assets_detail::slot room;
  room.path = "room"_path;
  assets_detail::slot wall;
  wall.path = "wall.txt"_path;
  assets_detail::failure_chain chain;
  chain.why = {.code = errc::corrupt, .reason = "broken words"};
  chain.add(&room);
  chain.add(&wall);
  chain.has_come = true;
  file_system files;
  char text[200];
  const std::size_t length = assets_detail::explain(files, chain, text);
  EXPECT_EQ(std::string(text, length),
            "room needs wall.txt: broken words; that has loaded since: retry()");
}

TEST(asset_explain, says_that_nothing_is_mounted) {
  store_rig rig;
  rigged_store store(rig);
  const asset<words> one = store.get<words>("a.txt"_path);
  EXPECT_EQ(why(store, one), "a.txt: nothing is mounted: mount() files first");
  EXPECT_STREQ(one.status().error().reason, "nothing is mounted: mount() files first");
}

TEST(asset_explain, names_paths_and_not_their_numbers) {
  store_rig rig;
  rig.add("level", "gone.png");
  rig.mount();
  rigged_store store(rig);
  const std::string text = why(store, store.get<list>("level"_path));
  EXPECT_THAT(text, Not(HasSubstr("path id")));
  EXPECT_THAT(text, StartsWith("level needs gone.png: "));
}

TEST(asset_explain, says_what_the_system_said) {
  store_rig rig;
  rig.add("a.txt", "hello");
  rig.mount();
  rig.os.remove("/game/a.txt");
  rigged_store store(rig);
  EXPECT_THAT(why(store, store.get<words>("a.txt"_path)), StartsWith("a.txt: "));
}

TEST(asset_explain, says_why_a_reload_failed) {
  store_rig rig;
  rig.add("level", "wall.txt");
  rig.add("wall.txt", "wall");
  rig.add("more.txt", "broken");
  rig.mount();
  rigged_store store(rig, {.reload_delay = std::chrono::nanoseconds(0)});
  const asset<list> level = store.get<list>("level"_path);
  const asset<words> wall = store.get<words>("wall.txt"_path);
  ASSERT_EQ(store.outcome(level), "ready");
  rig.add("wall.txt", "broken");
  rig.add("level", "more.txt");
  store.reload("wall.txt");
  store.reload("level");
  ASSERT_TRUE(test::pump_until(
      store, [&] { return !store.reload_status(wall) && !store.reload_status(level); }));
  char text[200];
  EXPECT_EQ(std::string(text, store.explain(wall, text)), "wall.txt: broken words");
  EXPECT_EQ(std::string(text, store.explain(level, text)), "level needs more.txt: broken words");
  EXPECT_TRUE(level.is_ready());
}

struct settings {
  int volume = 0;
};
class settings_loader final : public loader<settings> {
 public:
  result<settings> decode(std::span<const std::byte> bytes, load_context&) override {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::size_t flaw = text.find('!');
    if (flaw != std::string_view::npos) {
      return fail(errc::corrupt, "expected a number", source_id{}, flaw);
    }
    return settings{};
  }
};

TEST(asset_explain, says_the_line_and_column_of_a_text) {
  struct row {
    const char* content;
    const char* expected;
  };
  constexpr row table[] = {
      {"volume !", "s: line 1, column 8: expected a number"},
      {"a = 1\nvolume = !\n", "s: line 2, column 10: expected a number"},
      {"a = 1\n!\n", "s: line 2, column 1: expected a number"},
  };
  for (const row& each : table) {
    store_rig rig;
    rig.add("s", each.content);
    rig.mount();
    settings_loader of_settings;
    rigged_store store(rig);
    ASSERT_TRUE(store.add(of_settings));
    const asset<settings> one = store.get<settings>("s"_path);
    EXPECT_EQ(why(store, one), each.expected);
    const text::position at = text::position_of(each.content, one.status().error().offset);
    EXPECT_THAT(std::string(each.expected),
                HasSubstr("line " + std::to_string(at.line) + ", column " +
                          std::to_string(at.column) + ":"));
  }
}

TEST(asset_explain, says_the_byte_of_what_is_no_text) {
  store_rig rig;
  rig.add("s", std::string("\0\0\0\0!", 5));
  rig.mount();
  settings_loader of_settings;
  rigged_store store(rig);
  ASSERT_TRUE(store.add(of_settings));
  EXPECT_EQ(why(store, store.get<settings>("s"_path)), "s: at byte 4: expected a number");
}

TEST(asset_explain, cuts_to_fit) {
  store_rig rig;
  rig.add("b.txt", "b");
  rig.mount();
  rigged_store store(rig);
  const asset<words> one = store.get<words>("a.txt"_path);
  EXPECT_NE(store.outcome(one), "ready");
  for (std::size_t size = 1; size < 40; ++size) {
    std::string text(size, '#');
    const std::size_t length = store.explain(one, text);
    EXPECT_LT(length, size);
    EXPECT_EQ(text[length], '\0');
  }
  EXPECT_EQ(store.explain(one, {}), 0u);
}

TEST(spelling, of_a_path_that_does_not_fit_is_none) {
  store_rig rig;
  rig.add("gfx/Wall.png", "wall");
  rig.mount();
  char room[8];
  EXPECT_EQ(assets_detail::spelled_otherwise(rig.engine.files, "gfx/wall.png", room).error().code,
            errc::limit);
}

}  // namespace
}  // namespace overture::explain_test

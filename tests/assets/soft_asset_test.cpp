// SPDX-License-Identifier: Zlib
//
// Names of assets that keep nothing loaded, and what for_each_asset() says keeps each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <thread>

#include "assets/store_rig.hpp"

namespace overture::soft_asset_test {
namespace {

using namespace std::chrono_literals;
using namespace overture::literals;
using test::list;
using test::rigged_store;
using test::store_rig;
using test::words;

// A room knows the one beside it, which its file names: softly after '~', or by want().
struct room {
  asset<room> kept;
  soft_asset<room> known;
};

class room_loader final : public loader<room> {
 public:
  result<room> decode(std::span<const std::byte> bytes, load_context& context) override {
    ++decodes;
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    room made;
    if (text.starts_with('~')) {
      made.known = context.name<room>(text.substr(1));
    } else if (!text.empty()) {
      made.kept = context.want<room>(text);
    }
    return made;
  }
  void unload(room&) override { ++unloads; }

  std::atomic<int> decodes{0};
  int unloads = 0;
};

class rooms : public ::testing::Test {
 protected:
  void mount(std::initializer_list<std::pair<const char*, const char*>> files) {
    for (const auto& [path, content] : files) rig_.add(path, content);
    rig_.mount();
    store_.emplace(rig_.engine.files, rig_.engine.reads, rig_.engine.jobs,
                   asset_store_config{.keep_bytes = 0});
    ASSERT_TRUE(store_->add(loader_));
  }
  asset<room> load(const char* path) {
    asset<room> one = store_->get<room>(path);
    EXPECT_TRUE(store_->wait_for(one, test::hang) && one.is_ready());
    return one;
  }
  void settle() {
    do {
      store_->pump(1ms);
    } while (store_->progress().waiting_bytes > 0);
  }
  std::map<std::string, std::string> holders() {
    std::map<std::string, std::string> found;
    EXPECT_TRUE(store_->for_each_asset([&](const known_asset& one) {
      std::string text = to_string(one.held_by);
      if (!one.holder.text.empty()) text += " " + std::string(one.holder.text);
      found[std::string(one.path.text)] = text;
    }));
    return found;
  }

  store_rig rig_;
  room_loader loader_;
  std::optional<asset_store> store_;
};

TEST_F(rooms, that_know_each_other_softly_are_unloaded) {
  mount({{"1", "~2"}, {"2", "~1"}});
  asset<room> one = load("1");
  EXPECT_EQ(loader_.decodes, 1) << "a name loads nothing";
  ASSERT_TRUE(one->known.valid());
  asset<room> two = store_->get(one->known);
  EXPECT_TRUE(store_->wait_for(two, test::hang) && two.is_ready());
  EXPECT_EQ(two.path().text, "2");
  EXPECT_EQ(two->known, soft_asset<room>(one));
  EXPECT_EQ(store_->get_if_ready(two->known), one);
  const soft_asset<room> first(one);
  one = {};
  two = {};
  settle();
  EXPECT_EQ(loader_.unloads, 2);
  EXPECT_EQ(store_->progress().asked, 0u);
  EXPECT_FALSE(store_->get_if_ready(first).valid());
  EXPECT_EQ(loader_.decodes, 2) << "which loads nothing either";
}

TEST_F(rooms, a_name_of_nothing_is_no_asset) {
  mount({{"1", "~../up"}});
  const asset<room> one = load("1");
  EXPECT_FALSE(one->known.valid());
  EXPECT_FALSE(store_->get(one->known).valid());
  EXPECT_FALSE(store_->get_if_ready(one->known).valid());
  EXPECT_EQ(one->known, soft_asset<room>());
  EXPECT_EQ(one->known.path().text, "");
  EXPECT_EQ(one->known.subject(), 0u);
  EXPECT_FALSE(store_->name<room>("../up").valid());
}

TEST_F(rooms, a_name_may_outlive_the_store) {
  mount({{"1", ""}});
  soft_asset<room> first(load("1"));
  const soft_asset<room> copy = first;
  store_.reset();
  EXPECT_TRUE(first.valid());
  EXPECT_EQ(first, copy);
  first = {};
  EXPECT_FALSE(first.valid());
}

TEST_F(rooms, is_ready_by_its_name_while_it_is_kept) {
  mount({{"1", ""}});
  store_.reset();
  store_.emplace(rig_.engine.files, rig_.engine.reads, rig_.engine.jobs);
  ASSERT_TRUE(store_->add(loader_));
  const soft_asset<room> first(load("1"));
  store_->pump(1ms);
  ASSERT_EQ(store_->progress().kept, 1u);
  const asset<room> again = store_->get_if_ready(first);
  EXPECT_TRUE(again.is_ready());
  EXPECT_EQ(store_->progress().kept, 0u);
  EXPECT_EQ(loader_.decodes, 1);
}

TEST_F(rooms, that_want_each_other_are_named_and_unloaded_at_the_end) {
  mount({{"1", "2"}, {"2", "1"}, {"3", "3"}, {"4", "1"}});
  {
    const asset<room> one = load("1");
    load("2");
    load("3");
    settle();
    EXPECT_EQ(holders(), (std::map<std::string, std::string>{
                             {"1", "handle 2"}, {"2", "asset 1"}, {"3", "circle 3"}}));
  }
  settle();
  EXPECT_EQ(holders(), (std::map<std::string, std::string>{
                           {"1", "circle 2"}, {"2", "circle 1"}, {"3", "circle 3"}}));
  {
    const asset<room> four = load("4");
    EXPECT_EQ(holders()["1"], "asset 4");
    EXPECT_EQ(holders()["2"], "asset 1");
  }
  settle();
  EXPECT_EQ(loader_.unloads, 1) << "the one that nothing wants";
  EXPECT_EQ(holders()["1"], "circle 2");
  EXPECT_EQ(holders()["4"], "nothing");
  if constexpr (!detail::contracts) {
    store_.reset();
    EXPECT_EQ(loader_.unloads, 4);
  } else {
    // A build with contracts says so at the end: break the circles.
    for (const char* path : {"1", "3"}) {
      rig_.add(path, "");
      store_->reload(path);
    }
    while (store_->progress().asked > 0) store_->pump(1ms);
  }
}

TEST(each_asset, is_told_with_state_bytes_error_and_what_holds_it) {
  store_rig rig;
  rig.add("room", "wall.txt");
  rig.add("wall.txt", "wall");
  rig.add("bad.txt", "broken");
  rig.add("kept.txt", "kept");
  rig.mount();
  rigged_store store(rig);
  const asset<list> room = store.get<list>("room"_path);
  const asset<words> bad = store.get<words>("bad.txt"_path);
  EXPECT_EQ(store.outcome(room), "ready");
  EXPECT_EQ(store.outcome(bad), "corrupt");
  EXPECT_EQ(store.outcome(store.get<words>("kept.txt"_path)), "ready");
  while (store.progress().kept == 0) store.pump(1ms);
  std::map<std::string, known_asset> all;
  ASSERT_TRUE(
      store.for_each_asset([&](const known_asset& one) { all[std::string(one.path.text)] = one; }));
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all["room"].held_by, asset_holder::handle);
  EXPECT_EQ(all["wall.txt"].held_by, asset_holder::asset);
  EXPECT_EQ(all["wall.txt"].holder.text, "room");
  EXPECT_EQ(all["wall.txt"].bytes, 4u);
  EXPECT_EQ(all["wall.txt"].state, asset_state::ready);
  EXPECT_EQ(all["bad.txt"].state, asset_state::failed);
  EXPECT_EQ(all["bad.txt"].failure.code, errc::corrupt);
  EXPECT_EQ(all["bad.txt"].handles, 1u);
  EXPECT_EQ(all["kept.txt"].held_by, asset_holder::store);
  EXPECT_EQ(all["kept.txt"].handles, 0u);
  const result<void> thrown =
      store.for_each_asset([](const known_asset&) { throw std::runtime_error("no"); });
  EXPECT_EQ(thrown.error().code, errc::threw);
}

}  // namespace
}  // namespace overture::soft_asset_test

// SPDX-License-Identifier: Zlib
//
// asset_store: values in stages of files that change, or that become none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>

#include "assets/stage_rig.hpp"
#include "overture/sync/barricade.hpp"

namespace overture::changed_stage_test {
namespace {

using namespace std::chrono_literals;
using namespace overture::literals;
using namespace overture::test;
using ::testing::ElementsAre;

TEST(a_stage_of_a_changed_file, that_became_short_is_the_first_that_has_all_of_it) {
  staged of(1);
  asset_store& store = of.begin();
  const asset<prefix> one = store.get<prefix>("0"_path);
  store.set_last_stage(one, 1);
  ASSERT_TRUE(of.becomes(one, content.substr(0, 8)));
  of.rig.add("0", "abc");
  store.reload("0");
  ASSERT_TRUE(of.becomes(one, "abc"));
  EXPECT_EQ(store.stage(one).index, 0u);
  EXPECT_TRUE(store.stage(one).is_whole);
}

// Of such a file the next stage is the first one again, which is the one that is shown.
TEST(a_stage_of_a_changed_file, that_became_short_and_bad_is_tried_once) {
  for (const bool says_so : {false, true}) {
    staged of(0);
    of.prefixes.stages = {8};
    of.prefixes.fails_at = 3;
    asset_store& store = of.begin();
    of.prefixes.during_decode = [&](std::size_t bytes) {
      if (bytes != 8) return;
      of.rig.add("0", "bad");
      if (says_so) store.reload("0");
    };
    const asset<prefix> one = store.get<prefix>("0"_path);
    ASSERT_TRUE(pump_until(store, [&] { return !store.reload_status(one); }));
    for (int i = 0; i < 100; ++i) store.pump(1ms);
    of.settle();
    EXPECT_EQ(one->text, content.substr(0, 8));
    EXPECT_EQ(of.prefixes.happened.count("0 3"), says_so ? 2u : 1u)
        << "the next stage, and the change";
  }
}

// A stage that was too little before is none that this failure has left out.
TEST(a_stage_of_a_changed_file, that_became_shorter_than_one_that_was_left_out_is_tried_once) {
  staged of(0);
  of.prefixes.stages = {4, 8};
  of.prefixes.fails_at = 4;
  asset_store& store = of.begin();
  of.prefixes.during_decode = [&](std::size_t bytes) {
    if (bytes != 8) return;
    of.prefixes.fails_at = 3;
    of.rig.add("0", "bad");
  };
  const asset<prefix> one = store.get<prefix>("0"_path);
  ASSERT_TRUE(pump_until(store, [&] { return of.prefixes.happened.count("0 3") > 0; }));
  for (int i = 0; i < 100; ++i) store.pump(1ms);
  of.settle();
  EXPECT_EQ(one->text, content.substr(0, 8));
  EXPECT_EQ(of.prefixes.happened.count("0 3"), 1u);
  EXPECT_EQ(store.reload_status(one).error().code, errc::corrupt);
}

TEST(a_stage_of_a_changed_file, that_is_mended_between_two_reads_is_made_after_all) {
  staged of(1);
  asset_store& store = of.begin();
  std::atomic<bool> is_first{true};
  of.prefixes.during_decode = [&](std::size_t) {
    const bool fails = is_first.exchange(false);
    of.prefixes.fails_at = fails ? 4 : SIZE_MAX;
    if (!fails) return;
    of.rig.add("0", "fedcba9876543210");
    store.reload("0");
  };
  const asset<prefix> one = store.get<prefix>("0"_path);
  store.set_last_stage(one, 0);
  ASSERT_TRUE(of.becomes(one, "fedc"));
}

TEST(a_stage_of_a_changed_file, that_is_no_value_at_all_fails_with_the_whole) {
  staged of(1);
  of.prefixes.stages = {4};
  of.prefixes.fails_always = true;
  asset_store& store = of.begin();
  const asset<prefix> one = store.get<prefix>("0"_path);
  ASSERT_TRUE(store.wait_for(one, hang));
  EXPECT_EQ(one.status().error().code, errc::corrupt);
  EXPECT_THAT(of.prefixes.happened.lines(), ElementsAre("0 4", "0 16"));
  of.prefixes.fails_always = false;
  store.retry(one);
  ASSERT_TRUE(of.becomes(one, content));
}

TEST(a_stage_of_a_changed_file, that_fails_as_a_whole_leaves_the_one_before) {
  staged of(1);
  of.prefixes.stages = {4};
  of.prefixes.fails_at = 16;
  asset_store& store = of.begin();
  const asset<prefix> one = store.get<prefix>("0"_path);
  ASSERT_TRUE(pump_until(store, [&] { return !store.reload_status(one); }));
  of.settle();
  EXPECT_EQ(one->text, content.substr(0, 4));
  EXPECT_EQ(of.prefixes.happened.count("0 16"), 1u) << "and is not tried again by itself";
  of.prefixes.fails_at = SIZE_MAX;
  store.reload("0");
  ASSERT_TRUE(of.becomes(one, content));
  EXPECT_TRUE(store.reload_status(one));
}

TEST(a_stage_of_a_changed_file, stays_at_a_save) {
  staged of(1);
  asset_store& store = of.begin();
  const asset<prefix> one = store.get<prefix>("0"_path);
  store.set_last_stage(one, 1);
  ASSERT_TRUE(of.becomes(one, content.substr(0, 8)));
  of.rig.add("0", "an other content");
  store.reload("0");
  ASSERT_TRUE(of.becomes(one, "an other"));
  of.settle();
  EXPECT_EQ(store.stage(one).index, 1u);
  EXPECT_THAT(of.prefixes.happened.lines(), ElementsAre("0 4", "0 8", "0 8"));
}

TEST(a_stage_of_a_changed_file, that_is_too_little_leaves_the_save_to_the_stage_that_is_shown) {
  staged of(1, 2);
  asset_store& store = of.begin();
  const asset<prefix> one = store.get<prefix>("0"_path);
  store.set_last_stage(one, 1);
  ASSERT_TRUE(of.becomes(one, content.substr(0, 8)));
  std::atomic<bool> holds{true};
  barricade decoding{barricade::raised};
  barricade gate{barricade::raised};
  of.prefixes.during_decode = [&](std::size_t) {
    if (!holds.exchange(false)) return;
    decoding.lower();
    gate.wait();
  };
  const asset<prefix> other = store.get<prefix>("1"_path);
  decoding.wait();
  store.set_last_stage(one, 0);
  store.pump(1ms);  // which asks for that stage, and the only worker is busy
  of.prefixes.fails_at = 4;
  of.rig.add("0", "an other content");
  store.reload("0");
  gate.lower();
  EXPECT_TRUE(of.becomes(one, "an other"));
  EXPECT_TRUE(store.reload_status(one));
}

TEST(a_stage_of_a_changed_file, that_is_given_up_leaves_the_save_to_the_next_that_asks) {
  staged of(0);
  of.prefixes.needs = [](const std::string& text) { return text.size() > 4; };
  asset_store& store = of.begin({.keep_bytes = 1000});
  asset<prefix> one = store.get<prefix>("0"_path);
  store.set_last_stage(one, 0);
  ASSERT_TRUE(of.becomes(one, content.substr(0, 4)));
  store.set_last_stage(one, all_stages);
  ASSERT_TRUE(pump_until(store, [&] { return of.prefixes.happened.count("0 8") == 1; }));
  // The words that it needs wait for pump(), so the save is to be read instead, and no handle is
  // left.
  of.rig.add("0", "an other content");
  store.reload("0");
  one = {};
  store.pump(1ms);
  one = store.get<prefix>("0"_path);
  store.set_last_stage(one, 0);
  EXPECT_TRUE(of.becomes(one, "an o"));
}

TEST(a_stage_of_a_changed_file, is_the_same_though_the_file_was_short_for_a_while) {
  staged of(0);
  of.prefixes.needs = [](const std::string& text) { return text == "abc"; };
  asset_store& store = of.begin();
  const asset<prefix> one = store.get<prefix>("0"_path);
  ASSERT_TRUE(of.becomes(one, content));
  of.rig.add("0", "abc");
  store.reload("0");
  ASSERT_TRUE(pump_until(store, [&] { return of.prefixes.happened.count("0 3") == 1; }));
  of.rig.add("0", "an other content");
  store.reload("0");
  ASSERT_TRUE(of.becomes(one, "an other content"));
  EXPECT_THAT(of.prefixes.happened.lines(), ElementsAre("0 4", "0 8", "0 16", "0 3", "0 16"));
}

}  // namespace
}  // namespace overture::changed_stage_test

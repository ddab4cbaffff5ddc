// SPDX-License-Identifier: Zlib
//
// asset_store: values in stages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assets/stage_rig.hpp"
#include "overture/sync/barricade.hpp"
#include "support/temp_folder.hpp"
#include "support/zip_writer.hpp"

namespace overture::stage_test {
namespace {

using namespace std::chrono_literals;
using namespace overture::literals;
using namespace overture::test;
using ::testing::ElementsAre;

TEST(a_stage, follows_the_one_before_until_the_file_is_whole) {
  for (const unsigned workers : {0u, 2u}) {
    staged of(workers);
    asset_store& store = of.begin();
    const asset<prefix> one = store.get<prefix>("0"_path);
    EXPECT_EQ(store.stage(one).file_bytes, 0u) << "not ready";
    ASSERT_TRUE(of.becomes(one, content));
    EXPECT_EQ(one.version(), 3u);
    EXPECT_EQ(store.stage(one).index, 2u);
    EXPECT_TRUE(store.stage(one).is_whole);
    EXPECT_EQ(one->file_bytes, content.size());
    EXPECT_THAT(of.prefixes.happened.lines(), ElementsAre("0 4", "0 8", "0 16"));
    of.settle();
    EXPECT_EQ(one.version(), 3u);
  }
}

TEST(a_stage, is_the_last_if_the_file_ends_in_it) {
  staged of(1);
  of.prefixes.stages = {4, 100, 200};
  asset_store& store = of.begin();
  const asset<prefix> one = store.get<prefix>("0"_path);
  ASSERT_TRUE(of.becomes(one, content));
  of.settle();
  EXPECT_EQ(one.version(), 2u);
  EXPECT_TRUE(store.stage(one).is_whole);
}

TEST(a_stage, comes_after_the_first_ones_of_all_that_was_asked_for) {
  constexpr int count = 10;
  staged of(0, count);
  of.rig.os.set_cached(true);  // or a read may end before one that began earlier
  of.prefixes.stages = {4};
  asset_store& store = of.begin({.files_max = 2});
  std::vector<asset<prefix>> held;
  for (int i = 0; i < count; ++i) held.push_back(store.get<prefix>(std::to_string(i)));
  for (const asset<prefix>& each : held) ASSERT_TRUE(of.becomes(each, content));
  const std::vector<std::string> lines = of.prefixes.happened.lines();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i].ends_with(" 4"), i < count) << lines[i];
  }
}

TEST(a_stage, may_be_the_last_that_is_wanted_and_made_again) {
  staged of(1);
  asset_store& store = of.begin();
  const asset<prefix> one = store.get<prefix>("0"_path);
  store.set_last_stage(one, 0);
  ASSERT_TRUE(of.becomes(one, content.substr(0, 4)));
  of.settle();
  EXPECT_EQ(one.version(), 1u);
  EXPECT_FALSE(store.stage(one).is_whole);
  store.set_last_stage(one, 1);
  ASSERT_TRUE(of.becomes(one, content.substr(0, 8)));
  of.settle();
  EXPECT_EQ(one.version(), 2u);
  store.set_last_stage(one, all_stages);
  ASSERT_TRUE(of.becomes(one, content));
  store.set_last_stage(one, 0);
  ASSERT_TRUE(of.becomes(one, content.substr(0, 4)));
  EXPECT_EQ(store.progress().held_bytes, 4u);
  of.settle();
  EXPECT_EQ(one.version(), 4u);
}

// A texture whose smallest level is larger, for example.
TEST(a_stage, that_is_too_little_for_a_value_is_left_out) {
  for (const unsigned workers : {0u, 2u}) {
    staged of(workers);
    of.prefixes.fails_at = 4;
    barricade gate{barricade::raised};
    if (workers > 0) of.rig.os.before_each_call([&](const os_call_info&) { gate.wait(); });
    asset_store& store = of.begin();
    const asset<prefix> one = store.get<prefix>("0"_path);
    store.set_last_stage(one, 0);
    gate.lower();
    ASSERT_TRUE(of.becomes(one, content.substr(0, 8)));
    of.settle();
    EXPECT_EQ(one.version(), 1u);
    EXPECT_EQ(store.stage(one).index, 1u);
    EXPECT_THAT(of.prefixes.happened.lines(), ElementsAre("0 4", "0 8"));
    of.prefixes.fails_at = SIZE_MAX;
    store.set_last_stage(one, all_stages);
    ASSERT_TRUE(of.becomes(one, content));
    EXPECT_EQ(one.version(), 2u);
  }
}

// The next one has no room until the text is finalized.
TEST(a_stage, that_is_left_out_is_not_tried_again_while_the_next_one_waits_for_room) {
  staged of(0, 2);
  of.rig.os.set_cached(true);
  of.prefixes.fails_at = 4;
  asset_store& store = of.begin({.budget_bytes = content.size() + 6, .background_threads = 0});
  const asset<words> text = store.get<words>("1"_path, asset_priority::high);
  const auto run_some_jobs = [&] {
    for (int i = 0; i < 200 && of.rig.engine.jobs.try_help(); ++i) {
    }
  };
  run_some_jobs();
  ASSERT_EQ(text.state(), asset_state::finalizing);
  const asset<prefix> one = store.get<prefix>("0"_path, asset_priority::high);
  run_some_jobs();
  EXPECT_THAT(of.prefixes.happened.lines(), ElementsAre("0 4"));
  EXPECT_TRUE(of.becomes(one, content));
  EXPECT_EQ(of.prefixes.happened.count("0 4"), 1u);
}

TEST(a_stage, that_is_left_out_is_no_end_for_coarser_ones) {
  staged of(0);
  of.prefixes.fails_at = 8;
  asset_store& store = of.begin();
  const asset<prefix> one = store.get<prefix>("0"_path);
  ASSERT_TRUE(of.becomes(one, content));
  EXPECT_THAT(of.prefixes.happened.lines(), ElementsAre("0 4", "0 8", "0 16"));
  store.set_last_stage(one, 0);
  ASSERT_TRUE(of.becomes(one, content.substr(0, 4)));
  store.set_last_stage(one, 1);
  ASSERT_TRUE(of.becomes(one, content)) << "as near as can be";
  EXPECT_THAT(of.prefixes.happened.lines(),
              ElementsAre("0 4", "0 8", "0 16", "0 4", "0 8", "0 16"));
}

TEST(a_stage, that_is_left_out_once_a_coarser_one_is_wanted_is_no_end_for_that) {
  staged of(0);
  of.prefixes.stages = {4, 8, 12};
  asset_store& store = of.begin();
  const asset<prefix> one = store.get<prefix>("0"_path);
  store.set_last_stage(one, 2);
  ASSERT_TRUE(of.becomes(one, content.substr(0, 12)));
  of.prefixes.fails_at = 12;
  of.prefixes.during_decode = [&](std::size_t bytes) {
    if (bytes == 12) store.set_last_stage(one, 1);
  };
  store.reload("0");
  ASSERT_TRUE(of.becomes(one, content));
  ASSERT_TRUE(of.becomes(one, content.substr(0, 8)));
}

// Or lack of memory would be answered by taking more.
TEST(a_stage, that_lacks_memory_takes_no_more_of_its_file) {
  for (const unsigned workers : {0u, 2u}) {
    staged of(workers);
    asset_store& store = of.begin();
    const asset<prefix> one = store.get<prefix>("0"_path);
    store.set_last_stage(one, 0);
    ASSERT_TRUE(of.becomes(one, content.substr(0, 4)));
    of.prefixes.fails_with = errc::out_of_memory;
    of.prefixes.fails_at = 4;
    store.reload("0");
    ASSERT_TRUE(pump_until(store, [&] { return !store.reload_status(one); }));
    EXPECT_EQ(store.reload_status(one).error().code, errc::out_of_memory);
    of.settle();
    EXPECT_EQ(store.stage(one).index, 0u);
    EXPECT_THAT(of.prefixes.happened.lines(), ElementsAre("0 4", "0 4"));
    of.prefixes.fails_at = SIZE_MAX;
    store.reload("0");
    ASSERT_TRUE(pump_until(store, [&] { return one.version() == 2; }));
    EXPECT_TRUE(store.reload_status(one));
  }
}

TEST(a_stage, that_lacks_memory_at_first_fails) {
  staged of(1);
  of.prefixes.fails_with = errc::out_of_memory;
  of.prefixes.fails_at = 4;
  asset_store& store = of.begin();
  const asset<prefix> one = store.get<prefix>("0"_path);
  ASSERT_TRUE(store.wait_for(one, hang));
  EXPECT_EQ(one.status().error().code, errc::out_of_memory);
  EXPECT_THAT(of.prefixes.happened.lines(), ElementsAre("0 4"));
  of.prefixes.fails_at = SIZE_MAX;
  store.retry(one);
  ASSERT_TRUE(of.becomes(one, content));
}

TEST(a_stage, that_cannot_be_coarser_again_is_as_coarse_as_can_be) {
  staged of(0);
  of.rig.os.set_cached(true);
  asset_store& store = of.begin();
  const asset<prefix> one = store.get<prefix>("0"_path);
  ASSERT_TRUE(of.becomes(one, content));
  of.prefixes.fails_at = 4;
  store.set_last_stage(one, 0);
  ASSERT_TRUE(of.becomes(one, content.substr(0, 8)));
  for (int frame = 0; frame < 10; ++frame) {
    store.set_last_stage(one, 0);
    of.settle();
  }
  EXPECT_TRUE(store.reload_status(one));
  EXPECT_THAT(of.prefixes.happened.lines(), ElementsAre("0 4", "0 8", "0 16", "0 4", "0 8"));
  of.prefixes.fails_at = SIZE_MAX;
  store.set_last_stage(one, all_stages);
  store.set_last_stage(one, 0);
  ASSERT_TRUE(of.becomes(one, content.substr(0, 4)));
}

TEST(a_stage, that_is_too_little_is_no_reason_to_read_again_what_is_shown) {
  staged of(0);
  of.rig.os.set_cached(true);
  asset_store& store = of.begin();
  const asset<prefix> one = store.get<prefix>("0"_path);
  store.set_last_stage(one, 1);
  ASSERT_TRUE(of.becomes(one, content.substr(0, 8)));
  of.prefixes.fails_at = 4;
  store.set_last_stage(one, 0);
  of.settle();
  EXPECT_THAT(of.prefixes.happened.lines(), ElementsAre("0 4", "0 8", "0 4"));
}

TEST(a_stage, is_of_a_file_that_others_need_whole) {
  staged of(1);
  asset_store& store = of.begin();
  const std::uint64_t before = of.rig.os.calls(os_call::read);
  const asset<words> whole = store.get<words>("0"_path);
  const asset<prefix> one = store.get<prefix>("0"_path);
  store.set_last_stage(one, 0);
  ASSERT_TRUE(of.becomes(one, content.substr(0, 4)));
  ASSERT_EQ(pump_until(store, [&] { return whole.is_ready(); }), true);
  EXPECT_EQ(whole->text, content);
  EXPECT_LE(of.rig.os.calls(os_call::read) - before, 2u);
}

// Whoever was asked for first, and reads for both.
TEST(a_stage, shares_the_read_of_a_file_that_others_need_whole) {
  staged of(0);
  asset_store& store = of.begin();
  const asset<prefix> one = store.get<prefix>("0"_path);
  store.set_last_stage(one, 0);
  const asset<words> whole = store.get<words>("0"_path);
  ASSERT_TRUE(pump_until(store, [&] { return whole.is_ready() && one.is_ready(); }));
  EXPECT_EQ(whole->text, content);
  EXPECT_EQ(one->text, content.substr(0, 4));
}

TEST(a_stage, is_the_first_again_of_what_is_loaded_anew) {
  staged of(1);
  asset_store& store = of.begin({.keep_bytes = 0});
  asset<prefix> one = store.get<prefix>("0"_path);
  ASSERT_TRUE(of.becomes(one, content));
  one = {};
  ASSERT_TRUE(pump_until(store, [&] { return store.progress().asked == 0; }));
  one = store.get<prefix>("0"_path);
  ASSERT_TRUE(of.becomes(one, content));
  EXPECT_THAT(of.prefixes.happened.lines(),
              ElementsAre("0 4", "0 8", "0 16", "0 4", "0 8", "0 16"));
}

TEST(a_stage, waits_while_nothing_holds_the_asset) {
  staged of(0);
  asset_store& store = of.begin({.keep_bytes = 100});
  asset<prefix> one = store.get<prefix>("0"_path);
  while (!one.is_ready()) store.pump(1ns);
  one = {};
  of.settle();
  EXPECT_EQ(of.prefixes.happened.lines().size(), 1u);
  one = store.get<prefix>("0"_path);
  ASSERT_TRUE(of.becomes(one, content));
}

TEST(a_stage, of_what_is_dropped_before_its_turn_is_not_read) {
  for (const bool of_a_change : {false, true}) {
    constexpr int count = 10;
    staged of(0, count);
    of.prefixes.stages = {4};
    asset_store& store = of.begin({.files_max = 1, .reload_delay = 0ns});
    std::vector<asset<prefix>> held;
    for (int i = 0; i < count; ++i) {
      held.push_back(store.get<prefix>(std::to_string(i)));
      store.set_last_stage(held.back(), 0);
    }
    for (const asset<prefix>& each : held) ASSERT_TRUE(of.becomes(each, content.substr(0, 4)));
    of.prefixes.happened.clear();
    of.prefixes.during_decode = [&](std::size_t) { held.resize(1); };
    for (int i = 0; i < count; ++i) {
      if (of_a_change) of.rig.add(std::to_string(i), "zyxw56789abcdef");
      if (of_a_change) store.reload(std::to_string(i));
      if (!of_a_change) store.set_last_stage(held[static_cast<std::size_t>(i)], all_stages);
    }
    ASSERT_TRUE(of.becomes(held.front(), of_a_change ? "zyxw" : content));
    of.settle();
    EXPECT_LE(of.prefixes.happened.lines().size(), 2u) << "the first, and the one beside it";
    const asset<prefix> again = store.get<prefix>("9"_path);
    store.set_last_stage(again, 0);
    ASSERT_TRUE(of.becomes(again, of_a_change ? "zyxw" : content.substr(0, 4)));
  }
}

TEST(a_stage, ends_with_its_store_and_its_handle) {
  for (int i = 0; i < 50; ++i) {
    staged of(2, 4);
    asset_store& store = of.begin({.keep_bytes = 0});
    std::vector<asset<prefix>> held;
    for (int j = 0; j < 4; ++j) held.push_back(store.get<prefix>(std::to_string(j)));
    for (int j = 0; j < i / 5; ++j) store.pump(1ns);
    held.clear();
    const auto is_empty = [&] { return store.progress().asked == 0; };
    ASSERT_TRUE(i % 2 == 1 || pump_until(store, is_empty));
  }
}

// Stored files of an archive are read in part, compressed ones are not.
TEST(a_stage, is_of_files_in_archives_that_are_not_compressed) {
  temp_folder folder;
  const std::string long_content(5000, 'x');
  zip_writer zip;
  zip.add({.name = "stored", .data = long_content});
  zip.add({.name = "extra", .data = long_content, .local_extra_bytes = 3000});
  zip.add({.name = "packed", .data = long_content, .method = zip_deflated});
  zip.save(folder.path() / "files.zip");
  store_rig rig({.workers = 1});
  file_system files;
  ASSERT_TRUE(files.mount(folder.path() / "files.zip"));
  read_queue reads(files);
  prefix_loader prefixes;
  prefixes.stages = {100};
  asset_store store(files, reads, rig.engine.jobs);
  ASSERT_TRUE(store.add(prefixes));
  for (const char* name : {"stored", "extra", "packed"}) {
    const asset<prefix> one = store.get<prefix>(name);
    ASSERT_TRUE(pump_until(store, [&] { return one.is_ready() && one->text == long_content; }));
    const bool is_packed = name == std::string_view("packed");
    EXPECT_EQ(one.version(), is_packed ? 1u : 2u) << name;
    EXPECT_EQ(prefixes.happened.count(std::string(name) + " 100"), is_packed ? 0u : 1u) << name;
  }
}

}  // namespace
}  // namespace overture::stage_test

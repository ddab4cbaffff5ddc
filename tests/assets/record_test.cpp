// SPDX-License-Identifier: Zlib
//
// asset_store::record(): what was loaded, for the next run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "assets/store_rig.hpp"
#include "overture/load/load_record.hpp"

namespace overture::record_test {
namespace {

using namespace overture::literals;
using test::list;
using test::rigged_store;
using test::store_rig;
using test::words;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> paths_of(const load_record& record) {
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < record.size(); ++i) paths.emplace_back(record[i].path);
  return paths;
}

TEST(asset_store_record, has_what_was_loaded_in_the_order_of_reading) {
  store_rig rig;
  rig.add("z.txt", "hello");
  rig.add("map.list", "wall.txt\nfloor.txt");
  rig.add("wall.txt", "a wall");
  rig.add("floor.txt", "a floor");
  rig.add("unused.txt", "unused");
  rig.mount();
  rigged_store store(rig);
  const asset<words> first = store.get<words>("z.txt"_path);
  ASSERT_EQ(store.outcome(first), "ready");
  const asset<list> map = store.get<list>("map.list"_path);
  ASSERT_EQ(store.outcome(map), "ready");
  load_record record;
  ASSERT_TRUE(store.record(record));
  EXPECT_THAT(paths_of(record), ElementsAre("z.txt", "map.list", "wall.txt", "floor.txt"));
  EXPECT_EQ(record[0].bytes, 5u);
  EXPECT_EQ(record[3].bytes, 7u);
}

TEST(asset_store_record, says_what_decoding_cost) {
  store_rig rig;
  rig.add("a.txt", "hello");
  rig.texts.before_decode = [](const std::string&) {
    const std::uint64_t until_ns = now_ns() + 2'000'000;
    while (now_ns() < until_ns) spin_hint();
  };
  rig.mount();
  rigged_store store(rig);
  const asset<words> one = store.get<words>("a.txt"_path);
  ASSERT_EQ(store.outcome(one), "ready");
  load_record record;
  ASSERT_TRUE(store.record(record));
  ASSERT_EQ(record.size(), 1u);
  EXPECT_GE(record[0].cost_us, 2'000u);
}

TEST(asset_store_record, leaves_out_what_failed) {
  store_rig rig;
  rig.add("bad.txt", "broken");
  rig.mount();
  rigged_store store(rig);
  const asset<words> bad = store.get<words>("bad.txt"_path);
  const asset<words> missing = store.get<words>("missing.txt"_path);
  EXPECT_EQ(store.outcome(bad), "corrupt");
  EXPECT_EQ(store.outcome(missing), "not_found");
  load_record record;
  ASSERT_TRUE(store.record(record));
  EXPECT_THAT(paths_of(record), IsEmpty());
}

TEST(asset_store_record, has_a_file_of_two_assets_once_and_what_has_been_unloaded) {
  store_rig rig;
  rig.add("a.txt", "b.txt");
  rig.add("b.txt", "hello");
  rig.mount();
  rigged_store store(rig, {.keep_bytes = 0});
  {
    const asset<words> text = store.get<words>("a.txt"_path);
    ASSERT_EQ(store.outcome(text), "ready");
    const asset<list> list_of_it = store.get<list>("a.txt"_path);
    ASSERT_EQ(store.outcome(list_of_it), "ready");
  }
  store.pump(test::hang);
  load_record record;
  ASSERT_TRUE(store.record(record));
  EXPECT_THAT(paths_of(record), ElementsAre("a.txt", "b.txt"));
}

}  // namespace
}  // namespace overture::record_test

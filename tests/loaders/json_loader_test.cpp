// SPDX-License-Identifier: Zlib
#include "overture/loaders/json_loader.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "loaders/loader_rig.hpp"

namespace overture::json_loader_test {

struct upgrade {
  std::string name;
  int cost = 0;
};
struct weapon {
  std::string name;
  float damage = 1;
  std::vector<upgrade> upgrades;
  std::map<std::string, int> needs;
  std::optional<int> range;
  bool magic = false;
};

namespace {

using namespace test;
using loaders::json_loader;
using loaders::read_json;

TEST(json_loader, makes_objects_by_reflection) {
  json_loader<weapon> weapons;
  loader_rig rig;
  rig.file("axe.json",
           "\xEF\xBB\xBF\r\n{\r\n  \"name\": \"axe\",\n\t\"damage\": 2.5,\n"
           "  \"upgrades\": [\n    { \"name\": \"edge\", \"cost\": 3 },\n    {}\n  ],\n"
           "  \"colour\": { \"red\": [1] },\n  \"needs\": { \"wood\": 2 }\n}\n\n");
  const asset<weapon> axe = rig.load(weapons, "axe.json");
  ASSERT_EQ(outcome(axe), "ready");
  EXPECT_EQ(axe->name, "axe");
  EXPECT_EQ(axe->damage, 2.5F);
  ASSERT_EQ(axe->upgrades.size(), 2u);
  EXPECT_EQ(axe->upgrades[0].cost, 3);
  EXPECT_EQ(axe->needs.at("wood"), 2);
  EXPECT_FALSE(axe->range);
}

TEST(json_loader, takes_an_array_at_the_top) {
  json_loader<std::vector<upgrade>> upgrades;
  loader_rig rig;
  rig.file("all.json", "[ {\"name\":\"a\"},\n {\"name\":\"b\"} ]");
  const asset<std::vector<upgrade>> all = rig.load(upgrades, "all.json");
  ASSERT_EQ(outcome(all), "ready");
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ((*all)[1].name, "b");
}

TEST(json_loader, says_where_a_file_is_wrong) {
  struct row {
    const char* content;
    const char* place;
    errc code = errc::corrupt;
  };
  const row rows[] = {
      {"{\n \"name\": \"axe\",\n \"damage\": much\n}", "a.json: line 3, column 12: "},
      {"\xEF\xBB\xBF{\"upgrades\":[{\"cost\":1},\n{\"cost\":\"x\"}]}",
       "a.json: line 2, column 10: "},
      {"{\"name\":\"axe\"", "a.json: line 1, column 14: ", errc::truncated},
      {"{} {}", "a.json: line 1, column 4: unexpected text after the JSON value"},
      {"", "a.json: the JSON file is empty"},
      {" \n ", "a.json: line 2, column 2: the JSON file is empty"},
      {"[]", "a.json: "},
  };
  for (const row& each : rows) {
    json_loader<weapon> weapons;
    loader_rig rig;
    rig.file("a.json", each.content);
    const asset<weapon> made = rig.load(weapons, "a.json");
    ASSERT_FALSE(made.status()) << each.content;
    EXPECT_EQ(made.status().error().code, each.code) << each.content;
    EXPECT_EQ(rig.explain(made).substr(0, std::string(each.place).size()), each.place);
  }
}

TEST(json_loader, refuses_every_file_that_is_cut) {
  const std::string whole =
      "{\"name\":\"a\\u00e4\",\"upgrades\":[{\"cost\":1}],\"needs\":{\"x\":1},\"range\":null}";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::vector<char> exact(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    weapon made;
    EXPECT_FALSE(read_json(std::string_view(exact.data(), exact.size()), made)) << size;
  }
  weapon made;
  EXPECT_TRUE(read_json(whole, made));
}

TEST(json_loader, counts_what_is_behind_a_value) {
  const json_loader<weapon> weapons;
  weapon value;
  EXPECT_EQ(weapons.bytes_of(value), sizeof(weapon));
  value.name.assign(1000, 'n');
  value.upgrades.resize(10);
  value.upgrades[3].name.assign(500, 'u');
  value.needs["wood"] = 1;
  const std::uint64_t least = sizeof(weapon) + 1500 + 10 * sizeof(upgrade) + sizeof(std::string);
  EXPECT_GE(weapons.bytes_of(value), least);
  EXPECT_LE(weapons.bytes_of(value), least + 100);
}

}  // namespace
}  // namespace overture::json_loader_test

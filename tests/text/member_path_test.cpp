// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "overture/text/read.hpp"

namespace overture::member_path_test {
namespace {

// The path of the first '!' in the text.
std::string path_in(std::string_view text) {
  char room[200];
  return std::string(text::member_path(text, text.find('!'), room));
}

TEST(a_member_path, leads_from_the_object_to_the_value) {
  EXPECT_EQ(path_in("unit={ gold=! }"), "gold");
  EXPECT_EQ(path_in("unit={ gold=1 at={ x=2 y=! } }"), "at.y");
  EXPECT_EQ(path_in("unit={ orders={ 1 2 ! } }"), "orders[2]");
  EXPECT_EQ(path_in("unit={ orders={ ! } }"), "orders[0]");
  EXPECT_EQ(path_in("unit={ path={ { x=1 } { x=! } } gold=2 }"), "path[1].x");
  EXPECT_EQ(path_in("unit={ path={ { { 1 2 } { 3 ! } } } }"), "path[0][1][1]");
  EXPECT_EQ(path_in("a={ x=1 }\nunit={ y=2 z=! }"), "z");
  EXPECT_EQ(path_in("{\"a\":1,\"b\":[{\"c\":2},{\"c\":!}]}"), "b[1].c");
  EXPECT_EQ(path_in("{\"a\":[1,2]}\n{\"b\":[!]}\n"), "b[0]");
}

TEST(a_member_path, quotes_keys_that_are_no_words) {
  EXPECT_EQ(path_in("unit={ quests={ rescue={ stage=! } } }"), "quests.rescue.stage");
  EXPECT_EQ(path_in("unit={ quests={ \"a b\"={ stage=! } } }"), "quests.\"a b\".stage");
  EXPECT_EQ(path_in("{\"quests\":{\"7\":{\"stage\":!}}}"), "quests.7.stage");
}

TEST(a_member_path, ignores_what_is_in_strings_and_comments) {
  EXPECT_EQ(path_in("unit={ name=\"{ x=\\\"\" # { \" }\n gold=! }"), "gold");
  EXPECT_EQ(path_in("{\"name\":\"[{\",\"gold\":!}"), "gold");
}

TEST(a_member_path, ends_in_the_string_that_has_the_offset) {
  EXPECT_EQ(path_in("unit={ names={ \"a\" \"b!\" } }"), "names[1]");
  EXPECT_EQ(path_in("unit={ name=\"b!"), "name");
}

TEST(a_member_path, is_empty_outside_of_objects_and_for_rows) {
  EXPECT_EQ(path_in("! unit={ gold=1 }"), "");
  EXPECT_EQ(path_in("unit={ gold=1 } !"), "");
  EXPECT_EQ(path_in("yes,1,\"a\"\nno,!"), "");
  EXPECT_EQ(path_in("unit=!"), "");
  EXPECT_EQ(path_in(""), "");
}

TEST(a_member_path, is_cut_to_the_room) {
  char room[5];
  const std::string_view text = "unit={ quests={ a=! } }";
  EXPECT_EQ(text::member_path(text, text.find('!'), room), "quest");
  EXPECT_EQ(text::member_path(text, text.find('!'), {}), "");
}

TEST(a_member_path, stands_any_nesting_and_any_bracket) {
  std::string deep;
  for (int i = 0; i < 10'000; ++i) deep += "a={";
  char room[100];
  EXPECT_EQ(text::member_path(deep, deep.size(), room).substr(0, 5), "a.a.a");
  EXPECT_EQ(path_in("}}} ]] unit={ a=! }"), "a");
}

}  // namespace
}  // namespace overture::member_path_test

// SPDX-License-Identifier: Zlib
#include "assets/lists.hpp"

#include <gtest/gtest.h>

#include <string>

namespace overture::assets_detail::lists_test {
namespace {

struct element {
  explicit element(std::string of, std::uint64_t turn = 0,
                   asset_priority urgency = asset_priority::normal)
      : name(std::move(of)), number(turn), priority(urgency) {}

  std::string name;
  std::uint64_t number;
  asset_priority priority;
  linked_list<element>* in = nullptr;
  element* before = nullptr;
  element* after = nullptr;
};

// From the front, and the same from the back.
std::string names(const linked_list<element>& list) {
  std::string forward;
  std::string backward;
  for (const element* each = list.front; each != nullptr; each = each->after) forward += each->name;
  for (const element* each = list.back; each != nullptr; each = each->before) {
    backward.insert(0, each->name);
  }
  EXPECT_EQ(forward, backward);
  EXPECT_EQ(forward.size(), list.size);
  return forward;
}

TEST(a_linked_list, takes_the_last_of_a_number_after_those_that_have_it) {
  linked_list<element> list;
  element five("a", 5), nine("b", 9), one("c", 1), five_again("d", 5), ten("e", 10), six("f", 6);
  for (element* each : {&five, &nine, &one, &five_again, &ten, &six}) {
    list.insert_last_of_number(*each);
  }
  EXPECT_EQ(names(list), "cadfbe");
}

TEST(a_linked_list, takes_the_first_of_a_number_before_those_that_have_it) {
  linked_list<element> list;
  element five("a", 5), nine("b", 9), one("c", 1), five_again("d", 5), ten("e", 10),
      one_again("f", 1);
  for (element* each : {&five, &nine, &one, &five_again, &ten, &one_again}) {
    list.insert_first_of_number(*each);
  }
  EXPECT_EQ(names(list), "fcdabe");
}

TEST(a_linked_list, lets_go_of_any_element) {
  linked_list<element> list;
  element a("a"), b("b"), c("c"), d("d");
  for (element* each : {&a, &b, &c}) list.push_back(*each);
  list.remove(b);
  EXPECT_EQ(names(list), "ac");
  EXPECT_EQ(b.in, nullptr);
  list.insert_after(d, &a);
  list.insert_after(b, nullptr);
  EXPECT_EQ(names(list), "badc");
  EXPECT_EQ(list.pop_front(), &b);
  EXPECT_EQ(list.pop_front(), &a);
  EXPECT_EQ(names(list), "dc");
}

TEST(priority_lines, give_the_highest_number_of_the_highest_class_first) {
  priority_lines<element> lines;
  element low("l", 1, asset_priority{100}), lower("m", 2, asset_priority{99});
  element high("h", 3, asset_priority{255}), also_high("i", 4, asset_priority{255});
  for (element* each : {&low, &lower, &high, &also_high}) lines.push_back(*each);
  EXPECT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines.first(), &high);
  EXPECT_EQ(lines.after(high), &also_high);
  EXPECT_EQ(lines.after(also_high), nullptr) << "of its class";
  EXPECT_EQ(lines.first({.most = 2}), &low);
  EXPECT_EQ(lines.after(low), &lower);
  lines.move(lower, asset_priority{254}, 5);
  EXPECT_EQ(lines.after(also_high), &lower);
  EXPECT_TRUE(lines.has(lower));
  EXPECT_EQ(lines.pop(), &high);
  EXPECT_EQ(lines.pop(), &also_high);
  EXPECT_EQ(lines.pop(), &lower);
  EXPECT_EQ(lines.pop({.least = 2}), nullptr);
  EXPECT_EQ(lines.pop(), &low);
  EXPECT_TRUE(lines.empty());
}

}  // namespace
}  // namespace overture::assets_detail::lists_test

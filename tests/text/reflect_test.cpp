// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "overture/text/read.hpp"
#include "overture/text/write.hpp"

namespace overture::reflect_test {
namespace {

enum class arm : std::uint8_t { foot, horse };
constexpr auto names(text::of<arm> /*type*/) {
  return text::name_list(text::name("foot", arm::foot), text::name("horse", arm::horse));
}
struct place {
  float x = 0;
  double y = 1;
};
// Every kind of member that needs no format, without fields().
struct unit {
  bool enabled = false;
  float speed = 0;
  char title[8] = {};
  std::array<int, 3> at = {};
  std::optional<double> upkeep;
  place path[2] = {};
  arm kind = arm::foot;
  place home;
  std::uint64_t owner = 5;
};
struct described_unit {
  unit inner;
  std::string motto;
};
constexpr auto fields(text::of<described_unit> /*type*/) {
  return text::field_list(text::field("inner", &described_unit::inner),
                          text::field("motto", &described_unit::motto, text::quoted<8>{}));
}

unit knight() {
  unit made;
  made.enabled = true;
  made.speed = 1.25f;
  made.title[0] = 'K';
  made.at = {1, -2, 3};
  made.path[1] = {3, 4};
  made.kind = arm::horse;
  return made;
}

template <class Style, class T>
std::string text_of(const T& object) {
  std::string room(text::object_bytes_max<Style, T>() + text::slack, '#');
  char* const end = text::write_object<Style>(room.data(), object);
  room.resize(static_cast<std::size_t>(end - room.data()));
  return room;
}

TEST(an_aggregate, without_fields_is_written_by_the_names_of_its_members) {
  EXPECT_EQ(text_of<text::script<"unit">>(knight()),
            "unit={ enabled=yes speed=1.25 title=\"K\" at={ 1 -2 3 } "
            "path={ { x=0 y=1 } { x=3 y=4 } } kind=horse home={ x=0 y=1 } owner=5 }\n");
  EXPECT_EQ(text_of<text::json>(knight()),
            "{\"enabled\":true,\"speed\":1.25,\"title\":\"K\",\"at\":[1,-2,3],\"upkeep\":null,"
            "\"path\":[{\"x\":0,\"y\":1},{\"x\":3,\"y\":4}],\"kind\":\"horse\","
            "\"home\":{\"x\":0,\"y\":1},\"owner\":5}\n");
  EXPECT_EQ(text_of<text::rows<','>>(knight()), "yes,1.25,\"K\",1,-2,3,none,0,1,3,4,horse,0,1,5\n");
}

TEST(an_aggregate, reads_back_and_may_be_a_member_of_a_described_type) {
  paged<described_unit> units;
  ASSERT_TRUE(units.add(described_unit{knight(), "to arms"}));
  const std::string text = text_of<text::script<"unit">>(described_unit{knight(), "to arms"});
  paged<described_unit> back;
  ASSERT_TRUE(text::read<text::script<"unit">>(text, back));
  back.for_each([&](const described_unit& each) {
    EXPECT_EQ(each.motto, "to arms");
    EXPECT_EQ(text_of<text::json>(each.inner), text_of<text::json>(knight()));
  });
  EXPECT_EQ(back.size(), 1u);
}

// A type with a base needs fields(), which may name members of the base.
struct entity {
  int id = 0;
};
struct hero : entity {
  float speed = 0;
};
constexpr auto fields(text::of<hero> /*type*/) {
  return text::field_list(text::field("id", &hero::id), text::field("speed", &hero::speed));
}
TEST(a_description, may_name_members_of_a_base) {
  const std::string text = text_of<text::json>(hero{{7}, 1.5f});
  EXPECT_EQ(text, "{\"id\":7,\"speed\":1.5}\n");
  paged<hero> back;
  ASSERT_TRUE(text::read<text::json>(text, back));
  back.for_each([](const hero& each) {
    EXPECT_EQ(each.id, 7);
    EXPECT_EQ(each.speed, 1.5f);
  });
}

TEST(an_aggregate, may_have_any_number_of_members_up_to_the_limit) {
  struct one {
    char only[1];
  };
  struct full {
    int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x;
  };
  struct arrays {
    int grid[2][3];
    place places[2];
    std::array<std::array<char, 2>, 2> names;
    int last;
  };
  struct large {
    char text[4000];
    int last;
  };
  struct map {
    place tiles[1000][1000];
    std::array<place, 3000> path;
  };
  static_assert(text::detail::member_count<large> == 2);
  static_assert(text::detail::member_count<map> == 2);
  static_assert(text::detail::member_count<one> == 1);
  static_assert(text::detail::member_count<full> == text::reflected_fields_max);
  static_assert(text::detail::member_count<arrays> == 4);
  static_assert(text::detail::member_count<unit> == 9);
  EXPECT_EQ((text::detail::member_name<full, 23>), "x");
  EXPECT_EQ((text::detail::member_name<arrays, 3>), "last");
}

}  // namespace
}  // namespace overture::reflect_test

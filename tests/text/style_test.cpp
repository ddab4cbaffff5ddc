// SPDX-License-Identifier: Zlib
#include "overture/text/style.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "overture/text/write.hpp"
#include "text/sample.hpp"

namespace overture::style_test {
namespace {

template <class Style, class T>
std::string written(const T& object) {
  std::string room(text::object_bytes_max<Style, T>() + text::slack, '\0');
  char* const end = text::write_object<Style>(room.data(), object);
  return end ? std::string(room.data(), end) : "too long";
}

TEST(a_script, has_one_line_per_object) {
  EXPECT_EQ(written<text::script<"unit">>(sample::knight()),
            "unit={ enabled=yes gold=12 speed=1.25 kind=horse title=\"Sir \\\"K\\\"\" "
            "motto=\"a\\\\b\\n{}\" at={ x=0.5 y=0.1 } orders={ 1 -2 3 } owner=ff "
            "path={ { x=0 y=0 } { x=3 y=4 } } }\n");
}

struct veteran {
  const bool enabled = true;
  const char title[4] = "Sir";
  const sample::arm kind = sample::arm::horse;
  const float speed = 1.25f;
};
constexpr auto fields(text::of<veteran> /*type*/) {
  return text::field_list(
      text::field("enabled", &veteran::enabled), text::field("title", &veteran::title),
      text::field("kind", &veteran::kind), text::field("speed", &veteran::speed, text::fixed<1>{}));
}
TEST(a_const_member, is_written_like_any_other) {
  EXPECT_EQ(written<text::script<"unit">>(veteran{}),
            "unit={ enabled=yes title=\"Sir\" kind=horse speed=1.2 }\n");
}

TEST(blocks, have_one_line_per_field) {
  EXPECT_EQ(written<text::blocks<"unit">>(sample::knight()),
            "unit={\n"
            "  enabled=yes\n"
            "  gold=12\n"
            "  speed=1.25\n"
            "  kind=horse\n"
            "  title=\"Sir \\\"K\\\"\"\n"
            "  motto=\"a\\\\b\\n{}\"\n"
            "  at={\n"
            "    x=0.5\n"
            "    y=0.1\n"
            "  }\n"
            "  orders={ 1 -2 3 }\n"
            "  owner=ff\n"
            "  path={ { x=0 y=0 } { x=3 y=4 } }\n"
            "}\n");
}

TEST(rows, have_cells_and_write_none_for_an_empty_optional) {
  EXPECT_EQ(written<text::rows<','>>(sample::knight()),
            "yes,12,1.25,horse,\"Sir \\\"K\\\"\",\"a\\\\b\\n{}\",0.5,0.1,1,-2,3,none,ff,0,0,3,4\n");
}

TEST(json, is_valid_json) {
  sample::unit unit = sample::knight();
  unit.speed = -std::numeric_limits<float>::infinity();
  unit.motto = std::string("\0\x7F\xC3\xA4\xFF\x80", 6);
  EXPECT_EQ(written<text::json>(unit),
            "{\"enabled\":true,\"gold\":12,\"speed\":\"-inf\",\"kind\":\"horse\","
            "\"title\":\"Sir \\\"K\\\"\",\"motto\":\"\\u0000\\u007f\xC3\xA4\\udcff\\udc80\","
            "\"at\":{\"x\":0.5,\"y\":0.1},\"orders\":[1,-2,3],\"upkeep\":null,"
            "\"owner\":\"ff\",\"path\":[{\"x\":0,\"y\":0},{\"x\":3,\"y\":4}]}\n");
}

TEST(an_enum, without_a_name_is_a_number) {
  sample::unit unit;
  unit.kind = static_cast<sample::arm>(9);
  EXPECT_NE(written<text::script<>>(unit).find(" kind=9 "), std::string::npos);
}

TEST(a_string, longer_than_its_format_allows_is_refused) {
  sample::unit unit;
  unit.motto = std::string(41, 'x');
  EXPECT_EQ(written<text::script<>>(unit), "too long");
  EXPECT_EQ(written<text::json>(unit), "too long");
  EXPECT_EQ(written<text::rows<>>(unit), "too long");
}

template <std::size_t N>
struct titled {
  char title[N];
};
template <std::size_t N>
constexpr auto fields(text::of<titled<N>> /*type*/) {
  return text::field_list(text::field("title", &titled<N>::title));
}

// Short arrays take a fast path if nothing in them must be escaped.
template <std::size_t N>
void expect_each_byte_at_each_place() {
  for (std::size_t length = 1; length <= N; ++length) {
    for (int byte = 0; byte < 256; ++byte) {
      for (std::size_t at = 0; at < length; ++at) {
        titled<N> object{};
        std::fill_n(object.title, length, 'a');
        object.title[at] = static_cast<char>(byte);
        const std::string_view title(object.title, byte == 0 ? at : length);
        char wanted[6 * N + 2];
        const std::string script(wanted, text::detail::write_quoted(wanted, title));
        ASSERT_EQ(written<text::rows<>>(object), script + '\n');
        const std::string json(wanted, text::detail::write_json_string(wanted, title));
        ASSERT_EQ(written<text::json>(object), "{\"title\":" + json + "}\n");
      }
    }
  }
}
TEST(a_character_array, is_written_like_any_string) {
  expect_each_byte_at_each_place<8>();
  expect_each_byte_at_each_place<16>();
  expect_each_byte_at_each_place<5>();
}

// Every member at its maximum length.
TEST(the_maximum_size, is_never_exceeded) {
  sample::unit unit;
  unit.gold = std::numeric_limits<std::int32_t>::min();
  unit.speed = -std::numeric_limits<float>::denorm_min();
  unit.kind = static_cast<sample::arm>(255);
  std::memset(unit.title, 1, sizeof unit.title);
  unit.motto = std::string(40, '\x01');
  unit.at = {-1.17549435e-38f, -2.2250738585072014e-308};
  unit.orders.fill(-32768);
  unit.upkeep = -2.2250738585072014e-308;
  unit.owner = ~std::uint64_t{0};
  unit.path[0] = unit.path[1] = unit.at;
  const auto check = [&]<class Style>(Style) {
    EXPECT_NE(written<Style>(unit), "too long");
    EXPECT_LE(written<Style>(unit).size(), (text::object_bytes_max<Style, sample::unit>()));
    sample::flag flag{false, std::numeric_limits<float>::lowest()};
    EXPECT_LE(written<Style>(flag).size(), (text::object_bytes_max<Style, sample::flag>()));
  };
  check(text::script<>{});
  check(text::blocks<>{});
  check(text::rows<>{});
  check(text::json{});
}

enum class rank : std::uint8_t { low, high };
constexpr auto names(text::of<rank> /*type*/) {
  return text::name_list(text::name("low", rank::low),
                         text::name("field_marshal_of_all_the_armies_of_the_empire", rank::high));
}
struct small_block {
  bool a = false;
};
// So many of each kind that a bound one byte short would show despite the spare bytes of the
// others.
struct crowd {
  static constexpr std::size_t many = 32;
  bool booleans[many] = {};
  std::int8_t bytes[many] = {};
  std::int64_t wholes[many] = {};
  std::uint64_t bits[many] = {};
  float floats[many] = {};
  double doubles[many] = {};
  float prices[many] = {};
  double distances[many] = {};
  rank ranks[many] = {};
  char titles[many][9] = {};
  std::array<std::array<bool, 1>, many> lists = {};
  small_block blocks[many] = {};
};
constexpr auto fields(text::of<crowd> /*type*/) {
  return text::field_list(
      text::field("booleans", &crowd::booleans), text::field("bytes", &crowd::bytes),
      text::field("wholes", &crowd::wholes), text::field("bits", &crowd::bits, text::hex{}),
      text::field("floats", &crowd::floats), text::field("doubles", &crowd::doubles),
      text::field("prices", &crowd::prices, text::fixed<2>{}),
      text::field("distances", &crowd::distances, text::fixed<9>{}),
      text::field("ranks", &crowd::ranks), text::field("titles", &crowd::titles),
      text::field("lists", &crowd::lists), text::field("blocks", &crowd::blocks));
}
template <class Member>
struct alone {
  Member x = {};
};

template <class Style, class T>
void expect_within_its_bound(const T& object) {
  constexpr std::size_t most = text::object_bytes_max<Style, T>();
  std::string room(2 * most + 4096, '\0');  // ample, whatever the bound says
  char* const end = text::write_object<Style>(room.data(), object);
  ASSERT_NE(end, nullptr);
  EXPECT_LE(static_cast<std::size_t>(end - room.data()), most);
}

TEST(the_maximum_size, holds_for_many_values_of_each_kind) {
  const auto check = [&]<class Style>(Style) {
    // One kind at a time at its maximum length, the others at their minimum.
    const auto check_member = [](auto crowd::* member, auto value) {
      crowd objects;
      std::fill(std::begin(objects.*member), std::end(objects.*member), value);
      alone<std::remove_cvref_t<decltype(objects.*member)>> only;
      std::copy(std::begin(objects.*member), std::end(objects.*member), std::begin(only.x));
      expect_within_its_bound<Style>(only);
      expect_within_its_bound<Style>(objects);
    };
    check_member(&crowd::booleans, false);
    check_member(&crowd::booleans, true);
    check_member(&crowd::bytes, std::int8_t{-128});
    check_member(&crowd::wholes, std::numeric_limits<std::int64_t>::min());
    check_member(&crowd::bits, ~std::uint64_t{0});
    check_member(&crowd::floats, -1.17549435e-38f);
    check_member(&crowd::doubles, -2.2250738585072014e-308);
    check_member(&crowd::floats, -std::numeric_limits<float>::infinity());
    check_member(&crowd::prices, std::numeric_limits<float>::lowest());
    check_member(&crowd::distances, std::numeric_limits<double>::lowest());
    check_member(&crowd::ranks, rank::high);
    check_member(&crowd::ranks, static_cast<rank>(255));
    check_member(&crowd::lists, std::array<bool, 1>{});
    check_member(&crowd::blocks, small_block{});
    crowd quoted;
    for (auto& title : quoted.titles) std::memset(title, 1, sizeof title);
    expect_within_its_bound<Style>(quoted);
  };
  check(text::script<>{});
  check(text::script<"a_name_that_is_much_longer_than_its_only_member">{});
  check(text::blocks<>{});
  check(text::rows<>{});
  check(text::json{});
}

// Enum names are copied with a constant length, which must stay within the slack too.
TEST(writers, touch_no_more_than_the_slack_beyond_an_object) {
  const auto check = [&]<class Style>(Style, const auto& object) {
    std::string room(8192, '#');
    const std::string_view all(room);
    char* const end = text::write_object<Style>(room.data(), object);
    ASSERT_NE(end, nullptr);
    const auto touched = static_cast<std::size_t>(end - room.data()) + text::slack;
    EXPECT_EQ(all.find_first_not_of('#', touched), std::string_view::npos);
  };
  for (const rank value : {rank::low, rank::high}) {
    check(text::script<>{}, alone<rank>{value});
    check(text::rows<>{}, alone<rank>{value});
    check(text::json{}, alone<rank>{value});
  }
  check(text::rows<>{}, alone<bool>{});
  check(text::rows<>{}, alone<float>{});
  check(text::rows<>{}, alone<std::uint64_t>{});
  check(text::rows<>{}, alone<char[8]>{});
  check(text::rows<>{}, alone<char[16]>{});
}

TEST(a_bool, is_true_or_false_in_json_whatever_its_format) {
  EXPECT_EQ(written<text::json>(sample::flag{true, 1.5f}), "{\"enabled\":true,\"speed\":1.50}\n");
  EXPECT_EQ(written<text::script<>>(sample::flag{true, 1.5f}), "object={ enabled=y speed=1.50 }\n");
}

}  // namespace
}  // namespace overture::style_test

// SPDX-License-Identifier: Zlib
#include "overture/text/read.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "overture/base/limits.hpp"
#include "overture/jobs/thread_pool.hpp"
#include "overture/text/write.hpp"
#include "support/failing_allocator.hpp"
#include "text/sample.hpp"

namespace overture::read_test {
namespace {

using sample::flag;
using sample::unit;
using unit_script = text::script<"unit">;
using plain_rows = text::rows<' '>;

template <class Style, class Units>
std::string written(const Units& units, text::page_table* table = nullptr) {
  std::string buffer(text::bytes_max<Style>(units), '#');
  const auto done = text::write<Style>(units, std::span(buffer), table);
  EXPECT_TRUE(done);
  buffer.resize(done ? done->bytes : 0);
  return buffer;
}

template <class Units>
auto all(const Units& units) {
  std::vector<typename Units::value_type> found;
  units.for_each([&](const auto& each) { found.push_back(each); });
  return found;
}

template <class Style, class T = unit>
std::vector<T> read(const std::string& text) {
  paged<T, 64> units;
  const auto done = text::read<Style>(text, units);
  EXPECT_TRUE(done) << (done ? "" : done.error().reason) << " at "
                    << (done ? 0 : done.error().offset);
  return all(units);
}

template <class Style, class T = unit>
error error_of(const std::string& text) {
  paged<T, 64> units;
  const auto done = text::read<Style>(text, units);
  EXPECT_FALSE(done) << text;
  EXPECT_EQ(units.page_count(), 0u);
  return done ? error{} : done.error();
}

// With any number of threads, with and without the table: full pages, holes and empty pages.
template <class Style>
void expect_round_trip() {
  const auto units = sample::random_units(2'000, 1);
  text::page_table table;
  const std::string text = written<Style>(units, &table);
  const std::vector<unit> wanted = all(units);
  for (const unsigned workers : {0u, 1u, 3u}) {
    thread_pool jobs{{.workers = workers}};
    paged<unit, 64> with_table;
    ASSERT_TRUE(text::read<Style>(jobs, text, with_table, &table));
    ASSERT_TRUE(all(with_table) == wanted);
    paged<unit, 64> without;
    const auto count = text::read<Style>(jobs, text, without);
    ASSERT_TRUE(count);
    ASSERT_EQ(*count, wanted.size());
    ASSERT_TRUE(all(without) == wanted);
  }
}

TEST(objects, read_back_bit_for_bit_from_a_script) {
  expect_round_trip<unit_script>();
}
TEST(objects, read_back_bit_for_bit_from_blocks) {
  expect_round_trip<text::blocks<"unit">>();
}
TEST(objects, read_back_bit_for_bit_from_rows) {
  expect_round_trip<plain_rows>();
  expect_round_trip<text::rows<','>>();
}
TEST(objects, read_back_bit_for_bit_from_json) {
  expect_round_trip<text::json>();
}

TEST(objects, read_back_with_nan_infinity_and_subnormal_floats) {
  using limits = std::numeric_limits<float>;
  for (const float value : {limits::infinity(), -limits::infinity(), -0.0f, limits::denorm_min(),
                            limits::max(), limits::lowest(), limits::min()}) {
    paged<unit, 64> units;
    unit odd;
    odd.speed = value;
    ASSERT_TRUE(units.add(odd));
    for (const float back : {read<unit_script>(written<unit_script>(units)).at(0).speed,
                             read<text::json>(written<text::json>(units)).at(0).speed,
                             read<plain_rows>(written<plain_rows>(units)).at(0).speed}) {
      EXPECT_EQ(std::bit_cast<std::uint32_t>(back), std::bit_cast<std::uint32_t>(value));
    }
  }
  paged<unit, 64> units;
  unit none;
  none.speed = limits::quiet_NaN();
  ASSERT_TRUE(units.add(none));
  EXPECT_TRUE(std::isnan(read<unit_script>(written<unit_script>(units)).at(0).speed));
  EXPECT_TRUE(std::isnan(read<text::json>(written<text::json>(units)).at(0).speed));
  EXPECT_TRUE(std::isnan(read<plain_rows>(written<plain_rows>(units)).at(0).speed));
}

TEST(a_script, may_have_fields_in_any_order_unknown_ones_or_none) {
  const auto units = read<unit_script>(
      "version=3\r\n"
      "# a comment with a } in it\r\n"
      "names={ unit { } \"}\" }\r\n"
      "unit={ gold=5 # its price\r\n"
      "  later={ a={ b=\"}\" } 1 2 } new=\"x\\\"}\" enabled = yes }\r\n"
      "unit = {}\r\n"
      "unit={title=\"A\" at={y=2}orders={7}}");
  ASSERT_EQ(units.size(), 3u);
  EXPECT_EQ(units[0].gold, 5);
  EXPECT_TRUE(units[0].enabled);
  EXPECT_TRUE(units[1] == unit{});
  EXPECT_EQ(units[2].at, (sample::place{0, 2}));
  EXPECT_EQ(units[2].orders, (std::array<std::int16_t, 3>{7, 0, 0}));
  EXPECT_STREQ(units[2].title, "A");
}

TEST(a_text, may_begin_with_a_byte_order_mark) {
  const std::string mark = "\xEF\xBB\xBF";
  const auto units = read<unit_script>(mark + "unit={ gold=1 }\nunit={ gold=2 }\n");
  ASSERT_EQ(units.size(), 2u);
  EXPECT_EQ(units[0].gold, 1);
  EXPECT_EQ((read<text::rows<','>, flag>(mark + "y,1.5\n").size()), 1u);
  EXPECT_EQ((read<text::json, flag>(mark + R"({"enabled":true})").size()), 1u);
  EXPECT_EQ(read<unit_script>(mark).size(), 0u);
}

TEST(a_script, is_split_between_objects_whatever_is_in_its_comments) {
  std::string text;
  for (int i = 0; i < 200; ++i) {
    text += "unit={ # { and { again\r\n gold=" + std::to_string(i) + " # \" }\r\n }\r\n\r\n";
  }
  const auto units = read<unit_script>(text);
  ASSERT_EQ(units.size(), 200u);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(units[static_cast<std::size_t>(i)].gold, i);
}

TEST(a_list, longer_than_its_array_is_cut_off) {
  EXPECT_EQ(read<unit_script>("unit={ orders={ 1 2 3 4 { 5 } } gold=1 }").at(0).gold, 1);
  EXPECT_EQ(read<text::json>("{\"orders\":[1,2,3,4,[5]],\"gold\":1}").at(0).gold, 1);
}

TEST(json, may_have_white_space_and_unknown_fields_and_escapes) {
  const auto units = read<text::json>(
      "\r\n{ \"gold\" : 5 , \"new\" : { \"a\" : [ 1 , { } , \"}\" ] } , \"upkeep\" : null ,"
      " \"motto\" : \"\\u00e4\\ud83d\\ude00\\/\\b\\f\" }\r\n\r\n{}\n");
  ASSERT_EQ(units.size(), 2u);
  EXPECT_EQ(units[0].gold, 5);
  EXPECT_EQ(units[0].motto, "\xC3\xA4\xF0\x9F\x98\x80/\b\f");
  EXPECT_FALSE(units[0].upkeep.has_value());
}

// Other programs may escape any character of a name.
TEST(a_name, is_recognised_however_it_is_escaped) {
  const unit read_back =
      read<text::json>(R"({"sp\u0065ed":2.5,"\u0067old":5,"kind":"h\u006frse"})").at(0);
  EXPECT_EQ(read_back.speed, 2.5f);
  EXPECT_EQ(read_back.gold, 5);
  EXPECT_EQ(read_back.kind, sample::arm::horse);
  EXPECT_EQ(read<unit_script>("unit={ \"g\\x6fld\"=5 }").at(0).gold, 5);
  // A name longer than any known one, and one with an invalid escape: both are unknown.
  const std::string longer(100, '\\');
  EXPECT_EQ(read<text::json>("{\"" + longer + "\":1,\"g\\qld\":2,\"gold\":5}").at(0).gold, 5);
}

TEST(json, is_refused_where_anything_follows_the_object_on_its_line) {
  struct {
    const char* text;
    std::size_t line;
    std::size_t column;
  } const cases[] = {{"{\"gold\":1} junk\n", 1, 12},
                     {"{\"gold\":1}}\n{}\n", 1, 11},
                     {"{}\n{\"gold\":1},\n{}\n", 2, 11},
                     {"{}\r\n{} {}\r\n", 2, 4}};
  for (const auto& each : cases) {
    const error problem = error_of<text::json>(each.text);
    EXPECT_STREQ(problem.reason, "unexpected text after the object on this line");
    const text::position at = text::position_of(each.text, problem.offset);
    EXPECT_EQ(at.line, each.line) << each.text;
    EXPECT_EQ(at.column, each.column) << each.text;
  }
  EXPECT_EQ(read<text::json>("{\"gold\":1} \t\r\n {} ").size(), 2u);
}

TEST(rows, may_end_early_and_may_have_extra_cells_and_comments) {
  const auto flags =
      read<text::rows<','>, flag>("# enabled,speed\r\ny,1.5\r\n\r\nn\r\ny,2.5,new,7\n");
  ASSERT_EQ(flags.size(), 3u);
  EXPECT_EQ(flags[0].speed, 1.5f);
  EXPECT_FALSE(flags[1].enabled);
  EXPECT_EQ(flags[1].speed, 0.0f);
  EXPECT_EQ(flags[2].speed, 2.5f);
}

TEST(an_error, has_a_line_and_a_column) {
  const std::string text = "unit={ gold=1 }\r\n# comment\r\nunit={\r\n  gold=x }\r\n";
  const error problem = error_of<unit_script>(text);
  EXPECT_EQ(problem.code, errc::corrupt);
  const text::position at = text::position_of(text, problem.offset);
  EXPECT_EQ(at.line, 4u);
  EXPECT_EQ(at.column, 8u);
}

TEST(an_error, is_the_first_in_the_text_for_any_number_of_threads) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += i == 300 || i > 600 ? "y bad\n" : "y 1.00\n";
  for (const unsigned workers : {0u, 1u, 3u}) {
    thread_pool jobs{{.workers = workers}};
    paged<flag, 64> flags;
    const auto done = text::read<plain_rows>(jobs, text, flags);
    ASSERT_FALSE(done);
    EXPECT_EQ(text::position_of(text, done.error().offset).line, 301u);
  }
}

TEST(a_name, unknown_to_an_enum_is_reported_as_such) {
  EXPECT_STREQ(error_of<unit_script>("unit={ kind=knight }\n").reason,
               "not a name or number of this enum");
}

TEST(bad_values, are_errors) {
  const std::string digits(10'000, '9');
  const std::vector<std::string> fields = {"gold=1.5",
                                           "gold=2147483648",
                                           "gold=" + digits,
                                           "speed=1e39",
                                           "speed=1,5",
                                           "speed=-",
                                           "kind=knight",
                                           "kind=256",
                                           "enabled=maybe",
                                           "title=horse",
                                           "title=\"much too long\"",
                                           "motto=\"\\q\"",
                                           "motto=\"\\x4\"",
                                           "motto=\"\\x4g\"",
                                           "motto=\"\\ud83d\\u0041\"",
                                           "new=\"1\n",
                                           "new={ \"1\n }",
                                           "new={ { 1 ] }",
                                           "new=[ 1 }",
                                           "at=1",
                                           "at={ x=1",
                                           "orders=1",
                                           "orders={ 1 x }",
                                           "owner=10000000000000000",
                                           "owner=g",
                                           "gold",
                                           "gold=",
                                           "=1",
                                           "gold={ 1 }",
                                           "gold=\"1"};
  for (const std::string& field : fields) {
    const error problem = error_of<unit_script>("unit={ " + field + " }\n");
    EXPECT_TRUE(problem.code == errc::corrupt || problem.code == errc::limit ||
                problem.code == errc::truncated)
        << field;
  }
  for (const char* const line :
       {"{\"gold\":1", "{\"gold\" 1}", "{\"gold\":1 \"speed\":2}", "{gold:}", "[1]",
        "{\"motto\":\"\\ud800\"}", "{\"motto\":\"\\udc00\"}", "{\"motto\":\"\\u12\"}",
        "{\"orders\":[1 2]}", "{\"gold\":1}}", "{\"new\":[1}}", "{\"new\":{\"a\":[1}]}"}) {
    (void)error_of<text::json>(line);
  }
  for (const char* const line : {"y x", "y \"1", "maybe 1", "y\"1\"", "y 1x", "y 1.5.5"}) {
    (void)error_of<plain_rows, flag>(line);
  }
}

TEST(a_string, as_long_as_its_field_is_read_and_one_byte_more_is_refused) {
  for (const std::string& title : {std::string("abcdefgh"), std::string("abcdef\\n\\t")}) {
    const std::string longer = title + "i\"";
    const unit read_back = read<unit_script>("unit={ title=\"" + title + "\" }").at(0);
    EXPECT_EQ(std::string_view(read_back.title, 6), "abcdef");
    EXPECT_NE(read_back.title[7], '\0');
    EXPECT_EQ(error_of<unit_script>("unit={ title=\"" + longer + " }").code, errc::limit);
    EXPECT_EQ(error_of<text::json>("{\"title\":\"" + longer + "}").code, errc::limit);
  }
}

// Fields in the text replace the defaults of the type.
struct with_defaults {
  char title[8] = {'d', 'e', 'f', 'a', 'u', 'l', 't', '!'};
  std::optional<int> upkeep = 5;
  std::uint8_t colour = 7;
};
constexpr auto fields(text::of<with_defaults> /*type*/) {
  return text::field_list(text::field("title", &with_defaults::title),
                          text::field("upkeep", &with_defaults::upkeep),
                          text::field("colour", &with_defaults::colour, text::hex{}));
}
TEST(defaults, are_kept_where_a_field_is_omitted_and_only_there) {
  const auto expect = [](const std::vector<with_defaults>& found, bool kept) {
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(std::string_view(found[0].title, 8),
              kept ? std::string_view("default!") : std::string_view("ab\0\0\0\0\0\0", 8));
    EXPECT_EQ(found[0].upkeep.has_value(), kept);
  };
  expect(read<unit_script, with_defaults>("unit={ }"), true);
  expect(read<text::json, with_defaults>("{}"), true);
  expect(read<unit_script, with_defaults>("unit={ upkeep=none title=\"ab\" }"), false);
  expect(read<text::json, with_defaults>("{\"upkeep\":null,\"title\":\"ab\"}"), false);
  expect(read<plain_rows, with_defaults>("\"ab\" none 7"), false);
}

TEST(a_hexadecimal_number, must_be_in_range_for_its_type) {
  EXPECT_EQ((read<unit_script, with_defaults>("unit={ colour=ff }").at(0).colour), 255);
  EXPECT_EQ((error_of<unit_script, with_defaults>("unit={ colour=100 }").code), errc::corrupt);
  EXPECT_EQ((error_of<text::json, with_defaults>("{\"colour\":\"100\"}").code), errc::corrupt);
}

TEST(a_number, of_ten_thousand_digits_is_read) {
  const std::string digits(10'000, '3');
  EXPECT_EQ(read<unit_script>("unit={ speed=0." + digits + " }").at(0).speed, 1.0f / 3);
}

TEST(nesting, has_a_limit) {
  std::string deep = "unit={ new=";
  for (int i = 0; i < 10'000; ++i) deep += "{ a=";
  EXPECT_EQ(error_of<unit_script>(deep).code, errc::limit);
  for (int i = 0; i < 10'000; ++i) deep += "}";
  EXPECT_EQ(error_of<unit_script>(deep + " }").code, errc::limit);
  EXPECT_EQ(error_of<text::json>("{\"new\":" + std::string(10'000, '[') + "}").code, errc::limit);
  const auto nested = [](std::size_t depth) {
    return "unit={ new=" + std::string(depth, '{') + std::string(depth, '}') + " gold=5 }\n";
  };
  EXPECT_EQ(read<unit_script>(nested(limits::text_depth_max)).at(0).gold, 5);
  EXPECT_EQ(error_of<unit_script>(nested(limits::text_depth_max + 1)).code, errc::limit);
}

TEST(a_script, may_have_comments_in_unknown_blocks) {
  const auto units = read<unit_script>("unit={ new={ 1 # } \"\n 2 } gold=5 }\n");
  ASSERT_EQ(units.size(), 1u);
  EXPECT_EQ(units[0].gold, 5);
}

template <class Style>
void expect_no_harm_at_any_cut() {
  const auto units = sample::random_units(8, 3);
  text::page_table table;
  const std::string text = written<Style>(units, &table);
  const std::vector<unit> wanted = all(units);
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    // In its own allocation, so that sanitizers see reads beyond the end.
    const std::vector<char> part(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(cut));
    const std::string_view view(part.data(), part.size());
    paged<unit, 64> with_table;
    ASSERT_FALSE(text::read<Style>(view, with_table, &table)) << cut;
    paged<unit, 64> without;
    const auto count = text::read<Style>(view, without);
    if (!count) continue;
    const std::vector<unit> found = all(without);
    ASSERT_LE(found.size(), wanted.size());
    for (std::size_t i = 0; i + 1 < found.size(); ++i) ASSERT_TRUE(found[i] == wanted[i]);
  }
}

TEST(a_text, cut_anywhere_is_an_error_with_its_page_table_and_shorter_without) {
  expect_no_harm_at_any_cut<unit_script>();
  expect_no_harm_at_any_cut<text::json>();
}

TEST(a_page_table, that_does_not_match_its_text_is_refused) {
  const auto flags = sample::random_flags(5'000, 4);
  text::page_table table;
  const std::string text = written<plain_rows>(flags, &table);
  const text::page_entry right = table[2];
  const auto expect_refused = [&](text::page_entry entry) {
    table.set_entry(2, entry);
    paged<flag> read;
    EXPECT_FALSE(text::read<plain_rows>(text, read, &table));
    EXPECT_TRUE(read.empty());
  };
  for (const std::uint64_t wrong : {std::uint64_t{0}, right.offset - 1, right.offset + 1,
                                    std::uint64_t{text.size()}, ~std::uint64_t{0}}) {
    expect_refused({wrong, right.bytes, right.objects});
  }
  for (const std::uint64_t wrong : {std::uint64_t{0}, right.bytes - 9, right.bytes + 1,
                                    std::uint64_t{text.size()}, ~std::uint64_t{0}}) {
    expect_refused({right.offset, wrong, right.objects});
  }
  for (const std::uint64_t wrong :
       {std::uint64_t{0}, right.objects - 1, right.objects + 1, ~std::uint64_t{0}}) {
    expect_refused({right.offset, right.bytes, wrong});
  }
  table.set_entry(2, right);
  paged<flag> read;
  EXPECT_TRUE(text::read<plain_rows>(text, read, &table));
}

TEST(a_page_table, left_empty_matches_only_an_empty_text) {
  paged<flag> flags;
  text::page_table empty;
  const auto done = text::read<plain_rows>("y 1.00\n", flags, &empty);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, errc::corrupt);
  EXPECT_TRUE(text::read<plain_rows>("", flags, &empty));
}

TEST(a_page_table, of_a_shorter_or_longer_text_is_refused) {
  const auto flags = sample::random_flags(5'000, 4);
  text::page_table table;
  const std::string text = written<plain_rows>(flags, &table);
  paged<flag> read;
  for (const std::string& other : {text + "y 1.00\n", text.substr(0, text.size() - 7)}) {
    const auto done = text::read<plain_rows>(other, read, &table);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, errc::corrupt);
    EXPECT_TRUE(read.empty());
  }
}

TEST(objects, already_there_stay_whether_reading_fails_or_succeeds) {
  paged<unit, 64> units;
  ASSERT_TRUE(units.add(sample::knight()));
  EXPECT_FALSE(text::read<unit_script>("unit={ gold=x }", units));
  EXPECT_EQ(units.size(), 1u);
  EXPECT_TRUE(text::read<unit_script>("unit={ gold=1 }", units));
  EXPECT_EQ(units.size(), 2u);
  EXPECT_TRUE(units.add(unit{}));
  EXPECT_EQ(units.page_count(), 2u);
}

TEST(refused_memory, is_an_error_when_reading) {
  const std::string text = written<plain_rows>(sample::random_flags(5'000, 5));
  for (std::uint64_t n = 0; n < 7; ++n) {
    failing_allocator memory(n);
    paged<flag> flags(memory);
    const auto done = text::read<plain_rows>(text, flags);
    ASSERT_EQ(done.has_value(), memory.refusals() == 0);
    if (!done) {
      EXPECT_EQ(done.error().code, errc::out_of_memory);
    }
    EXPECT_EQ(flags.size(), done ? 5'000u : 0u);
  }
}

TEST(an_empty_text, has_no_objects) {
  EXPECT_TRUE(read<unit_script>("").empty());
  EXPECT_TRUE(read<text::json>(" \n\r\n").empty());
  EXPECT_TRUE((read<plain_rows, flag>("# only a comment").empty()));
}

}  // namespace
}  // namespace overture::read_test

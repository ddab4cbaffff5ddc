// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "overture/base/limits.hpp"
#include "overture/jobs/thread_pool.hpp"
#include "overture/text/write.hpp"
#include "support/guards.hpp"
#include "text/hero.hpp"

namespace overture::container_write_test {
namespace {

using hero_script = text::script<"hero">;

template <class Style, class T>
std::string written(const T& object) {
  std::string out(text::object_bytes<Style>(object) + text::slack, '#');
  const char* const end = text::write_object<Style>(out.data(), object);
  EXPECT_TRUE(end);
  if (!end) return "nothing";
  out.resize(static_cast<std::size_t>(end - out.data()));
  return out;
}

struct pack {
  std::vector<int> numbers;
  std::vector<std::string> words;
  std::map<std::string, float> prices;
  std::map<int, sample::metal> ores;
  std::map<sample::metal, bool> known;
};
const pack full = {{1, -2},
                   {"a", "b\"c"},
                   {{"old rope", 1.5f}},
                   {{-3, sample::metal::silver}},
                   {{sample::metal::iron, true}, {static_cast<sample::metal>(9), false}}};

TEST(containers, are_blocks_and_lists_of_a_script) {
  EXPECT_EQ(written<text::script<"pack">>(full),
            "pack={ numbers={ 1 -2 } words={ \"a\" \"b\\\"c\" } prices={ \"old rope\"=1.5 } "
            "ores={ -3=silver } known={ iron=yes 9=no } }\n");
  EXPECT_EQ(written<text::script<"pack">>(pack{}),
            "pack={ numbers={ } words={ } prices={ } ores={ } known={ } }\n");
}

TEST(containers, are_arrays_and_objects_of_json) {
  EXPECT_EQ(written<text::json>(full),
            "{\"numbers\":[1,-2],\"words\":[\"a\",\"b\\\"c\"],\"prices\":{\"old rope\":1.5},"
            "\"ores\":{\"-3\":\"silver\"},\"known\":{\"iron\":true,\"9\":false}}\n");
  EXPECT_EQ(written<text::json>(pack{}),
            "{\"numbers\":[],\"words\":[],\"prices\":{},\"ores\":{},\"known\":{}}\n");
}

TEST(containers, take_one_line_in_blocks) {
  EXPECT_EQ(written<text::blocks<"quest">>(sample::quest{2, {"a", "b"}, sample::item{"x", 1, {}}}),
            "quest={\n  stage=2\n  done={ \"a\" \"b\" }\n  reward={\n    name=\"x\"\n    count=1\n"
            "    of=iron\n  }\n}\n");
}

struct armed {
  sample::weapon with;
  std::vector<sample::weapon> others;
};
TEST(a_variant, is_a_block_with_the_name_of_its_alternative) {
  const armed one{sample::sword{3}, {{}, sample::bow{1.5f, {}}}};
  EXPECT_EQ(written<text::script<>>(one),
            "object={ with={ sword={ damage=3 } } others={ none { bow={ range=1.5 arrows={ } } } } "
            "}\n");
  EXPECT_EQ(written<text::json>(one),
            "{\"with\":{\"sword\":{\"damage\":3}},\"others\":[null,"
            "{\"bow\":{\"range\":1.5,\"arrows\":[]}}]}\n");
}

struct broken {
  broken() = default;
  explicit broken(int /*value*/) { throw 1; }
  int number = 0;
  std::string text;  // without it the standard library keeps the old value
};
constexpr auto fields(text::of<broken> /*type*/) {
  return text::field_list(text::field("number", &broken::number));
}
struct may_break {
  std::variant<sample::sword, broken> held;
};
TEST(a_variant, without_a_value_is_an_error) {
  paged<may_break> objects;
  may_break* const one = objects.add().value();
  EXPECT_THROW(one->held.emplace<broken>(1), int);
  std::string out(1000, '#');
  EXPECT_EQ(text::write<text::json>(objects, std::span(out)).error().code, errc::limit);
}

// A format is that of the elements and values.
struct formatted {
  std::vector<float> speeds;
  std::map<std::string, std::uint32_t> owners;
  std::vector<std::string> names;
};
constexpr auto fields(text::of<formatted> /*type*/) {
  return text::field_list(text::field("speeds", &formatted::speeds, text::fixed<1>{}),
                          text::field("owners", &formatted::owners, text::hex{}),
                          text::field("names", &formatted::names, text::quoted<3>{}));
}
TEST(containers, give_their_format_to_what_they_hold) {
  EXPECT_EQ(written<text::script<>>(formatted{{1, 2.25f}, {{"a", 255}}, {"abc"}}),
            "object={ speeds={ 1.0 2.2 } owners={ \"a\"=ff } names={ \"abc\" } }\n");
  paged<formatted> objects;
  (void)objects.add(formatted{{}, {}, {"abcd"}});
  std::string out(1000, '#');
  EXPECT_EQ(text::write<text::json>(objects, std::span(out)).error().code, errc::limit);
}

struct long_winded {
  std::vector<std::string> words;
};
constexpr auto fields(text::of<long_winded> /*type*/) {
  return text::field_list(text::field("words", &long_winded::words, text::quoted<(1ull << 58)>{}));
}
// Elements may be so long that the product overflows, although the actual text is short.
TEST(containers, whose_text_could_exceed_the_address_space_are_refused) {
  paged<long_winded> objects;
  (void)objects.add(long_winded{std::vector<std::string>(16)});
  std::string out(1000, '#');
  EXPECT_EQ(text::write<text::json>(objects, std::span(out)).error().code, errc::limit);
}

struct unordered {
  std::unordered_map<std::string, int> skills;
  std::unordered_map<int, std::unordered_map<int, std::string>> nested;
};
TEST(maps_without_an_order, are_written_sorted_by_key) {
  const unordered one{{{"b", 1}, {"a", 2}, {"\xC3\xA4", 3}, {"", 4}},
                      {{2, {{9, "x"}, {-9, "y"}}}, {-1, {}}, {1, {{5, "z"}}}}};
  EXPECT_EQ(written<text::script<>>(one),
            "object={ skills={ \"\"=4 \"a\"=2 \"b\"=1 \"\xC3\xA4\"=3 } "
            "nested={ -1={ } 1={ 5=\"z\" } 2={ -9=\"y\" 9=\"x\" } } }\n");
  EXPECT_EQ(written<text::json>(unordered{}), "{\"skills\":{},\"nested\":{}}\n");
}

TEST(maps_without_an_order, have_the_same_text_however_they_were_filled) {
  unordered up;
  unordered down;
  down.skills.reserve(10'000);
  for (int i = 0; i < 1000; ++i) up.skills["skill " + std::to_string(i)] = i;
  for (int i = 999; i >= 0; --i) down.skills["skill " + std::to_string(i)] = i;
  EXPECT_EQ(written<text::json>(up), written<text::json>(down));
}

// A byte beyond the room would be changed, or found by a sanitizer.
template <class Style, class T>
void expect_bounded(const T& one) {
  const std::size_t room = text::object_bytes<Style>(one) + text::slack;
  for (std::size_t shift = 0; shift < 8; ++shift) {
    std::vector<char> out(shift + room + 64, '#');
    const char* const end = text::write_object<Style>(out.data() + shift, one);
    ASSERT_TRUE(end);
    ASSERT_LE(end, out.data() + shift + room - text::slack);
    for (std::size_t i = shift + room; i < out.size(); ++i) ASSERT_EQ(out[i], '#');
  }
}
TEST(the_bound_of_an_object, holds_for_random_objects_at_any_alignment) {
  sample::maker make(1);
  for (int i = 0; i < 300; ++i) {
    const sample::hero one = make.hero();
    expect_bounded<hero_script>(one);
    expect_bounded<text::blocks<"hero">>(one);
    expect_bounded<text::json>(one);
  }
}
TEST(the_bound_of_an_object, holds_for_the_longest_values) {
  sample::hero one;
  one.name.assign(100, '\x01');
  one.inventory.assign(3,
                       {std::string(50, '\xFF'), -2'000'000'000, static_cast<sample::metal>(255)});
  one.weights.assign(4, -1.2345678901234567e-300);
  one.seen.assign(5, false);
  one.metals.assign(5, sample::metal::silver);
  one.wounds.assign(5, std::nullopt);
  one.bag.assign(5, sample::weapon());
  for (int i = 0; i < 9; ++i) one.skills[std::string(static_cast<std::size_t>(i), '\x02')] = -i;
  for (int i = 0; i < 9; ++i) one.notes[INT64_MIN + i] = "\x03";
  expect_bounded<hero_script>(one);
  expect_bounded<text::json>(one);
}

struct notes_only {
  std::unordered_map<std::int64_t, std::string> notes;
};
TEST(the_bound_of_an_object, has_room_for_sorting) {
  notes_only one;
  for (int i = 0; i < 100; ++i) one.notes[INT64_MIN + i] = "\x03";
  expect_bounded<text::script<>>(one);
  expect_bounded<text::json>(one);
}

template <class Style>
void expect_same_text_however_written(const sample::heroes& all) {
  std::string wanted;
  all.for_each([&](const sample::hero& each) { wanted += written<Style>(each); });
  for (const unsigned workers : {0u, 1u, 3u}) {
    thread_pool jobs{{.workers = workers}};
    std::string out(text::bytes_max<Style>(all), '#');
    const auto done = text::write<Style>(jobs, all, std::span(out));
    ASSERT_TRUE(done);
    ASSERT_TRUE(out.substr(0, done->bytes) == wanted);
    std::string exact(wanted.size(), '#');
    ASSERT_TRUE(text::write<Style>(jobs, all, std::span(exact)));
    ASSERT_TRUE(exact == wanted);
    std::string small(wanted.size() - 1, '#');
    const auto refused = text::write<Style>(jobs, all, std::span(small));
    ASSERT_EQ(refused.error().code, errc::no_space);
  }
  std::string out(text::bytes_max<Style>(all), '#');
  const auto done = text::write<Style>(all, std::span(out));
  ASSERT_TRUE(done && out.substr(0, done->bytes) == wanted);
}
TEST(objects_of_any_size, have_the_same_text_for_any_number_of_threads) {
  const auto all = sample::random_heroes(700, 2);
  expect_same_text_however_written<hero_script>(all);
  expect_same_text_however_written<text::json>(all);
}

sample::creature nested_creature(std::size_t depth) {
  sample::creature made{"x", {}};
  for (; depth > 1; --depth) {
    sample::creature outer{"x", {}};
    outer.followers.push_back(std::move(made));
    made = std::move(outer);
  }
  return made;
}
// Each creature is a block, and its followers are a list.
constexpr std::size_t creatures_max = limits::text_depth_max / 2;

TEST(objects_nested_too_deep, are_refused_before_any_is_written) {
  EXPECT_GT(text::object_bytes<text::json>(nested_creature(creatures_max)), 0u);
  const sample::creature deep = nested_creature(creatures_max + 1);
  EXPECT_EQ(text::object_bytes<text::json>(deep), 0u);
  paged<sample::creature, 64> objects;
  for (int i = 0; i < 100; ++i) (void)objects.add(sample::creature{"y", {}});
  (void)objects.add(deep);
  std::string out(100'000, '#');
  const auto refused = text::write<text::json>(objects, std::span(out));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, errc::limit);
  EXPECT_EQ(refused.error().offset, 1u);  // the page
  EXPECT_EQ(out[0], '#');
}

// Bounding and writing, sorting included. The objects are guarded where they are written, the
// calling thread everywhere.
TEST(the_parallel_part, allocates_nothing_and_takes_no_lock_for_objects_of_any_size) {
  if (!test::guards_active()) GTEST_SKIP() << "a sanitizer stands where the guards would";
  const auto all = sample::random_heroes(700, 3);
  thread_pool jobs{{.workers = 2}};
  text::page_table table;
  std::string out(text::bytes_max<hero_script>(all), '#');
  ASSERT_TRUE(text::write<hero_script>(jobs, all, std::span(out), &table));
  std::size_t longest = 0;
  all.for_each([&](const sample::hero& each) {
    longest = std::max(longest, text::object_bytes<hero_script>(each));
  });
  const auto guarded = [](char* to, const sample::hero& each) {
    const test::no_alloc_scope no_alloc;
    const test::no_lock_scope no_lock;
    return text::object_bytes<hero_script>(each) > 0 ? text::write_object<hero_script>(to, each)
                                                     : nullptr;
  };
  std::string roomy(all.page_count() * 64 * longest + 4096, '#');
  ASSERT_TRUE(text::write_with(jobs, all, std::span(roomy), longest, guarded));
  const test::no_alloc_scope no_alloc;
  const test::no_lock_scope no_lock;
  ASSERT_TRUE(text::write<hero_script>(jobs, all, std::span(out), &table));
}

}  // namespace
}  // namespace overture::container_write_test

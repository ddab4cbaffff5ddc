// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include <deque>
#include <new>
#include <string>
#include <vector>

#include "overture/base/limits.hpp"
#include "overture/jobs/thread_pool.hpp"
#include "overture/text/read.hpp"
#include "overture/text/save.hpp"
#include "overture/text/write.hpp"
#include "support/fake_os.hpp"
#include "text/hero.hpp"

namespace overture {
namespace sample {
constexpr auto names(text::of<std::variant<int, spot, std::vector<int>>> /*type*/) {
  return text::alternative_list("whole", "broken", "list");
}
}  // namespace sample
namespace {

using sample::hero;
using sample::heroes;
using hero_script = text::script<"hero">;

template <class T, std::size_t PageSize>
std::vector<T> all(const paged<T, PageSize>& objects) {
  std::vector<T> found;
  objects.for_each([&](const T& each) { found.push_back(each); });
  return found;
}

template <class Style, class T, std::size_t PageSize>
std::string written(const paged<T, PageSize>& objects, text::page_table* table = nullptr) {
  std::string buffer(text::bytes_max<Style>(objects), '#');
  const auto done = text::write<Style>(objects, std::span(buffer), table);
  EXPECT_TRUE(done);
  buffer.resize(done ? done->bytes : 0);
  return buffer;
}

template <class Style, class T>
T read_one(const std::string& text) {
  paged<T, 64> objects;
  const auto done = text::read<Style>(text, objects);
  EXPECT_TRUE(done) << text << ": " << (done ? "" : done.error().reason) << " at "
                    << (done ? 0 : done.error().offset);
  const std::vector<T> found = all(objects);
  EXPECT_EQ(found.size(), 1u);
  return found.empty() ? T{} : found[0];
}

// "6: not a number at inventory[0].count"
template <class Style, class T>
std::string refusal_of(const std::string& text) {
  paged<T, 64> objects;
  const auto done = text::read<Style>(text, objects);
  EXPECT_EQ(objects.page_count(), 0u);
  if (done) return "none";
  char room[100];
  return std::to_string(done.error().offset) + ": " + done.error().reason + " at " +
         std::string(text::member_path(text, done.error().offset, room));
}
template <class Style, class T>
errc code_of(const std::string& text) {
  paged<T, 64> objects;
  const auto done = text::read<Style>(text, objects);
  EXPECT_FALSE(done);
  return done ? errc::io : done.error().code;
}

template <class Style>
void expect_round_trip(std::uint64_t seed) {
  const heroes objects = sample::random_heroes(150, seed);
  text::page_table table;
  const std::string text = written<Style>(objects, &table);
  const std::vector<hero> wanted = all(objects);
  for (const unsigned workers : {0u, 2u}) {
    thread_pool jobs{{.workers = workers}};
    heroes with_table;
    const auto read = text::read<Style>(jobs, text, with_table, &table);
    ASSERT_TRUE(read) << read.error().reason << " at " << read.error().offset;
    ASSERT_TRUE(all(with_table) == wanted);
    heroes without;
    ASSERT_TRUE(text::read<Style>(jobs, text, without));
    ASSERT_TRUE(all(without) == wanted);
  }
}
TEST(objects_of_any_size, read_back_equal_from_a_script) {
  for (std::uint64_t seed = 1; seed < 4; ++seed) expect_round_trip<hero_script>(seed);
}
TEST(objects_of_any_size, read_back_equal_from_blocks) {
  for (std::uint64_t seed = 6; seed < 8; ++seed) expect_round_trip<text::blocks<"hero">>(seed);
}
TEST(objects_of_any_size, read_back_equal_from_json) {
  for (std::uint64_t seed = 9; seed < 12; ++seed) expect_round_trip<text::json>(seed);
}

TEST(objects_of_any_size, read_back_equal_from_a_save) {
  test::fake_os os;
  const heroes objects = sample::random_heroes(300, 20);
  thread_pool jobs{{.workers = 1}};
  text::save_writer out{1};
  ASSERT_TRUE(out.add<hero_script>(jobs, "heroes", objects));
  ASSERT_TRUE(out.add<text::json>("same", objects));
  ASSERT_TRUE(out.commit(os, "rome.save"));
  text::save_file save;
  ASSERT_TRUE(save.load(os, "rome.save", {.version = 1}));
  heroes back;
  ASSERT_TRUE(save.read<hero_script>(jobs, "heroes", back));
  EXPECT_TRUE(all(back) == all(objects));
  heroes same;
  ASSERT_TRUE(save.read<text::json>("same", same));
  EXPECT_TRUE(all(same) == all(objects));
}

// As people and other versions write it.
TEST(containers, may_be_edited) {
  const auto wanted =
      sample::quest{2, {"a", "b\n"}, sample::item{"rope", 3, sample::metal::silver}};
  EXPECT_EQ((read_one<text::script<"quest">, sample::quest>(
                "quest = {\r\n\treward = { of=silver\tname=\"rope\" count=3 } # best\n"
                "  later={ { 1 2 } x={ y=\"}\" } }\n"
                "  done = { # two\n \"a\" \"\\x62\\n\" }\n  stage = 2 }")),
            wanted);
  EXPECT_EQ((read_one<text::json, sample::quest>(
                R"( { "done" : [ "a" , "b\u000a" ], "later":[{"x":[]}], "stage" :2,)"
                R"("reward":{"of":"silver","name":"rope","count": 3}} )")),
            wanted);
  // Compact, as other programs write scripts.
  EXPECT_EQ(
      (read_one<text::script<"quest">, sample::quest>("quest={stage=2 done={\"a\"\"b\\n\"}"
                                                      "reward={name=\"rope\"count=3 of=silver}}")),
      wanted);
}

struct defaults {
  std::vector<int> numbers = {1, 2};
  std::map<std::string, int> prices = {{"rope", 3}};
  std::string name = "Ann";
  sample::weapon hand = sample::sword{4};
  int last = 5;
  friend bool operator==(const defaults&, const defaults&) = default;
};
TEST(missing_members, keep_their_defaults) {
  EXPECT_EQ((read_one<text::json, defaults>("{}")), defaults{});
  EXPECT_EQ((read_one<text::script<>, defaults>("object={ last=6 }")).last, 6);
  EXPECT_EQ((read_one<text::script<>, defaults>("object={ last=6 }")).numbers,
            (std::vector<int>{1, 2}));
}
TEST(members_of_any_size, lose_their_defaults_where_the_text_has_others) {
  const defaults empty{{}, {}, "", std::monostate{}, 5};
  EXPECT_EQ((read_one<text::json, defaults>(R"({"numbers":[],"prices":{},"name":"","hand":null})")),
            empty);
  EXPECT_EQ(
      (read_one<text::script<>, defaults>("object={ numbers={ } prices={} name=\"\" hand=none }")),
      empty);
}
TEST(repeated_members, count_once) {
  const auto read = read_one<text::json, defaults>(
      R"({"numbers":[7],"prices":{"a":1,"b":2,"a":3},"numbers":[8,9],"name":"x","name":"y"})");
  EXPECT_EQ(read.numbers, (std::vector<int>{8, 9}));
  EXPECT_EQ(read.prices, (std::map<std::string, int>{{"a", 3}, {"b", 2}}));
  EXPECT_EQ(read.name, "y");
  struct holder {
    std::map<int, std::vector<int>> lists;
  };
  const auto held = read_one<text::script<>, holder>("object={ lists={ 1={ 1 2 } 1={ 3 } } }");
  EXPECT_EQ(held.lists.at(1), std::vector<int>{3});
}

TEST(keys, are_strings_with_escapes_words_numbers_and_names) {
  EXPECT_EQ((read_one<text::script<>, defaults>(
                 "object={ prices={ \"old rope\"=1 rope_2=2 \"a\\\"b\"=3 \"\"=4 } }")
                 .prices),
            (std::map<std::string, int>{{"old rope", 1}, {"rope_2", 2}, {"a\"b", 3}, {"", 4}}));
  EXPECT_EQ((read_one<text::json, hero>(R"({"notes":{"-7":"x"},"purse":{"silver":1,"9":2}})")),
            (read_one<hero_script, hero>("hero={ notes={ -7=\"x\" } purse={ 9=2 silver=1 } }")));
}

struct strike {
  std::variant<int, sample::spot, std::vector<int>> of;
  friend bool operator==(const strike&, const strike&) = default;
};
TEST(alternatives, may_have_names_of_their_own) {
  for (const strike& each : {strike{3}, strike{sample::spot{1, 2}}, strike{std::vector<int>{4}}}) {
    paged<strike, 64> objects;
    (void)objects.add(each);
    const std::string text = written<text::json>(objects);
    EXPECT_EQ((read_one<text::json, strike>(text)), each) << text;
  }
  EXPECT_EQ(std::get<0>(read_one<text::json, strike>(R"({"of":{"whole":5}})").of), 5);
}

TEST(long_strings, come_back_whole) {
  sample::heroes objects;
  hero one;
  for (int i = 0; i < 100'000; ++i) one.name += static_cast<char>(i % 251);
  one.inventory.push_back({std::string(70'000, 'x'), 1, {}});
  (void)objects.add(one);
  for (const std::string& text : {written<text::json>(objects), written<text::json>(objects)}) {
    EXPECT_TRUE((read_one<text::json, hero>(text)) == one);
  }
  EXPECT_TRUE((read_one<hero_script, hero>(written<hero_script>(objects))) == one);
}

TEST(errors, name_the_place_and_the_member) {
  const auto json = refusal_of<text::json, hero>;
  EXPECT_EQ(json(R"({"scores":[1,x]})"),
            "13: not a number, or out of range for this field at scores[1]");
  EXPECT_EQ(json(R"({"inventory":[{"name":"a"},{"count":-}]})"),
            "36: not a number, or out of range for this field at inventory[1].count");
  EXPECT_EQ(json(R"({"quests":{"a b":{"stage":"x"}}})"),
            "27: not a number, or out of range for this field at quests.\"a b\".stage");
  EXPECT_EQ(json(R"({"hand":{"axe":{}}})"),
            "10: not the name of an alternative of this variant at hand");
  EXPECT_EQ(json(R"({"hand":{"bow":{"range":1,"arrows":[{"count":1.5}]}}})"),
            "45: not a number, or out of range for this field at hand.bow.arrows[0].count");
  EXPECT_EQ(json(R"({"hand":{"sword":{},"bow":{}}})"),
            "19: expected '}' after the alternative at hand");
  EXPECT_EQ(json(R"({"hand":3})"), "8: expected '{' at hand");
  EXPECT_EQ(json(R"({"scores":[1 2]})"), "13: expected ',' at scores[1]");
  EXPECT_EQ(json(R"({"scores":{}})"), "10: expected '[' at scores");
  EXPECT_EQ(json(R"({"purse":{"gold":1}})"), "11: not a name or number of this enum at purse");
  EXPECT_EQ(json(R"({"notes":{"x":""}})"),
            "11: not a number, or out of range for this key at notes");
  EXPECT_EQ(json(R"({"name":"a\q"})"), "12: unknown escape sequence at name");
  const auto script = refusal_of<hero_script, hero>;
  EXPECT_EQ(script("hero={ scores={ 1 x } }"),
            "18: not a number, or out of range for this field at scores[1]");
  EXPECT_EQ(script("hero={ }\nhero={ path={ { x=1 y=z } } }"),
            "31: not a number, or out of range for this field at path[0].y");
  EXPECT_EQ(script("hero={ name=\"a"), "12: unterminated string at name");
  EXPECT_EQ(script("hero={ scores={ 1"), "17: text ends inside a block at scores[1]");
  EXPECT_EQ(script("hero={ stands={ a={ spot={ x=q } } } }"),
            "29: not a number, or out of range for this field at stands.a.spot.x");
}

std::string nested_creature(std::size_t depth) {
  std::string text;
  for (std::size_t i = 1; i < depth; ++i) text += R"({"name":"x","followers":[)";
  text += R"({"name":"y","followers":[]})";
  for (std::size_t i = 1; i < depth; ++i) text += "]}";
  return text;
}
// Each creature is a block, and its followers are a list.
constexpr std::size_t creatures_max = limits::text_depth_max / 2;

TEST(nesting, is_read_as_deep_as_it_is_written_and_no_deeper) {
  sample::creature read = read_one<text::json, sample::creature>(nested_creature(creatures_max));
  EXPECT_GT(text::object_bytes<text::json>(read), 0u);
  paged<sample::creature, 64> objects;
  const auto deeper = text::read<text::json>(nested_creature(creatures_max + 1), objects);
  ASSERT_FALSE(deeper);
  EXPECT_EQ(deeper.error().code, errc::limit);
  EXPECT_EQ((code_of<text::json, sample::creature>(nested_creature(100'000))), errc::limit);
}

// A block of fixed size and then a list of blocks: each could be tried in two ways.
struct knot;
struct strand {
  std::vector<knot> knots;
};
struct knot {
  strand of;
  sample::spot at;
};
TEST(nesting, costs_no_more_time_where_text_was_edited) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += "{ # edited\n of={ # edited\n knots={ # edited\n";
  for (int i = 0; i < 20; ++i) text += " } # edited\n } at={ y=1 # edited\n x=2 # edited\n } }";
  const knot read = read_one<text::script<"knot">, knot>("knot=" + text);
  EXPECT_EQ(read.of.knots.at(0).at, (sample::spot{2, 1}));
}

struct large {
  std::array<std::optional<double>, 1000> numbers;
};
constexpr auto fields(text::of<large> /*type*/) {
  return text::field_list(text::field("numbers", &large::numbers));
}
struct larges {
  std::vector<large> all;
  std::map<int, large> by_number;
};
TEST(elements, may_not_take_memory_out_of_proportion_to_their_text) {
  std::string list = R"({"all":[{})";
  for (int i = 0; i < 10'000; ++i) list += ",{}";
  EXPECT_EQ((code_of<text::json, larges>(list + "]}")), errc::limit);
  std::string map = R"({"by_number":{"-1":{})";
  for (int i = 0; i < 10'000; ++i) map += ",\"" + std::to_string(i) + "\":{}";
  EXPECT_EQ((code_of<text::json, larges>(map + "}}")), errc::limit);
  EXPECT_EQ((read_one<text::json, larges>(R"({"all":[{},{},{}]})")).all.size(), 3u);
}

// -- containers of the host --

// Has no more than 64 bytes for a container.
template <class T>
struct scarce {
  using value_type = T;

  scarce() = default;
  template <class U>
  explicit scarce(const scarce<U>& /*other*/) noexcept {}
  T* allocate(std::size_t count) {
    if (count * sizeof(T) > 64) throw std::bad_alloc();
    return std::allocator<T>().allocate(count);
  }
  void deallocate(T* at, std::size_t count) noexcept { std::allocator<T>().deallocate(at, count); }
  friend bool operator==(const scarce&, const scarce&) noexcept { return true; }
};
struct frugal {
  std::vector<int, scarce<int>> numbers;
  std::basic_string<char, std::char_traits<char>, scarce<char>> name;
};
TEST(a_container_without_memory, is_an_error_that_says_so) {
  EXPECT_EQ((read_one<text::json, frugal>(R"({"numbers":[1,2,3],"name":"x"})")).numbers.size(), 3u);
  std::string list = R"({"numbers":[0)";
  for (int i = 0; i < 100; ++i) list += ",1";
  const std::string name = "{\"name\":\"" + std::string(100, 'x') + "\"}";
  EXPECT_EQ((code_of<text::json, frugal>(list + "]}")), errc::out_of_memory);
  EXPECT_EQ((code_of<text::json, frugal>(name)), errc::out_of_memory);
  paged<frugal, 64> objects;
  thread_pool jobs{{.workers = 1}};
  EXPECT_EQ(text::read<text::json>(jobs, list + "]}", objects).error().code, errc::out_of_memory);
}

class short_list {
 public:
  using value_type = int;
  void clear() { count_ = 0; }
  bool push_back(int number) {
    if (count_ == 3) return false;
    numbers_[count_++] = number;
    return true;
  }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] const int* begin() const { return numbers_; }
  [[nodiscard]] const int* end() const { return numbers_ + count_; }

 private:
  int numbers_[3] = {};
  std::size_t count_ = 0;
};
class short_string {
 public:
  operator std::string_view() const noexcept {  // NOLINT: implicit, as std::string's
    return {text_, bytes_};
  }
  bool assign(const char* from, std::size_t bytes) {
    bytes_ = 0;
    return append(from, bytes);
  }
  bool append(const char* from, std::size_t bytes) {
    if (bytes > sizeof text_ - bytes_) return false;
    std::copy_n(from, bytes, text_ + bytes_);
    bytes_ += bytes;
    return true;
  }

 private:
  char text_[8] = {};
  std::size_t bytes_ = 0;
};
struct hosts_own {
  short_list numbers;
  short_string name;
  std::deque<int> queue;
};
TEST(containers_of_the_host, are_filled_until_they_refuse) {
  const std::string text = "{\"numbers\":[1,2,3],\"name\":\"a\\nb\",\"queue\":[4]}\n";
  paged<hosts_own, 64> objects;
  ASSERT_TRUE(text::read<text::json>(text, objects));
  EXPECT_EQ(written<text::json>(objects), text);
  EXPECT_EQ((code_of<text::json, hosts_own>(R"({"numbers":[1,2,3,4]})")), errc::out_of_memory);
  EXPECT_EQ((code_of<text::json, hosts_own>(R"({"name":"123456789"})")), errc::out_of_memory);
  EXPECT_EQ((code_of<text::json, hosts_own>(R"({"name":"12\n3456\n9"})")), errc::out_of_memory);
}

}  // namespace
}  // namespace overture

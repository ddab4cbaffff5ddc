// SPDX-License-Identifier: Zlib
//
// Assets of one file that differ by their part or their settings.
#include "overture/assets/asset_variant.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>

#include "assets/store_rig.hpp"
#include "overture/assets/asset_event.hpp"
#include "overture/assets/asset_group.hpp"
#include "overture/assets/part_loader.hpp"
#include "overture/load/load_record.hpp"
#include "overture/sync/barricade.hpp"

namespace overture::asset_variant_test {
namespace {

using namespace overture::literals;
using namespace overture::test;
using ::testing::AnyOf;
using ::testing::UnorderedElementsAre;

constexpr asset_store_config at_once{.reload_delay = std::chrono::nanoseconds(0)};

// --- Settings ------------------------------------------------------------------------------------

struct repeat_settings {
  std::uint32_t times = 1;
  std::uint32_t quoted = 0;
};
struct repeated {
  using settings = repeat_settings;
  std::string text;
};

class repeated_loader final : public loader<repeated> {
 public:
  result<repeated> decode(std::span<const std::byte> bytes, load_context& context) override {
    ++decoded;
    const auto how = context.settings<repeated>();
    repeated made;
    for (std::uint32_t i = 0; i < how.times; ++i) {
      made.text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    if (how.quoted != 0) made.text = "'" + made.text + "'";
    return made;
  }
  [[nodiscard]] bool free_threaded() const noexcept override { return true; }

  std::atomic<int> decoded{0};
};

struct settings_rig {
  settings_rig() {
    base.add("a.txt", "ha");
    base.mount();
  }
  store_rig base;
  repeated_loader repeats;
};

TEST(settings, make_an_asset_of_its_own_that_those_with_the_same_settings_share) {
  settings_rig rig;
  rigged_store store(rig.base);
  ASSERT_TRUE(store.add(rig.repeats));
  const auto get = [&](const asset_variant<repeated>& as) {
    asset<repeated> made = store.get<repeated>("a.txt"_path, asset_priority::normal, as);
    EXPECT_EQ(store.outcome(made), "ready");
    return made;
  };
  const asset<repeated> once = store.get<repeated>("a.txt"_path);
  const asset<repeated> twice = get({.settings = {.times = 2}});
  const asset<repeated> quoted = get({.settings = {.times = 2, .quoted = 1}});
  EXPECT_EQ(get({.settings = {.times = 2}}), twice);
  EXPECT_EQ(get({}), once);
  EXPECT_EQ(get({.settings = {.times = 1}}), once) << "the default ones";
  EXPECT_EQ(once->text, "ha");
  EXPECT_EQ(twice->text, "haha");
  EXPECT_EQ(quoted->text, "'haha'");
  EXPECT_EQ(rig.repeats.decoded, 3);
}

TEST(settings, are_told_by_handles_names_and_events) {
  settings_rig rig;
  rigged_store store(rig.base);
  ASSERT_TRUE(store.add(rig.repeats));
  const asset<repeated> once = store.get<repeated>("a.txt"_path);
  const asset<repeated> twice = store.get<repeated>("a.txt"_path, {.settings = {.times = 2}});
  const asset<repeated> soon =
      store.get<repeated>("a.txt", {.settings = {.times = 2}}, asset_priority::high);
  EXPECT_EQ(soon, twice);
  ASSERT_EQ(store.outcome(once), "ready");
  ASSERT_EQ(store.outcome(twice), "ready");
  const soft_asset<repeated> name = store.name<repeated>("a.txt", {.settings = {.times = 2}});
  EXPECT_EQ(name, soft_asset(twice));
  EXPECT_EQ(name.path().text, "a.txt");
  EXPECT_EQ(name.subject(), twice.subject());
  EXPECT_EQ(name.variant().settings.times, 2u);
  EXPECT_EQ(twice.variant().settings.times, 2u);
  EXPECT_EQ(once.variant().settings.times, 1u);
  std::map<std::uint32_t, std::uint32_t> told;  // the repeats, by number
  ASSERT_TRUE(store.take_events([&](const asset_event& event) {
    EXPECT_EQ(event.type, detail::type_name<repeated>());
    told[event.subject] = detail::settings_from<repeated>(event.settings).times;
  }));
  EXPECT_THAT(told,
              UnorderedElementsAre(std::pair(once.subject(), 1u), std::pair(twice.subject(), 2u)));
}

TEST(settings, are_named_where_they_alone_tell_assets_apart) {
  settings_rig rig;
  rigged_store store(rig.base);
  ASSERT_TRUE(store.add(rig.repeats));
  const asset<repeated> once = store.get<repeated>("b.txt"_path);
  ASSERT_EQ(store.outcome(once), "not_found");
  EXPECT_EQ(explained(store, once), "b.txt: no mount has this path");
  const asset<repeated> twice = store.get<repeated>("b.txt"_path, {.settings = {.times = 2}});
  ASSERT_EQ(store.outcome(twice), "not_found");
  EXPECT_EQ(explained(store, once), "b.txt (settings 0x01): no mount has this path");
  EXPECT_EQ(explained(store, twice), "b.txt (settings 0x02): no mount has this path");
  std::vector<std::string> known;
  ASSERT_TRUE(store.for_each_asset([&](const known_asset& each) {
    char text[20];
    known.emplace_back(text, settings_text(each.settings, text));
  }));
  EXPECT_THAT(known, UnorderedElementsAre("0x01", "0x02"));
}

TEST(settings, are_written_as_text_or_in_hex) {
  struct row {
    std::string settings;
    std::string text;
  };
  const row table[] = {
      {"", ""},
      {std::string("nearest\0\0\0", 10), "\"nearest\""},
      {std::string("\1\0\xAB\0\0", 5), "0x0100ab"},
      {std::string("\0\0\0\0", 4), "0x00"},
      {std::string("A\0\0\0", 4), "0x41"},
      {"far\n", "0x6661720a"},
  };
  for (const row& each : table) {
    char text[100];
    EXPECT_EQ(std::string(text, settings_text(each.settings, text)), each.text);
    EXPECT_EQ(settings_text(each.settings, std::span(text, 3)),
              std::min<std::size_t>(each.text.size(), 3));
  }
}

TEST(settings, stay_at_a_reload) {
  settings_rig rig;
  rigged_store store(rig.base, at_once);
  ASSERT_TRUE(store.add(rig.repeats));
  asset_group both(store);
  const asset<repeated> once = both.get<repeated>("a.txt"_path);
  const asset<repeated> twice = both.get<repeated>("a.txt", {.settings = {.times = 2}});
  ASSERT_TRUE(both.wait_for(hang));
  rig.base.add("a.txt", "ho");
  store.reload("a.txt");
  ASSERT_TRUE(pump_until(store, [&] { return once->text == "ho" && twice->text == "hoho"; }));
}

// --- Parts ---------------------------------------------------------------------------------------

// A file of lines "name value".
struct table {
  std::string text;
};
class table_loader final : public loader<table> {
 public:
  result<table> decode(std::span<const std::byte> bytes, load_context&) override {
    ++decoded;
    if (before_decode) before_decode();
    table made{{reinterpret_cast<const char*>(bytes.data()), bytes.size()}};
    if (made.text == "broken") return fail(errc::corrupt, "a broken table");
    return made;
  }
  [[nodiscard]] bool free_threaded() const noexcept override { return true; }
  [[nodiscard]] std::uint64_t stage_bytes(unsigned stage) const noexcept override {
    return stage == 0 ? first_stage : 0;
  }

  std::uint64_t first_stage = 0;
  std::atomic<int> decoded{0};
  std::function<void()> before_decode;
};

struct cell {
  std::string text;
};
class cell_loader final : public part_loader<cell, table> {
 public:
  result<cell> make(const table& whole, asset_context& context) override {
    ++made;
    const std::string name = std::string(context.part()) + " ";
    const std::size_t at = whole.text.find(name);
    if (at == std::string::npos) return fail(errc::not_found, "the table has no such line");
    const std::size_t begin = at + name.size();
    return cell{whole.text.substr(begin, whole.text.find('\n', begin) - begin)};
  }

  std::atomic<int> made{0};
};

// All cells that its file names.
struct page {
  std::vector<asset<cell>> cells;
};
class page_loader final : public loader<page> {
 public:
  result<page> decode(std::span<const std::byte>, load_context& context) override {
    page made;
    made.cells.push_back(context.need<cell>("table"_path, {.part = "one"}));
    made.cells.push_back(context.need<cell>("table", {.part = "two"}));
    return made;
  }
  [[nodiscard]] bool free_threaded() const noexcept override { return true; }
};

class a_part : public testing::Test {
 protected:
  a_part() {
    rig.add("table", "one 1\ntwo 2\n");
    rig.add("page", "");
    rig.mount();
  }
  void start(const asset_store_config& config = at_once) {
    store.emplace(rig, config);
    ASSERT_TRUE(store->add(tables));
    ASSERT_TRUE(store->add(cells));
    ASSERT_TRUE(store->add(pages));
  }
  asset<cell> get(std::string_view part) {
    return store->get<cell>("table"_path, asset_priority::normal, {.part = part});
  }

  store_rig rig;
  table_loader tables;
  cell_loader cells;
  page_loader pages;
  std::optional<rigged_store> store;
};

TEST_F(a_part, is_made_of_its_file_which_is_read_and_decoded_once) {
  start();
  const asset<cell> one = get("one");
  const asset<cell> two = get("two");
  const asset<cell> again = get(std::string("one"));
  ASSERT_EQ(store->outcome(one), "ready");
  ASSERT_EQ(store->outcome(two), "ready");
  EXPECT_EQ(one->text, "1");
  EXPECT_EQ(two->text, "2");
  EXPECT_EQ(again, one);
  EXPECT_EQ(tables.decoded, 1);
  load_record record;
  ASSERT_TRUE(store->record(record));
  EXPECT_EQ(record.size(), 1u) << "of files";
}

TEST_F(a_part, is_needed_as_any_other_asset) {
  start();
  const asset<page> all = store->get<page>("page"_path);
  ASSERT_EQ(store->outcome(all), "ready");
  EXPECT_EQ(all->cells[0]->text + all->cells[1]->text, "12");
}

TEST_F(a_part, that_is_not_in_its_file_says_so_with_its_name) {
  start();
  const asset<cell> none = get("three");
  ASSERT_EQ(store->outcome(none), "not_found");
  char text[200];
  const std::size_t length = store->explain(none, std::span(text));
  EXPECT_EQ(std::string_view(text, length), "table#three: the table has no such line");
  EXPECT_EQ(store->outcome(get("one")), "ready");
}

TEST_F(a_part, that_is_in_its_file_at_last_is_made_whatever_holds_the_file) {
  for (const bool holds_whole : {false, true}) {
    rig.add("table", "one 1\n");
    start({.keep_bytes = 0, .reload_delay = std::chrono::nanoseconds(0)});
    const asset<cell> none = get("three");
    const asset<table> whole = holds_whole ? store->get<table>("table"_path) : asset<table>();
    ASSERT_EQ(store->outcome(none), "not_found");
    rig.add("table", "one 1\nthree 3\n");
    store->reload("table");
    ASSERT_TRUE(pump_until(*store, [&] { return none.is_ready(); })) << holds_whole;
    EXPECT_EQ(none->text, "3");
  }
}

// A game may hold parts only.
TEST_F(a_part, keeps_its_value_and_says_why_while_its_file_can_not_be_loaded_again) {
  start();
  const asset<cell> one = get("one");
  ASSERT_EQ(store->outcome(one), "ready");
  EXPECT_TRUE(store->reload_status(one));
  const auto told = [&] {
    std::string all;
    EXPECT_TRUE(store->take_events([&](const asset_event& event) {
      all += std::string(event.part) + " " + to_string(event.kind) + "\n";
    }));
    return all;
  };
  (void)told();
  rig.add("table", "broken");
  store->reload("table");
  ASSERT_TRUE(pump_until(*store, [&] { return !store->reload_status(one); }));
  EXPECT_EQ(told(), " reload_failed\none reload_failed\n");
  EXPECT_EQ(store->reload_status(one).error().code, errc::corrupt);
  EXPECT_EQ(explained(*store, one), "table#one needs table: a broken table");
  EXPECT_EQ(one->text, "1");
  const asset<cell> two = get("two");  // of the old value, too
  ASSERT_EQ(store->outcome(two), "ready");
  EXPECT_EQ(told(), "two loaded\ntwo reload_failed\n");
  rig.add("table", "one 3\ntwo 4\n");
  store->reload("table");
  ASSERT_TRUE(pump_until(*store, [&] { return one->text == "3"; }));
  EXPECT_TRUE(store->reload_status(one));
  EXPECT_EQ(explained(*store, one), "");
  EXPECT_THAT(told(), ::testing::StartsWith(" reloaded\n"));
}

// And not of the old one first, which would tell that it has failed again.
TEST_F(a_part, that_failed_is_made_again_once_its_file_was_loaded_again) {
  rig.add("table", "one 1\n");
  start();
  const asset<cell> one = get("one");
  const asset<cell> none = get("three");
  ASSERT_EQ(store->outcome(one), "ready");
  ASSERT_EQ(store->outcome(none), "not_found");
  ASSERT_TRUE(store->take_events([](const asset_event&) {}));
  rig.add("table", "one 1\nthree 3\n");
  store->reload("table");
  ASSERT_TRUE(pump_until(*store, [&] { return none.is_ready() && one.version() == 2; }));
  EXPECT_EQ(cells.made, 4) << "two each time";
  ASSERT_TRUE(store->take_events([](const asset_event& event) {
    EXPECT_NE(event.kind, asset_event_kind::failed) << event.path.text;
  }));
}

TEST_F(a_part, that_is_not_in_the_first_stage_of_its_file_is_made_of_the_next) {
  const std::string first = "one 1\n";
  rig.add("table", first + "three 3\n");
  tables.first_stage = first.size();
  barricade gate{barricade::raised};
  tables.before_decode = [&] {
    if (tables.decoded == 2) gate.wait();
  };
  start();
  const asset<table> whole = store->get<table>("table"_path);
  const asset<cell> three = get("three");
  ASSERT_EQ(store->outcome(three), "not_found");
  gate.lower();
  ASSERT_TRUE(pump_until(*store, [&] { return three.is_ready(); }));
}

TEST(an_asset_without_a_file, is_made_again_by_a_reload_of_its_path) {
  struct counting final : loader<int> {
    result<int> decode(std::span<const std::byte> bytes, load_context&) override {
      EXPECT_TRUE(bytes.empty());
      return ++made;
    }
    [[nodiscard]] bool reads() const noexcept override { return false; }
    [[nodiscard]] bool dependent() const noexcept override { return depends; }
    std::atomic<int> made{0};
    bool depends = false;
  };
  for (const bool depends : {false, true}) {
    store_rig rig;
    rig.add("another", "");
    rig.mount();
    counting numbers;
    numbers.depends = depends;
    rigged_store store(rig, at_once);
    ASSERT_TRUE(store.add(numbers));
    const asset<int> one = store.get<int>("no file"_path);
    ASSERT_EQ(store.outcome(one), "ready");
    EXPECT_EQ(*one, 1);
    store.reload("no file");
    ASSERT_TRUE(pump_until(store, [&] { return *one == 2; })) << depends;
  }
}

TEST_F(a_part, fails_with_its_file) {
  rig.add("table", "broken");
  start();
  const asset<cell> one = get("one");
  ASSERT_EQ(store->outcome(one), "corrupt");
  char text[200];
  const std::size_t length = store->explain(one, std::span(text));
  EXPECT_EQ(std::string_view(text, length), "table#one needs table: a broken table");
  rig.add("table", "one 1");
  store->reload("table");
  ASSERT_TRUE(pump_until(*store, [&] { return one.is_ready(); }));
}

TEST_F(a_part, of_an_empty_name_is_told_from_its_file_by_the_type) {
  start();
  const asset<cell> one = store->get<cell>("none"_path);
  ASSERT_EQ(store->outcome(one), "not_found");
  EXPECT_EQ(explained(*store, one), "none (" + std::string(detail::type_name<cell>()) +
                                        ") needs none (" + std::string(detail::type_name<table>()) +
                                        "): no mount has this path");
}

TEST_F(a_part, is_named_as_what_waits_and_as_what_holds) {
  start();
  std::atomic<bool> is_blocked{true};
  tables.before_decode = [&] {
    while (is_blocked) std::this_thread::yield();
  };
  const asset<page> all = store->get<page>("page"_path);
  ASSERT_TRUE(pump_until(*store, [&] { return all.state() == asset_state::needing; }));
  std::string waits;
  ASSERT_TRUE(store->for_each_unsettled([&](const unsettled_asset& each) {
    if (each.path.text == "page") waits = each.needs_part;
  }));
  EXPECT_THAT(waits, AnyOf("one", "two"));
  is_blocked = false;
  ASSERT_EQ(store->outcome(all), "ready");
  ASSERT_TRUE(store->for_each_asset([&](const known_asset& each) {
    if (each.part == "one") {
      EXPECT_EQ(each.holder_subject, all.subject());
    }
    if (each.type == detail::type_name<table>()) {
      EXPECT_THAT(each.holder_part, AnyOf("one", "two"));
    }
  }));
}

TEST_F(a_part, is_made_again_after_its_file) {
  start();
  const asset<cell> one = get("one");
  const asset<cell> two = get("two");
  ASSERT_EQ(store->outcome(one), "ready");
  ASSERT_EQ(store->outcome(two), "ready");
  rig.add("table", "one 3\ntwo 4\n");
  store->reload("table");
  ASSERT_TRUE(pump_until(*store, [&] { return one->text == "3" && two->text == "4"; }));
  EXPECT_EQ(tables.decoded, 2);
  EXPECT_EQ(cells.made, 4);
}

TEST_F(a_part, goes_with_its_file_once_nothing_holds_it) {
  start({.keep_bytes = 0});
  asset<cell> one = get("one");
  ASSERT_EQ(store->outcome(one), "ready");
  one = {};
  const auto nothing_is_held = [&] {
    return store->progress().asked == 0 && store->progress().held_bytes == 0;
  };
  ASSERT_TRUE(pump_until(*store, nothing_is_held));
  EXPECT_EQ(store->outcome(get("one")), "ready");
  EXPECT_EQ(tables.decoded, 2);
}

TEST_F(a_part, is_named_in_all_that_the_store_tells) {
  start();
  const asset<cell> one = get("one");
  ASSERT_EQ(store->outcome(one), "ready");
  std::vector<std::string> known;
  std::vector<std::string> names;
  ASSERT_TRUE(store->for_each_asset([&](const known_asset& each) {
    known.push_back(std::string(each.path.text) + "|" + std::string(each.part));
    char text[100];
    names.emplace_back(text, store->subject_name(each.subject, std::span(text)));
  }));
  EXPECT_THAT(known, UnorderedElementsAre("table|", "table|one"));
  EXPECT_THAT(names, UnorderedElementsAre("table", "table#one"));
  std::vector<std::string> told;
  ASSERT_TRUE(store->take_events([&](const asset_event& event) { told.emplace_back(event.part); }));
  EXPECT_THAT(told, UnorderedElementsAre("", "one"));
}

TEST_F(a_part, has_a_name_that_keeps_nothing) {
  start();
  const asset<cell> one = get("one");
  ASSERT_EQ(store->outcome(one), "ready");
  const soft_asset<cell> name(one);
  EXPECT_EQ(store->get_if_ready(name), one);
  EXPECT_EQ(name.variant().part, "one");
  EXPECT_EQ(one.variant().part, "one");
  const soft_asset<cell> other = store->name<cell>("table"_path, {.part = "two"});
  EXPECT_EQ(other.variant().part, "two");
  EXPECT_EQ(cells.made, 1) << "a name loads nothing";
}

}  // namespace
}  // namespace overture::asset_variant_test

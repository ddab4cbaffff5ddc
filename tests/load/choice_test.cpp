// SPDX-License-Identifier: Zlib
//
// load_scope over a choice: lists, globs, functions, and the order in which files begin.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "load/load_rig.hpp"
#include "support/failing_allocator.hpp"
#include "support/table_writer.hpp"

namespace overture::choice_test {
namespace {

using namespace literals;
using test::counting_sink;
using test::fake_os;
using test::finish;
using test::load_rig;
using test::outcomes;
using ::testing::ElementsAre;

using outcome_map = std::map<std::string, std::string>;

// Files a to f, each in the page cache, without workers: they are loaded as they begin.
class a_choice : public ::testing::Test {
 protected:
  a_choice() {
    for (const char* name : {"a", "b", "c", "maps/d", "maps/e", "maps/f"}) {
      os_.add_file(std::string("/game/") + name, name);
    }
    os_.set_cached(true);
    rig_.mount({"/game"});
  }
  // The paths in the order in which they were loaded.
  std::vector<std::string> order() const {
    std::vector<std::string> paths;
    for (const entry_index each : sink_.order_) paths.emplace_back(rig_.files.entry(each).path);
    return paths;
  }
  load_options with(load_choice choice) { return {.choice = choice, .sink = &sink_}; }

  fake_os os_;
  load_rig rig_{os_, {.workers = 0}};
  counting_sink sink_;
};

TEST_F(a_choice, of_entries_loads_these_in_their_order) {
  const std::array<entry_index, 3> list{4, 0, 2};
  load_scope scope(rig_.files, rig_.reads, rig_.jobs, with(list));
  ASSERT_TRUE(scope.start());
  EXPECT_EQ(scope.progress().files_total, 3u);
  finish(scope);
  EXPECT_EQ(sink_.order_, (std::vector<entry_index>{4, 0, 2}));
  EXPECT_EQ(scope.progress().fraction, 1.0);
  EXPECT_EQ(scope.state_of(4), file_state::ready);
  EXPECT_EQ(scope.state_of(1), file_state::none);
  EXPECT_EQ(scope.state_of(600), file_state::none);
}

TEST_F(a_choice, of_paths_has_a_missing_one_as_that_files_failure) {
  const std::vector<asset_path> list{"maps/f"_path, "maps/missing"_path, "a"_path};
  load_scope scope(rig_.files, rig_.reads, rig_.jobs, with(list));
  ASSERT_TRUE(scope.start());
  finish(scope);
  EXPECT_THAT(order(), ElementsAre("maps/f", "a"));
  EXPECT_EQ(outcomes(rig_, scope),
            (outcome_map{{"a", "ok"}, {"maps/f", "ok"}, {"maps/missing", "resolve: not_found"}}));
  int failures = 0;
  scope.for_each_file([&](const loaded_file& file) {
    if (!file.failure) return;
    ++failures;
    EXPECT_EQ(file.entry, no_entry);
    EXPECT_EQ(file.failure->path, "maps/missing"_path.id);
  });
  EXPECT_EQ(failures, 1);
  EXPECT_EQ(scope.summary().failed, 1u);
  EXPECT_EQ(scope.summary().files, 2u);
  EXPECT_EQ(scope.progress().files_done, 3u);
}

TEST_F(a_choice, of_paths_says_that_one_is_a_folder) {
  const std::array<asset_path, 2> list{"maps"_path, "a"_path};
  load_scope scope(rig_.files, rig_.reads, rig_.jobs, with(list));
  ASSERT_TRUE(scope.start());
  finish(scope);
  EXPECT_EQ(outcomes(rig_, scope), (outcome_map{{"a", "ok"}, {"maps", "resolve: not_a_file"}}));
}

TEST_F(a_choice, of_entries_that_are_not_there_fails_for_these) {
  const std::array<entry_index, 2> list{600, 1};
  load_scope scope(rig_.files, rig_.reads, rig_.jobs, with(list));
  ASSERT_TRUE(scope.start());
  finish(scope);
  EXPECT_EQ(outcomes(rig_, scope), (outcome_map{{"", "resolve: not_found"}, {"b", "ok"}}));
}

TEST_F(a_choice, with_only_missing_files_ends) {
  const std::array<asset_path, 2> list{"x"_path, "y"_path};
  load_scope scope(rig_.files, rig_.reads, rig_.jobs, with(list));
  ASSERT_TRUE(scope.start());
  finish(scope);
  EXPECT_EQ(scope.summary().failed, 2u);
  EXPECT_EQ(scope.state_of(0), file_state::none);
}

TEST_F(a_choice, that_is_an_empty_list_is_not_the_whole_tree) {
  for (const load_choice& none :
       {load_choice(std::vector<asset_path>()), load_choice(std::vector<entry_index>())}) {
    load_scope scope(rig_.files, rig_.reads, rig_.jobs, with(none));
    ASSERT_TRUE(scope.start());
    finish(scope);
    EXPECT_EQ(scope.progress().files_total, 0u);
  }
  EXPECT_EQ(sink_.calls_, 0);
}

TEST_F(a_choice, loads_once_what_it_has_twice) {
  const std::vector<asset_path> list{"b"_path, "a"_path, "b"_path, "a"_path};
  load_scope scope(rig_.files, rig_.reads, rig_.jobs, with(list));
  ASSERT_TRUE(scope.start());
  EXPECT_EQ(scope.progress().files_total, 2u);
  finish(scope);
  EXPECT_THAT(order(), ElementsAre("b", "a"));
  EXPECT_EQ(scope.state_of(0), file_state::ready);
  EXPECT_EQ(scope.state_of(1), file_state::ready);
}

TEST_F(a_choice, by_patterns_loads_what_matches_one) {
  const std::array<std::string_view, 2> only{"maps/e", "c"};
  load_scope scope(rig_.files, rig_.reads, rig_.jobs, {.only = only, .sink = &sink_});
  ASSERT_TRUE(scope.start());
  finish(scope);
  EXPECT_THAT(order(), ElementsAre("c", "maps/e"));
  EXPECT_EQ(scope.state_of(4), file_state::ready);
  EXPECT_EQ(scope.state_of(3), file_state::none);
  EXPECT_EQ(scope.summary().skipped, 0u);
}

TEST_F(a_choice, by_a_function_begins_with_files_of_high_priority_and_ends_with_those_of_low) {
  load_scope scope(rig_.files, rig_.reads, rig_.jobs, {.sink = &sink_});
  int calls = 0;
  ASSERT_TRUE(scope.start([&](const entry_info& file) {
    ++calls;
    if (file.path == "b") return load_priority::none;
    if (file.path == "a") return load_priority::low;
    return file.path.starts_with("maps/") ? load_priority::high : load_priority::normal;
  }));
  finish(scope);
  EXPECT_EQ(calls, 6);
  EXPECT_THAT(order(), ElementsAre("maps/d", "maps/e", "maps/f", "c", "a"));
}

TEST_F(a_choice, by_a_function_applies_to_a_list_too) {
  const std::vector<asset_path> list{"c"_path, "x"_path, "b"_path, "a"_path};
  load_scope scope(rig_.files, rig_.reads, rig_.jobs, with(list));
  ASSERT_TRUE(scope.start([&](const entry_info& file) {
    return file.path == "b" ? load_priority::none
                            : (file.path == "a" ? load_priority::high : load_priority::normal);
  }));
  finish(scope);
  EXPECT_THAT(order(), ElementsAre("a", "c"));
  EXPECT_EQ(outcomes(rig_, scope),
            (outcome_map{{"a", "ok"}, {"c", "ok"}, {"x", "resolve: not_found"}}));
  EXPECT_EQ(scope.state_of(1), file_state::none);
}

TEST_F(a_choice, does_not_begin_if_its_function_throws) {
  load_scope scope(rig_.files, rig_.reads, rig_.jobs, {.sink = &sink_});
  const auto throws = [](const entry_info&) -> load_priority { throw std::runtime_error("no"); };
  EXPECT_EQ(scope.start(throws).error().code, errc::threw);
  EXPECT_TRUE(scope.done());
  ASSERT_TRUE(scope.start());
  finish(scope);
  EXPECT_EQ(sink_.calls_, 6);
}

TEST_F(a_choice, has_a_priority_itself) {
  load_scope scope(rig_.files, rig_.reads, rig_.jobs, {.priority = load_priority::none});
  EXPECT_EQ(scope.start().error().code, errc::invalid);
}

TEST(a_choice_of_a_file_with_two_paths, loads_it_once_under_one_of_these) {
  const std::vector<table_file> lumps{{.name = "MAP01"}, {.name = "THINGS", .data = "first"}};
  fake_os os;
  os.add_file("/maps.wad", write_table(mount_format::wad, lumps));
  load_rig rig(os, {.workers = 0});
  rig.mount({"/maps.wad"});
  const std::vector<std::vector<asset_path>> lists{
      {"THINGS"_path}, {"maps/MAP01/THINGS"_path}, {"THINGS"_path, "maps/MAP01/THINGS"_path}};
  for (const std::vector<asset_path>& list : lists) {
    counting_sink sink;
    load_scope scope(rig.files, rig.reads, rig.jobs, {.choice = list, .sink = &sink});
    ASSERT_TRUE(scope.start());
    finish(scope);
    EXPECT_EQ(sink.calls_, 1);
    EXPECT_EQ(outcomes(rig, scope), (outcome_map{{std::string(list.back().text), "ok"}}));
    for (const asset_path& each : list) {
      EXPECT_EQ(scope.state_of(*rig.files.find(each)), file_state::ready);
    }
  }
}

TEST(a_choice_without_memory, does_not_start_and_leaves_nothing) {
  fake_os os;
  os.add_file("/game/a", "a");
  os.add_file("/game/b", "b");
  os.set_cached(true);
  load_rig rig(os, {.workers = 0});
  rig.mount({"/game"});
  const std::array<asset_path, 3> list{"b"_path, "x"_path, "a"_path};
  bool started = false;
  for (std::uint64_t refused = 0; !started; ++refused) {
    ASSERT_LT(refused, 100u);
    failing_allocator memory(refused);
    {
      load_scope scope(rig.files, rig.reads, rig.jobs, {.choice = list, .memory = &memory});
      const result<void> begun = scope.start();
      started = begun.has_value();
      if (!started) {
        EXPECT_EQ(begun.error().code, errc::out_of_memory);
      }
      finish(scope);
    }
    EXPECT_EQ(memory.live_bytes(), 0);
  }
}

}  // namespace
}  // namespace overture::choice_test

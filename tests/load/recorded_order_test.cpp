// SPDX-License-Identifier: Zlib
#include "load/recorded_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "load/load_rig.hpp"
#include "overture/load/load_record.hpp"

namespace overture::recorded_order_test {
namespace {

using ::testing::ElementsAre;
using namespace test;

std::vector<std::string> paths_of(const load_record& record) {
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < record.size(); ++i) paths.emplace_back(record[i].path);
  return paths;
}

// The order in which the files of a load with one thread get to the host.
class order_sink final : public asset_sink {
 public:
  explicit order_sink(const file_system& files) : files_(files) {}
  result<void> finalize(entry_index entry, decoded_asset&, std::span<const std::byte>) override {
    seen.emplace_back(files_.entry(entry).path);
    return {};
  }
  std::vector<std::string> seen;

 private:
  const file_system& files_;
};

struct recorded_load {
  recorded_load() : rig(os, {.workers = 0, .io_threads = 1}) {
    os.set_cached(true);
    for (const char* path : {"a.bin", "b.bin", "c.bin", "d.bin"}) {
      os.add_file(std::string("/game/") + path, "content");
    }
    rig.mount({"/game"});
  }
  // Loads with a record; returns the order.
  std::vector<std::string> order(const load_record* record) {
    order_sink sink(rig.files);
    load_scope scope(rig.files, rig.reads, rig.jobs, {.sink = &sink, .recorded = record});
    EXPECT_TRUE(scope.start());
    finish(scope);
    noted = load_record();
    EXPECT_TRUE(noted.add(scope));
    return sink.seen;
  }

  fake_os os;
  load_rig rig;
  load_record noted;
};

TEST(recorded_load, begins_with_what_the_record_has_in_its_order) {
  recorded_load game;
  EXPECT_THAT(game.order(nullptr), ElementsAre("a.bin", "b.bin", "c.bin", "d.bin"));
  load_record record;
  for (const char* path : {"d.bin", "gone.bin", "b.bin", "d.bin"}) {
    ASSERT_TRUE(record.add({path, 5, 7}));
  }
  EXPECT_THAT(game.order(&record), ElementsAre("d.bin", "b.bin", "a.bin", "c.bin"));
}

TEST(recorded_load, keeps_what_is_more_urgent_in_front) {
  recorded_load game;
  load_record record;
  for (const char* path : {"d.bin", "c.bin"}) ASSERT_TRUE(record.add({path, 5, 7}));
  order_sink sink(game.rig.files);
  load_scope scope(game.rig.files, game.rig.reads, game.rig.jobs,
                   {.sink = &sink, .recorded = &record});
  ASSERT_TRUE(scope.start([](const entry_info& file) {
    return file.path == "b.bin" || file.path == "c.bin" ? load_priority::high
                                                        : load_priority::normal;
  }));
  finish(scope);
  EXPECT_THAT(sink.seen, ElementsAre("c.bin", "b.bin", "d.bin", "a.bin"));
}

TEST(recorded_load, leaves_a_choice_as_small_as_it_is) {
  using namespace literals;
  recorded_load game;
  load_record record;
  for (const char* path : {"d.bin", "c.bin"}) ASSERT_TRUE(record.add({path, 5, 7}));
  order_sink sink(game.rig.files);
  const asset_path choice[] = {"a.bin"_path, "c.bin"_path};
  load_scope scope(game.rig.files, game.rig.reads, game.rig.jobs,
                   {.choice = choice, .sink = &sink, .recorded = &record});
  ASSERT_TRUE(scope.start());
  finish(scope);
  EXPECT_THAT(sink.seen, ElementsAre("c.bin", "a.bin"));
}

TEST(recorded_load, is_noted_in_the_order_in_which_files_began) {
  recorded_load game;
  load_record record;
  ASSERT_TRUE(record.add({"c.bin", 5, 7}));
  (void)game.order(&record);
  EXPECT_THAT(paths_of(game.noted), ElementsAre("c.bin", "a.bin", "b.bin", "d.bin"));
  EXPECT_EQ(game.noted[0].bytes, std::string("content").size());
  // And again.
  load_record again = std::move(game.noted);
  EXPECT_THAT(game.order(&again), ElementsAre("c.bin", "a.bin", "b.bin", "d.bin"));
}

TEST(recorded_load, notes_only_files_that_have_loaded) {
  recorded_load game;
  game.os.remove("/game/b.bin");
  (void)game.order(nullptr);
  EXPECT_THAT(paths_of(game.noted), ElementsAre("a.bin", "c.bin", "d.bin"));
}

TEST(recorded_load, weighs_its_progress_by_the_known_costs) {
  recorded_load game;
  load_record record;
  ASSERT_TRUE(record.add({"d.bin", 1'000'000, 7}));  // first, and all but the whole load
  for (const char* path : {"a.bin", "b.bin", "c.bin"}) ASSERT_TRUE(record.add({path, 1, 7}));
  class watching_sink final : public asset_sink {
   public:
    result<void> finalize(entry_index, decoded_asset&, std::span<const std::byte>) override {
      fractions.push_back(scope->progress().fraction);
      return {};
    }
    [[nodiscard]] bool one_thread() const noexcept override { return true; }
    const load_scope* scope = nullptr;
    std::vector<double> fractions;
  } sink;
  load_scope scope(game.rig.files, game.rig.reads, game.rig.jobs,
                   {.files_in_flight_max = 1, .sink = &sink, .recorded = &record});
  sink.scope = &scope;
  ASSERT_TRUE(scope.start());
  finish(scope);
  ASSERT_EQ(sink.fractions.size(), 4u);
  EXPECT_LT(sink.fractions[0], 0.01);
  EXPECT_GT(sink.fractions[1], 0.9);
  EXPECT_TRUE(std::is_sorted(sink.fractions.begin(), sink.fractions.end()));
  EXPECT_EQ(scope.progress().fraction, 1.0);
}

TEST(recorded_load, survives_costs_that_cannot_be) {
  recorded_load game;
  load_record record;
  for (const char* path : {"a.bin", "b.bin", "c.bin"}) {
    ASSERT_TRUE(record.add({path, UINT64_MAX, UINT64_MAX}));
  }
  EXPECT_EQ(game.order(&record).size(), 4u);
}

}  // namespace
}  // namespace overture::recorded_order_test

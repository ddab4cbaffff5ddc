// SPDX-License-Identifier: Zlib
//
// asset_store: what is in memory at once. The assets count themselves, in MiB that they only claim.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <sstream>
#include <string>
#include <thread>

#include "assets/store_rig.hpp"
#include "overture/sync/memory_ledger.hpp"

namespace overture::memory_test {
namespace {

using namespace std::chrono_literals;
using namespace overture::literals;
using test::store_rig;

constexpr std::uint64_t mib = 1u << 20;

// Of all that is alive.
struct tally {
  std::atomic<std::uint64_t> now{0};
  std::atomic<std::uint64_t> peak{0};
  std::atomic<int> decodes{0};

  void add(std::uint64_t size) {
    const std::uint64_t sum = now += size;
    std::uint64_t most = peak;
    while (sum > most && !peak.compare_exchange_weak(most, sum)) {
    }
  }
};

class claim {
 public:
  claim(tally& of, std::uint64_t size) : of_(&of), size_(size) { of.add(size); }
  claim(claim&& other) noexcept : of_(std::exchange(other.of_, nullptr)), size_(other.size_) {}
  claim& operator=(claim&&) = delete;
  claim(const claim&) = delete;
  claim& operator=(const claim&) = delete;
  ~claim() {
    if (of_ != nullptr) of_->now -= size_;
  }
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  tally* of_;
  std::uint64_t size_;
};

// A file has a number, which is the size of its part in MiB.
struct part {
  claim memory;
};

class part_loader final : public loader<part> {
 public:
  explicit part_loader(tally& to) : tally_(to) {}

  result<part> decode(std::span<const std::byte> bytes, load_context&) override {
    ++tally_.decodes;
    if (size_in(bytes) == stuck) gate.wait();
    return part{claim(tally_, size_in(bytes))};
  }
  std::uint64_t memory_needed(const asset_path&,
                              std::span<const std::byte> bytes) const noexcept override {
    ++reads;
    return states ? size_in(bytes) * mib : 0;
  }
  bool free_threaded() const noexcept override { return is_free; }
  std::uint64_t bytes_of(const part& one) const noexcept override {
    return one.memory.size() * mib;
  }

  bool is_free = false;
  bool states = true;
  std::uint64_t stuck = 0;  // parts of this size wait for the gate
  barricade gate{barricade::raised};
  mutable std::atomic<int> reads{0};

 private:
  static std::uint64_t size_in(std::span<const std::byte> bytes) noexcept {
    std::uint64_t size = 0;
    for (const std::byte each : bytes) size = size * 10 + (std::to_integer<unsigned>(each) - '0');
    return size;
  }

  tally& tally_;
};

// A file has a line for each asset that a level needs: a part, or another level with '@' before it,
// or a size of its own with '='.
struct level {
  claim memory;
  std::vector<asset<part>> parts;
  std::vector<asset<level>> levels;
};

class level_loader final : public loader<level> {
 public:
  explicit level_loader(tally& to) : tally_(to) {}

  result<level> decode(std::span<const std::byte> bytes, load_context& context) override {
    std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    std::uint64_t own = 0;
    std::vector<asset<part>> parts;
    std::vector<asset<level>> levels;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with('=')) {
        own = std::stoul(line.substr(1));
      } else if (line.starts_with('@')) {
        levels.push_back(context.need<level>(line.substr(1)));
      } else {
        parts.push_back(context.need<part>(line));
      }
    }
    return level{claim(tally_, own), std::move(parts), std::move(levels)};
  }
  bool free_threaded() const noexcept override { return is_free; }
  std::uint64_t bytes_of(const level& one) const noexcept override {
    return one.memory.size() * mib;
  }

  bool is_free = false;

 private:
  tally& tally_;
};

struct memory_rig : store_rig {
  tally sum;
  part_loader parts{sum};
  level_loader levels{sum};

  explicit memory_rig(const test::rig_options& options = {}) : store_rig(options) {}

  // A level of so many parts of this size.
  void add_level(const std::string& name, int count, int size = 1) {
    std::string lines;
    for (int i = 0; i < count; ++i) {
      const std::string path = name + ".d/" + std::to_string(i);
      add(path, std::to_string(size));
      lines += path + "\n";
    }
    add(name, lines);
  }
};

struct memory_store : asset_store {
  memory_store(memory_rig& with, const asset_store_config& config)
      : asset_store(with.engine.files, with.engine.reads, with.engine.jobs, config), rig(with) {
    if (!add(rig.parts) || !add(rig.levels)) throw std::runtime_error("a loader was not added");
  }
  template <class T>
  bool is_ready(const asset<T>& one) {
    return wait_for(one, test::hang) && one.is_ready();
  }
  // Runs all that can run without pump(), for a pool without workers.
  void run_jobs() {
    for (bool moves = true; moves;) {
      while (rig.engine.jobs.try_help()) {
      }
      moves = false;
      (void)for_each_unsettled([&](const unsettled_asset& one) {
        const bool stands = std::string_view(one.what) == "room in the budget";
        moves |=
            one.state == asset_state::reading || (one.state == asset_state::decoding && !stands);
      });
      std::this_thread::yield();
    }
  }

  memory_rig& rig;
};

TEST(asset_memory, of_a_level_that_is_dropped_is_there_for_the_next) {
  for (const unsigned workers : {0u, 1u, 3u}) {
    for (const bool free_parts : {false, true}) {
      for (const bool free_levels : {false, true}) {
        SCOPED_TRACE(testing::Message() << workers << free_parts << free_levels);
        memory_rig rig({.workers = workers});
        rig.parts.is_free = free_parts;
        rig.levels.is_free = free_levels;
        rig.add_level("a", 200);
        rig.add_level("b", 200);
        rig.mount();
        memory_store store(rig, {.keep_bytes = 0, .budget_bytes = 16 * mib});
        asset<level> now = store.get<level>("a"_path);
        ASSERT_TRUE(store.is_ready(now));
        EXPECT_EQ(rig.sum.now, 200u);
        now = {};
        now = store.get<level>("b"_path);
        ASSERT_TRUE(store.is_ready(now));
        EXPECT_LE(rig.sum.peak, 200u + 16u);
        EXPECT_EQ(rig.sum.now, 200u);
        EXPECT_EQ(store.progress().held_bytes, 200 * mib);
      }
    }
  }
}

TEST(asset_memory, nothing_begins_before_what_was_dropped_is_unloaded_except_what_is_urgent) {
  memory_rig rig({.workers = 0});
  rig.parts.is_free = true;
  rig.add_level("a", 20);
  rig.add_level("b", 20);
  rig.add("urgent", "1");
  rig.mount();
  memory_store store(rig, {.keep_bytes = 0, .budget_bytes = 16 * mib, .background_threads = 0});
  asset<level> now = store.get<level>("a"_path);
  ASSERT_TRUE(store.is_ready(now));
  now = {};
  now = store.get<level>("b"_path);
  store.run_jobs();
  EXPECT_EQ(rig.sum.decodes, 20) << "level a waits for pump() to be unloaded";
  EXPECT_EQ(store.progress().waiting_bytes, 20 * mib);
  const asset<part> urgent = store.get<part>("urgent"_path, asset_priority::high);
  store.run_jobs();
  EXPECT_TRUE(urgent.is_ready());
  EXPECT_EQ(now.state(), asset_state::queued);
  ASSERT_TRUE(store.is_ready(now));
}

TEST(asset_memory, what_a_dropped_level_still_waited_for_is_not_decoded) {
  for (const bool free_levels : {false, true}) {
    memory_rig rig({.workers = 0});
    rig.parts.is_free = true;
    rig.levels.is_free = free_levels;
    rig.add_level("a", 1000);
    rig.mount();
    memory_store store(rig, {.keep_bytes = 0, .background_threads = 0});
    asset<level> now = store.get<level>("a"_path);
    while (rig.sum.decodes < 20) store.pump(1ns);
    now = {};
    store.run_jobs();  // though it never pumps again
    EXPECT_LE(rig.sum.decodes, 20 + 1);
    EXPECT_EQ(rig.sum.now, 0u);
    EXPECT_EQ(store.progress().asked, 0u);
  }
}

TEST(asset_memory, is_bounded_while_the_program_does_not_pump) {
  for (const bool states : {true, false}) {
    memory_rig rig({.workers = 0});
    rig.parts.states = states;
    for (int i = 0; i < 100; ++i) rig.add(std::to_string(i), "4");
    rig.mount();
    memory_store store(rig, {.budget_bytes = 40 * mib, .background_threads = 0});
    std::vector<asset<part>> all;
    for (int i = 0; i < 100; ++i) all.push_back(store.get<part>(std::to_string(i)));
    store.run_jobs();
    EXPECT_GE(rig.sum.now, 20u);
    EXPECT_LE(rig.sum.peak, 30u) << "three quarters: the last is for what is urgent";
    EXPECT_GE(store.progress().waiting_bytes, rig.sum.now * mib);
    for (const asset<part>& each : all) ASSERT_TRUE(store.is_ready(each));
    EXPECT_LE(rig.sum.peak, 400u);
    EXPECT_EQ(store.progress().waiting_bytes, 0u);
    EXPECT_LE(rig.sum.decodes, 100) << "none twice";
  }
}

TEST(asset_memory, of_a_pile_that_waits_for_pump_is_freed_once_at_the_end) {
  for (int round = 0; round < 5; ++round) {
    memory_rig rig({.workers = 2});
    for (int i = 0; i < 500; ++i) rig.add(std::to_string(i), "4");
    rig.mount();
    {
      memory_store store(rig, {.budget_bytes = 2000 * mib});
      std::vector<asset<part>> all;
      for (int i = 0; i < 500; ++i) all.push_back(store.get<part>(std::to_string(i)));
      while (store.progress().for_pump < 300) std::this_thread::yield();
    }
    EXPECT_EQ(rig.sum.now, 0u);
  }
}

TEST(asset_memory, of_what_no_loader_states_is_counted_afterwards) {
  memory_rig rig({.workers = 3});
  rig.parts.states = false;
  for (int i = 0; i < 100; ++i) rig.add(std::to_string(i), "4");
  rig.mount();
  memory_store store(rig, {.budget_bytes = 40 * mib});
  std::vector<asset<part>> all;
  for (int i = 0; i < 100; ++i) all.push_back(store.get<part>(std::to_string(i)));
  while (store.progress().waiting_bytes < 20 * mib) std::this_thread::yield();
  EXPECT_LE(rig.sum.now, 40u + 3 * 4u) << "one for each thread on top";
  for (const asset<part>& each : all) ASSERT_TRUE(store.is_ready(each));
}

TEST(asset_memory, an_asset_larger_than_the_budget_goes_alone) {
  memory_rig rig({.workers = 2});
  for (int i = 0; i < 40; ++i) rig.add(std::to_string(i), i % 10 == 3 ? "50" : "1");
  rig.mount();
  memory_store store(rig, {.keep_bytes = 0, .budget_bytes = 8 * mib});
  std::vector<asset<part>> all;
  for (int i = 0; i < 40; ++i) all.push_back(store.get<part>(std::to_string(i)));
  for (asset<part>& each : all) {
    ASSERT_TRUE(store.is_ready(each));
    each = {};
  }
  EXPECT_LE(rig.sum.peak, 40 * 1u + 4 * 50u);
  // Nothing is held beside it now: the budget and that one asset.
  rig.sum.peak = 0;
  rig.parts.reads = 0;
  while (store.progress().waiting_bytes > 0 || rig.sum.now > 0) store.pump(1ms);
  for (asset<part>& each : all) each = store.get<part>("3"_path);
  ASSERT_TRUE(store.is_ready(all[0]));
  EXPECT_EQ(rig.sum.peak, 50u);
  EXPECT_EQ(rig.parts.reads, 1) << "it is not read in vain";
}

TEST(asset_memory, what_is_urgent_is_not_stuck_behind_a_pile) {
  for (const char* size : {"1", "100"}) {
    for (const auto priority :
         {asset_priority::background, asset_priority::low, asset_priority::normal}) {
      memory_rig rig({.workers = 0});
      rig.levels.is_free = true;
      for (int i = 0; i < 100; ++i) rig.add(std::to_string(i), "2");
      rig.add("urgent.part", size);
      rig.add("urgent", std::string("=") + size);
      rig.mount();
      memory_store store(rig, {.budget_bytes = 16 * mib, .background_threads = 0});
      std::vector<asset<part>> pile;
      for (int i = 0; i < 100; ++i) {
        pile.push_back(store.get<part>(std::to_string(i), priority));
      }
      store.run_jobs();
      ASSERT_GT(store.progress().for_pump, 0u);
      const asset<level> urgent = store.get<level>("urgent"_path, asset_priority::high);
      store.run_jobs();
      EXPECT_TRUE(urgent.is_ready()) << "no pump() is needed for it";
    }
  }
}

TEST(asset_memory, a_raised_asset_leaves_the_pile) {
  memory_rig rig({.workers = 0});
  rig.levels.is_free = true;
  for (int i = 0; i < 100; ++i) rig.add(std::to_string(i), "2");
  rig.add("late", "=1");
  rig.mount();
  memory_store store(rig, {.budget_bytes = 16 * mib, .background_threads = 0});
  std::vector<asset<part>> pile;
  for (int i = 0; i < 100; ++i) pile.push_back(store.get<part>(std::to_string(i)));
  const asset<level> late = store.get<level>("late"_path);
  store.run_jobs();
  ASSERT_EQ(late.state(), asset_state::queued);
  store.raise(late, asset_priority::high);
  store.run_jobs();
  EXPECT_TRUE(late.is_ready());
}

// Each parent is as large as the budget, and waits for what its children need.
TEST(asset_memory, what_others_wait_for_goes_on_though_they_have_all_the_room) {
  for (const std::uint64_t budget : {std::uint64_t{1}, 8 * mib, 1024 * mib}) {
    for (const unsigned workers : {0u, 2u}) {
      memory_rig rig({.workers = workers});
      std::vector<std::string> names;
      for (int i = 0; i < 10; ++i) {
        const std::string name = std::to_string(i);
        names.push_back("parent" + name);
        rig.add("parent" + name, "=8\n@child" + name + "\n@child" + std::to_string((i + 1) % 10));
        rig.add("child" + name, "=8\n@grandchild" + name);
        rig.add("grandchild" + name, "=8\npart" + name);
        rig.add("part" + name, "8");
      }
      rig.mount();
      memory_store store(rig, {.keep_bytes = 0, .budget_bytes = budget, .background_threads = 0});
      std::vector<asset<level>> all;
      for (const std::string& name : names) all.push_back(store.get<level>(name));
      for (const asset<level>& each : all) ASSERT_TRUE(store.is_ready(each));
      EXPECT_EQ(rig.sum.now, 10 * 4 * 8u);
      EXPECT_EQ(store.progress().waiting_bytes, 0u);
    }
  }
}

// A parent that waits holds its value: more of them do not begin before what they need.
TEST(asset_memory, parents_do_not_pile_up_before_their_children) {
  memory_rig rig({.workers = 0});
  for (int i = 0; i < 50; ++i) {
    rig.add("parent" + std::to_string(i), "=4\npart" + std::to_string(i));
    rig.add("part" + std::to_string(i), "4");
  }
  rig.mount();
  memory_store store(rig, {.keep_bytes = 0, .budget_bytes = 16 * mib, .background_threads = 0});
  std::vector<asset<level>> all;
  for (int i = 0; i < 50; ++i) all.push_back(store.get<level>("parent" + std::to_string(i)));
  store.run_jobs();
  EXPECT_LE(rig.sum.now, 16u + 4u);
  for (const asset<level>& each : all) ASSERT_TRUE(store.is_ready(each));
}

TEST(asset_memory, shares_a_ledger_with_others) {
  memory_rig rig({.workers = 0});
  for (int i = 0; i < 20; ++i) rig.add(std::to_string(i), "2");
  rig.mount();
  memory_ledger ledger(16 * mib);
  {
    memory_store store(rig, {.ledger = &ledger, .background_threads = 0});
    bool ticket = false;
    ASSERT_TRUE(ledger.take(14 * mib, memory_tag::load, ticket));
    std::vector<asset<part>> all;
    for (int i = 0; i < 20; ++i) all.push_back(store.get<part>(std::to_string(i)));
    store.run_jobs();
    EXPECT_EQ(rig.sum.now, 2u) << "one goes alone";
    ledger.give_back(14 * mib, memory_tag::load);
    store.pump(1ns);
    store.run_jobs();
    EXPECT_GE(rig.sum.now, 8u) << "the room of others is noticed";
    for (const asset<part>& each : all) ASSERT_TRUE(store.is_ready(each));
    EXPECT_EQ(ledger.used(), 0u);
    all.resize(10);
  }
  EXPECT_EQ(ledger.used(), 0u);
}

TEST(asset_memory, notices_the_room_that_others_give_back_while_its_own_work_goes_on) {
  memory_rig rig({.workers = 2});
  rig.parts.is_free = true;
  rig.parts.stuck = 3;
  rig.add("stuck", "3");
  rig.add("next", "2");
  rig.mount();
  memory_ledger ledger(16 * mib);
  memory_store store(rig, {.ledger = &ledger});
  bool ticket = false;
  ASSERT_TRUE(ledger.take(14 * mib, memory_tag::load, ticket));
  const asset<part> stuck = store.get<part>("stuck"_path);
  while (rig.sum.decodes == 0) std::this_thread::yield();
  const asset<part> next = store.get<part>("next"_path);
  store.pump(1ms);
  EXPECT_EQ(next.state(), asset_state::queued);
  ledger.give_back(14 * mib, memory_tag::load);
  while (!next.is_ready()) store.pump(1ms);
  rig.parts.gate.lower();
  ASSERT_TRUE(store.is_ready(stuck));
}

// --- What is kept --------------------------------------------------------------------------------

TEST(asset_memory, of_a_kept_level_counts_what_only_it_keeps_loaded) {
  memory_rig rig({.workers = 1});
  for (int i = 0; i < 12; ++i) rig.add_level(std::to_string(i), 8, 4);
  rig.mount();
  memory_store store(rig, {.keep_bytes = 16 * mib, .budget_bytes = 16 * mib});
  asset<level> now;
  for (int i = 0; i < 12; ++i) {
    asset<level> next = store.get<level>(std::to_string(i));
    ASSERT_TRUE(store.is_ready(next));
    now = std::move(next);
    do {
      store.pump(1ms);
    } while (store.progress().waiting_bytes > 0);
    EXPECT_LE(rig.sum.now, 32u + 16u) << "held and kept";
    EXPECT_LE(store.progress().kept_bytes, 16 * mib);
  }
  EXPECT_LE(rig.sum.peak, 2 * 32u + 16u + 16u);
}

TEST(asset_memory, of_what_only_kept_assets_share_counts_once_and_has_a_bound) {
  memory_rig rig({.workers = 1});
  for (int i = 0; i < 40; ++i) {
    const std::string shared = "shared" + std::to_string(i % 10);
    rig.add(shared, "1");
    rig.add("room" + std::to_string(i), "@wall" + std::to_string(i % 20));
    rig.add("wall" + std::to_string(i % 20), shared);  // two rooms have a wall, two walls a texture
  }
  rig.mount();
  memory_store store(rig, {.keep_bytes = 4 * mib});
  std::vector<asset<level>> rooms;
  for (int i = 0; i < 40; ++i) {
    rooms.push_back(store.get<level>("room" + std::to_string(i)));
    ASSERT_TRUE(store.is_ready(rooms.back()));
  }
  EXPECT_EQ(store.progress().held_bytes, 10 * mib);
  rooms.clear();
  EXPECT_TRUE(test::pump_until(store, [&] { return rig.sum.now <= 4; })) << rig.sum.now;
  EXPECT_LE(store.progress().kept_bytes, 4 * mib);
  EXPECT_EQ(store.progress().held_bytes, 0u);
  EXPECT_GT(rig.sum.now, 2u) << "no more than must be is given up";
}

TEST(asset_memory, of_what_was_given_up_first_goes_with_what_it_needed) {
  memory_rig rig({.workers = 1});
  rig.add_level("old", 4);
  rig.add_level("new", 2);
  rig.mount();
  memory_store store(rig, {.keep_bytes = 5 * mib});
  asset<level> older = store.get<level>("old"_path);
  asset<level> newer = store.get<level>("new"_path);
  ASSERT_TRUE(store.is_ready(older) && store.is_ready(newer));
  older = {};
  store.pump(1ms);
  newer = {};
  EXPECT_TRUE(test::pump_until(store, [&] { return rig.sum.now == 5; })) << rig.sum.now;
  EXPECT_TRUE(store.get<level>("new"_path).is_ready()) << "it was kept";
}

TEST(asset_memory, of_what_is_64_needs_below_a_kept_asset_counts_as_held) {
  memory_rig rig({.workers = 1});
  for (int i = 0; i < 70; ++i) rig.add("=" + std::to_string(i), "=1\n@=" + std::to_string(i + 1));
  rig.add("=70", "=1");
  rig.mount();
  memory_store store(rig, {.keep_bytes = 200 * mib});
  asset<level> first = store.get<level>("=0"_path);
  ASSERT_TRUE(store.is_ready(first));
  first = {};
  store.pump(1ms);
  EXPECT_EQ(store.progress().kept_bytes, 65 * mib);
  EXPECT_EQ(store.progress().held_bytes, 6 * mib);
}

TEST(asset_memory, that_is_shared_does_not_count_with_what_is_kept) {
  memory_rig rig({.workers = 1});
  rig.add("shared", "4");
  rig.add("own", "2");
  rig.add("a", "=1\nshared\nown");
  rig.add("b", "shared");
  rig.mount();
  memory_store store(rig, {.keep_bytes = 64 * mib});
  asset<level> a = store.get<level>("a"_path);
  asset<level> b = store.get<level>("b"_path);
  ASSERT_TRUE(store.is_ready(a) && store.is_ready(b));
  EXPECT_EQ(store.progress().held_bytes, 7 * mib);
  a = {};
  store.pump(1ms);
  EXPECT_EQ(store.progress().kept_bytes, 3 * mib);
  EXPECT_EQ(store.progress().held_bytes, 4 * mib);
  asset<part> own = store.get<part>("own"_path);
  store.pump(1ms);
  EXPECT_EQ(store.progress().kept_bytes, 1 * mib) << "the program holds it";
  own = {};
  store.pump(1ms);
  EXPECT_EQ(store.progress().kept_bytes, 3 * mib) << "and not any more";
}

}  // namespace
}  // namespace overture::memory_test

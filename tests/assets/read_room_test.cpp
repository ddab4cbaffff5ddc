// SPDX-License-Identifier: Zlib
//
// asset_store: the room that files take before they are decoded.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "assets/counted_memory.hpp"
#include "assets/memory_rig.hpp"
#include "assets/store_rig.hpp"
#include "overture/sync/barricade.hpp"
#include "overture/sync/memory_ledger.hpp"

namespace overture::read_room_test {
namespace {

using namespace std::chrono_literals;
using namespace overture::literals;
using test::counted_memory;
using test::store_rig;

constexpr std::size_t kib = 1024;

// Keeps nothing of a file.
struct sum {
  std::uint64_t bytes = 0;
};

class sum_loader final : public loader<sum> {
 public:
  result<sum> decode(std::span<const std::byte> bytes, load_context& context) override {
    if (before_decode) before_decode(std::string(context.path().text));
    ++decodes;
    return sum{bytes.size()};
  }
  std::uint64_t memory_needed(const asset_path&,
                              std::span<const std::byte> bytes) const noexcept override {
    ++reads;
    return stated_factor * bytes.size();
  }
  std::uint64_t bytes_of(const sum& of) const noexcept override { return stated_factor * of.bytes; }
  bool free_threaded() const noexcept override { return is_free; }

  std::function<void(const std::string&)> before_decode;
  std::uint64_t stated_factor = 0;
  bool is_free = true;
  mutable std::atomic<int> reads{0};
  std::atomic<int> decodes{0};
};

struct room_rig : store_rig {
  explicit room_rig(const test::rig_options& options = {}) : store_rig(options) {}
  void add_files(int count, std::size_t bytes) {
    for (int i = 0; i < count; ++i) add(std::to_string(i), std::string(bytes, 'x'));
  }
};

struct room_store : asset_store {
  room_store(room_rig& with, sum_loader& sums, const asset_store_config& config)
      : asset_store(with.engine.files, with.engine.reads, with.engine.jobs, config) {
    if (!add(sums)) throw std::runtime_error("a loader was not added");
  }
  void ask(int count) {
    for (int i = 0; i < count; ++i) held.push_back(get<sum>(std::to_string(i)));
  }
  [[nodiscard]] bool are_ready() {
    for (const asset<sum>& each : held) {
      if (!wait_for(each, test::hang) || !each.is_ready()) return false;
    }
    return true;
  }
  std::vector<asset<sum>> held;
};

TEST(the_room_of_files, is_within_the_budget_whatever_their_size) {
  for (const unsigned workers : {0u, 2u}) {
    for (const bool cached : {false, true}) {
      SCOPED_TRACE(testing::Message() << workers << cached);
      room_rig rig({.workers = workers, .io_threads = 8});
      rig.add_files(64, 256 * kib);
      rig.os.set_cached(cached);
      rig.mount();
      counted_memory memory;
      sum_loader sums;
      room_store store(rig, sums, {.budget_bytes = 1024 * kib, .memory = &memory});
      const std::uint64_t before = memory.now();
      store.ask(64);
      EXPECT_TRUE(store.are_ready());
      // One file more, what is kept of their memory, and the records of the assets.
      EXPECT_LE(memory.peak() - before, (1024 + 256 + 256 + 128) * kib);
      EXPECT_EQ(sums.reads, 64) << "each is read once";
    }
  }
}

TEST(the_room_of_files, of_one_that_is_larger_than_the_budget_is_for_it_alone) {
  room_rig rig;
  rig.add_files(8, 64 * kib);
  rig.mount();
  counted_memory memory;
  sum_loader sums;
  room_store store(rig, sums, {.budget_bytes = 1, .memory = &memory});
  const std::uint64_t before = memory.now();
  store.ask(8);
  EXPECT_TRUE(store.are_ready());
  EXPECT_LE(memory.peak() - before, 2 * 64 * kib + 64 * kib);
  EXPECT_EQ(sums.decodes, 8);
}

TEST(the_room_of_files, is_not_given_back_to_wait_for_more) {
  for (const bool is_free : {false, true}) {
    SCOPED_TRACE(is_free);
    room_rig rig({.workers = 1});
    rig.add_files(16, 16 * kib);
    rig.mount();
    sum_loader sums;
    sums.stated_factor = 10;  // two fit
    sums.is_free = is_free;
    room_store store(rig, sums, {.budget_bytes = 512 * kib});
    store.ask(16);
    EXPECT_TRUE(store.are_ready());
    EXPECT_EQ(sums.reads, 16) << "each is read once";
  }
}

// Another store of the same main thread may hold it, which is not pumped meanwhile.
TEST(the_room_of_files, that_others_hold_is_not_waited_for_by_a_store_that_ends) {
  for (const unsigned workers : {0u, 1u, 3u}) {
    room_rig rig({.workers = workers});
    rig.add_files(8, 16 * kib);
    rig.mount();
    memory_ledger& ledger = *rig.engine.files.ledger();
    bool none = false;
    bool ticket = false;
    ASSERT_TRUE(ledger.take(ledger.limit(), memory_tag::decode, none));
    ASSERT_TRUE(ledger.take(1, memory_tag::decode, ticket));
    sum_loader sums;
    {
      room_store store(rig, sums, {});
      store.ask(8);
      const auto are_read = [&] {
        unsigned count = 0;
        (void)store.for_each_unsettled(
            [&](const unsettled_asset& one) { count += one.state == asset_state::reading; });
        return count == 8;
      };
      while (!are_read()) (void)rig.engine.jobs.try_help();
      while (rig.engine.jobs.try_help()) {
      }
      store.held.clear();
    }
    EXPECT_EQ(sums.reads, 0);
    EXPECT_EQ(ledger.used(), ledger.limit() + 1);
    ledger.give_back(ledger.limit() + 1, memory_tag::decode);
    ledger.end_item(ticket);
  }
}

TEST(the_room_of_files, is_given_back_by_what_is_dropped_while_it_waits) {
  room_rig rig({.workers = 0});
  rig.add_files(4, 16 * kib);
  rig.os.set_cached(true);
  rig.mount();
  sum_loader sums;
  sums.stated_factor = 10;
  sums.is_free = false;
  room_store store(rig, sums, {.budget_bytes = 256 * kib, .background_threads = 0});
  store.ask(4);
  while (rig.engine.jobs.try_help()) {
  }
  EXPECT_LT(sums.decodes, 4);
  EXPECT_EQ(sums.reads, 4);
  std::string waits;
  (void)store.for_each_unsettled([&](const unsettled_asset& one) {
    if (one.state == asset_state::decoding) waits = one.what;
  });
  EXPECT_EQ(waits, "room in the budget");
  const int decoded = sums.decodes;
  store.held.resize(1);
  EXPECT_TRUE(store.are_ready());
  store.pump(1s);
  EXPECT_EQ(sums.decodes, decoded);
  EXPECT_EQ(store.progress().waiting_bytes, 0u);
}

// What is finalized may give back the room that is lacking.
TEST(the_room_of_files, that_wait_for_more_lets_workers_finalize_what_comes_later) {
  room_rig rig({.workers = 2, .io_threads = 2});
  rig.add_files(2, 16 * kib);
  rig.mount();
  barricade second_begins{barricade::raised};
  rig.os.before_each_call([&](const test::os_call_info& call) {
    if (call.kind == test::os_call::read && call.path.ends_with("0")) second_begins.wait();
  });
  sum_loader sums;
  sums.stated_factor = 10;  // one fits
  room_store store(rig, sums, {.budget_bytes = 256 * kib, .background_threads = 0});
  sums.before_decode = [&](const std::string& path) {
    if (path != "1") return;
    second_begins.lower();
    while (store.held[0].state() == asset_state::reading) std::this_thread::yield();
  };
  store.held.reserve(2);
  store.ask(2);
  EXPECT_TRUE(store.are_ready());
}

TEST(the_room_of_files, that_wait_for_more_goes_with_the_store) {
  room_rig rig({.workers = 0});
  rig.add_files(4, 16 * kib);
  rig.os.set_cached(true);
  rig.mount();
  counted_memory memory;
  sum_loader sums;
  sums.stated_factor = 10;
  sums.is_free = false;
  {
    room_store store(rig, sums,
                     {.budget_bytes = 256 * kib, .background_threads = 0, .memory = &memory});
    store.ask(4);
    while (rig.engine.jobs.try_help()) {
    }
    store.held.clear();
  }
  EXPECT_EQ(memory.now(), 0u);
}

// Files wait for that ledger too, and must not wait for those that wait to be decoded.
class the_ledger_of_files : public testing::TestWithParam<bool> {};

TEST_P(the_ledger_of_files, may_be_as_small_as_it_likes) {
  for (const bool cached : {false, true}) {
    for (const std::uint64_t limit : {1 * kib, 40 * kib, 100 * kib}) {
      SCOPED_TRACE(testing::Message() << cached << ' ' << limit);
      room_rig rig({.workers = 2});
      rig.add_files(24, 16 * kib);
      rig.os.set_cached(cached);
      memory_ledger ledger(limit);
      file_system files({.os = &rig.os, .ledger = &ledger});
      ASSERT_TRUE(files.mount("/game"));
      read_queue reads(files, {.threads = 4});
      sum_loader sums;
      sums.stated_factor = 5;  // more than the budget
      sums.is_free = false;
      test::diary happened;
      test::words_loader texts(happened);
      {
        asset_store store(files, reads, rig.engine.jobs,
                          {.budget_bytes = 64 * kib, .ledger = GetParam() ? &ledger : nullptr});
        ASSERT_TRUE(store.add(sums) && store.add(texts));
        std::vector<asset<sum>> held;
        std::vector<asset<test::words>> same_files;
        for (int i = 0; i < 24; ++i) held.push_back(store.get<sum>(std::to_string(i)));
        for (int i = 0; i < 24; ++i)
          same_files.push_back(store.get<test::words>(std::to_string(i)));
        for (const asset<sum>& each : held) {
          EXPECT_TRUE(store.wait_for(each, test::hang) && each.is_ready());
        }
        for (const asset<test::words>& each : same_files) {
          EXPECT_TRUE(store.wait_for(each, test::hang) && each.is_ready());
        }
      }
      EXPECT_EQ(ledger.used(), 0u);
      EXPECT_EQ(sums.decodes, 24);
    }
  }
}

// Where few files are read at once, needs wait for reads that wait for room.
TEST_P(the_ledger_of_files, lets_needs_go_on) {
  for (const unsigned workers : {0u, 2u}) {
    for (const unsigned files_max : {1u, 2u, 5u}) {
      for (const std::uint64_t limit : {1u, 150u, 450u}) {
        SCOPED_TRACE(testing::Message() << workers << ' ' << files_max << ' ' << limit);
        store_rig rig({.workers = workers});
        rig.os.set_cached(workers == 0);
        for (int i = 0; i < 16; ++i) {
          const std::string name = std::to_string(i);
          rig.add("room" + name, "a" + name + "\nb" + name);
          rig.add("a" + name, std::string(100, 'a'));
          rig.add("b" + name, std::string(100, 'b'));
        }
        memory_ledger ledger(limit);
        file_system files({.os = &rig.os, .ledger = &ledger});
        ASSERT_TRUE(files.mount("/game"));
        read_queue reads(files, {.threads = 2});
        asset_store store(files, reads, rig.engine.jobs,
                          {.budget_bytes = limit,
                           .ledger = GetParam() ? &ledger : nullptr,
                           .files_max = files_max});
        ASSERT_TRUE(store.add(rig.texts) && store.add(rig.lists));
        std::vector<asset<test::list>> held;
        std::vector<asset<test::words>> texts;
        for (int i = 0; i < 16; ++i) {
          held.push_back(store.get<test::list>("room" + std::to_string(i)));
          texts.push_back(store.get<test::words>("b" + std::to_string(15 - i)));
        }
        for (const asset<test::list>& each : held) {
          ASSERT_TRUE(store.wait_for(each, test::hang) && each.is_ready());
        }
      }
    }
  }
}

TEST_P(the_ledger_of_files, does_not_keep_a_store_from_ending) {
  room_rig rig({.workers = 2});
  rig.add_files(24, 16 * kib);
  rig.os.set_cached(true);
  memory_ledger ledger(40 * kib);
  file_system files({.os = &rig.os, .ledger = &ledger});
  ASSERT_TRUE(files.mount("/game"));
  read_queue reads(files);
  sum_loader sums;
  sums.stated_factor = 5;
  sums.is_free = false;
  {
    asset_store store(files, reads, rig.engine.jobs,
                      {.budget_bytes = 64 * kib, .ledger = GetParam() ? &ledger : nullptr});
    ASSERT_TRUE(store.add(sums));
    std::vector<asset<sum>> held;
    for (int i = 0; i < 24; ++i) held.push_back(store.get<sum>(std::to_string(i)));
    // A while, in which some come to wait with their files, and others for the room of these.
    bool stands = false;
    bool reads_wait = false;
    for (int i = 0; i < 2000 && !(stands && reads_wait); ++i) {
      std::this_thread::yield();
      stands = reads_wait = false;
      (void)store.for_each_unsettled([&](const unsettled_asset& one) {
        stands |= one.state == asset_state::decoding &&
                  std::string_view(one.what) == "room in the budget";
        reads_wait |= one.state == asset_state::reading;
      });
    }
  }
  EXPECT_EQ(ledger.used(), 0u);
}

INSTANTIATE_TEST_SUITE_P(shared_with_the_store, the_ledger_of_files, testing::Bool());

TEST(the_room_of_files, waits_for_the_most_urgent_first) {
  room_rig rig({.workers = 1});
  rig.add_files(8, 16 * kib);
  rig.os.set_cached(true);
  rig.mount();
  sum_loader sums;
  sums.stated_factor = 10;
  sums.is_free = false;
  room_store store(rig, sums, {.budget_bytes = 256 * kib, .background_threads = 0});
  store.ask(8);
  while (store.progress().for_pump == 0) std::this_thread::yield();
  store.raise(store.held[7], asset_priority::high);
  while (store.held[0].state() != asset_state::ready) store.pump(0ns);
  EXPECT_TRUE(store.wait_for(store.held[7], test::hang));
  EXPECT_FALSE(store.held[6].is_ready());
  EXPECT_TRUE(store.are_ready());
}

// The smaller one would go past it for ever.
TEST(the_room_of_files, is_for_what_was_refused_once_before_what_was_asked_for_later) {
  test::memory_rig rig({.workers = 0});
  rig.add("wall", "=1");
  rig.add("large", std::string(test::mib, 'x'));
  rig.add("small", "x");
  rig.mount();
  test::memory_store store(
      rig, {.budget_bytes = 2 * test::mib, .files_max = 1, .background_threads = 0});
  ASSERT_TRUE(store.add(rig.texts));
  const asset<test::level> wall = store.get<test::level>("wall"_path);
  store.run_jobs();
  const asset<test::words> large = store.get<test::words>("large"_path);
  const asset<test::words> small = store.get<test::words>("small"_path);
  store.run_jobs();
  EXPECT_EQ(small.state(), asset_state::queued);
  test::pump_until_settled(store);
  EXPECT_EQ(test::decodes(rig), (std::vector<std::string>{"large", "small"}));
}

// The second asset of each file is not urgent, so that all files would stay in memory for it.
TEST(the_room_of_files, that_are_read_for_two_is_within_the_budget_too) {
  room_rig rig({.workers = 0});
  rig.add_files(64, 256 * kib);
  rig.os.set_cached(true);
  rig.mount();
  rig.texts.is_free = true;
  counted_memory memory;
  sum_loader sums;
  room_store store(
      rig, sums,
      {.keep_bytes = 0, .budget_bytes = 1024 * kib, .background_threads = 0, .memory = &memory});
  ASSERT_TRUE(store.add(rig.texts));
  const std::uint64_t before = memory.now();
  std::vector<asset<test::words>> texts;
  for (int i = 0; i < 64; ++i) {
    texts.push_back(store.get<test::words>(std::to_string(i), asset_priority::low));
  }
  store.ask(64);
  EXPECT_TRUE(store.are_ready());
  for (const asset<test::words>& each : texts) {
    EXPECT_TRUE(store.wait_for(each, test::hang) && each.is_ready());
  }
  EXPECT_LE(memory.peak() - before, (1024 + 256 + 256 + 128) * kib);
}

}  // namespace
}  // namespace overture::read_room_test

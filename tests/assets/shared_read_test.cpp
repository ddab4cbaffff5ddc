// SPDX-License-Identifier: Zlib
//
// asset_store: several assets of one file, as types or with settings, are read once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "assets/store_rig.hpp"
#include "overture/sync/barricade.hpp"

namespace overture::shared_read_test {
namespace {

using namespace overture::literals;
using namespace overture::test;

// How long a file is, as another type than words.
struct length {
  std::size_t bytes = 0;
  char first = 0;
};

class length_loader final : public loader<length> {
 public:
  result<length> decode(std::span<const std::byte> bytes, load_context&) override {
    if (before_decode) before_decode();
    return length{bytes.size(), bytes.empty() ? '\0' : static_cast<char>(bytes.front())};
  }

  std::function<void()> before_decode;
};

struct two_types {
  explicit two_types(unsigned workers, int files = 1) : rig({.workers = workers}) {
    for (int i = 0; i < files; ++i) rig.add(std::to_string(i), std::string(10, 'x'));
    rig.mount();
  }
  [[nodiscard]] asset_store& begin(asset_store_config config, unsigned background_threads = 0) {
    config.keep_bytes = 0;
    config.background_threads = background_threads;
    config.reload_delay = std::chrono::nanoseconds(0);
    store.emplace(rig.engine.files, rig.engine.reads, rig.engine.jobs, config);
    EXPECT_TRUE(store->add(rig.texts));
    EXPECT_TRUE(store->add(lengths));
    return *store;
  }
  [[nodiscard]] std::uint64_t reads() const { return rig.os.calls(os_call::read); }

  store_rig rig;
  length_loader lengths;
  std::optional<asset_store> store;
};

TEST(a_shared_read, is_one_for_all_that_were_asked_for_before_it) {
  constexpr int count = 20;
  for (const unsigned workers : {0u, 2u}) {
    two_types of(workers, count);
    asset_store& store = of.begin({.files_max = 1});
    std::vector<asset<words>> texts;
    std::vector<asset<length>> lengths;
    const std::uint64_t before = of.reads();
    barricade gate{barricade::raised};
    if (workers > 0) of.rig.os.before_each_call([&](const os_call_info&) { gate.wait(); });
    for (int i = 0; i < count; ++i) texts.push_back(store.get<words>(std::to_string(i)));
    for (int i = count; i-- > 1;) lengths.push_back(store.get<length>(std::to_string(i)));
    gate.lower();
    pump_until_settled(store);
    for (const asset<words>& each : texts) EXPECT_TRUE(each.is_ready());
    for (const asset<length>& each : lengths) EXPECT_TRUE(each.is_ready());
    EXPECT_EQ(of.reads() - before, count);
  }
}

TEST(a_shared_read, is_one_for_a_save) {
  two_types of(1);
  asset_store& store = of.begin({});
  const asset<words> text = store.get<words>("0"_path);
  const asset<length> bytes = store.get<length>("0"_path);
  pump_until_settled(store);
  of.rig.add("0", "longer than before");
  const std::uint64_t before = of.reads();
  store.reload("0");
  ASSERT_TRUE(pump_until(store, [&] { return text.version() == 2 && bytes.version() == 2; }));
  EXPECT_EQ(text->text, "longer than before");
  EXPECT_EQ(bytes->bytes, text->text.size());
  EXPECT_EQ(of.reads() - before, 1u);
}

TEST(a_shared_read, that_fails_fails_for_all) {
  two_types of(0);
  asset_store& store = of.begin({});
  const asset<words> text = store.get<words>("nowhere"_path);
  const asset<length> bytes = store.get<length>("nowhere"_path);
  pump_until_settled(store);
  EXPECT_EQ(text.status().error().code, errc::not_found);
  EXPECT_EQ(bytes.status().error().code, errc::not_found);
}

TEST(a_shared_read, goes_on_for_the_other_if_one_is_let_go) {
  for (const bool first : {false, true}) {
    two_types of(0);
    asset_store& store = of.begin({});
    asset<words> text = store.get<words>("0"_path);
    asset<length> bytes = store.get<length>("0"_path);
    while (text.state() != asset_state::reading) ASSERT_TRUE(of.rig.engine.jobs.try_help());
    EXPECT_EQ(bytes.state(), asset_state::reading);
    first ? void(text = {}) : void(bytes = {});
    pump_until_settled(store);
    EXPECT_EQ(text.is_ready(), !first);
    EXPECT_EQ(bytes.is_ready(), first);
  }
}

TEST(a_shared_read, stays_in_memory_until_the_last_has_decoded_it) {
  two_types of(2, 2);
  of.rig.os.set_cached(true);
  of.rig.add("1", std::string(10, 'y'));
  asset_store& store = of.begin({});
  barricade gate{barricade::raised};
  of.lengths.before_decode = [&] { gate.wait(); };
  const asset<words> text = store.get<words>("0"_path, asset_priority::high);
  const asset<length> bytes = store.get<length>("0"_path);
  const asset<words> other = store.get<words>("1"_path);
  ASSERT_TRUE(pump_until(store, [&] { return text.is_ready() && other.is_ready(); }));
  gate.lower();
  pump_until_settled(store);
  EXPECT_EQ(bytes->first, 'x');
}

// A mount may have changed what the path means.
TEST(a_shared_read, is_not_one_that_has_begun_before) {
  two_types of(2);
  asset_store& store = of.begin({});
  barricade reading{barricade::raised};
  barricade gate{barricade::raised};
  std::atomic<bool> holds{true};
  of.rig.os.before_each_call([&](const os_call_info& call) {
    if (call.kind != os_call::close || !holds.exchange(false)) return;
    reading.lower();
    gate.wait();
  });
  const asset<words> text = store.get<words>("0"_path);
  if (!reading.wait_for(std::chrono::seconds(20))) GTEST_FAIL() << "never closed";
  of.rig.add("0", "new");
  const asset<length> bytes = store.get<length>("0"_path);
  gate.lower();
  pump_until_settled(store);
  EXPECT_EQ(text->text, std::string(10, 'x'));
  EXPECT_EQ(bytes->bytes, 3u);
}

// Both wait for the budget, and then have it one after the other.
TEST(a_shared_read, that_was_refused_room_is_tried_again) {
  for (const unsigned workers : {0u, 1u}) {
    two_types of(workers, 2);
    of.rig.add("0", std::string(900, 'x'));
    of.rig.add("1", std::string(500, 'x'));
    std::atomic<bool> goes_on{false};
    of.rig.texts.during_finalize = [&](words&, std::chrono::nanoseconds) {
      return goes_on ? finalize_step::done : finalize_step::again;
    };
    asset_store& store = of.begin({.budget_bytes = 1000});
    const asset<words> wall = store.get<words>("1"_path);
    ASSERT_TRUE(pump_until(store, [&] { return wall.state() == asset_state::finalizing; }));
    const asset<words> text = store.get<words>("0"_path);
    const asset<length> bytes = store.get<length>("0"_path);
    for (int i = 0; i < 10; ++i) store.pump(std::chrono::milliseconds(1));
    EXPECT_FALSE(bytes.is_ready());
    goes_on = true;
    pump_until_settled(store);
    EXPECT_TRUE(wall.is_ready() && text.is_ready() && bytes.is_ready());
    EXPECT_EQ(store.progress().waiting_bytes, 0u);
  }
}

// They go alone past the budget, which another has taken.
TEST(a_shared_read, of_nothing_goes_on_where_the_budget_is_used_up) {
  for (const unsigned workers : {0u, 1u}) {
    two_types of(workers, 2);
    of.rig.add("0", std::string(900, 'x'));
    of.rig.add("1", "");
    of.rig.texts.during_finalize = [&](words& value, std::chrono::nanoseconds) {
      return value.text.empty() ? finalize_step::done : finalize_step::again;
    };
    asset_store& store = of.begin({.budget_bytes = 100});
    const asset<words> wall = store.get<words>("0"_path, asset_priority::low);
    ASSERT_TRUE(pump_until(store, [&] { return wall.state() == asset_state::finalizing; }));
    const asset<words> text = store.get<words>("1"_path, asset_priority::high);
    const asset<length> bytes = store.get<length>("1"_path, asset_priority::high);
    EXPECT_TRUE(pump_until(store, [&] { return text.is_ready() && bytes.is_ready(); }));
  }
}

// Whichever asset is raised, its file is read before others.
TEST(a_shared_read, is_as_urgent_as_the_most_urgent_of_its_assets) {
  two_types of(0, 3);
  of.rig.os.set_cached(true);
  asset_store& store = of.begin({});
  std::vector<asset<words>> texts;
  for (int i = 0; i < 3; ++i) texts.push_back(store.get<words>(std::to_string(i)));
  const asset<length> last = store.get<length>("2"_path);
  while (last.state() != asset_state::reading) ASSERT_TRUE(of.rig.engine.jobs.try_help());
  store.raise(last, asset_priority::high);
  store.set_priority(texts[2], asset_priority::low);
  while (!last.is_ready()) store.pump(std::chrono::nanoseconds(1));
  EXPECT_FALSE(texts[0].is_ready());
  pump_until_settled(store);
}

TEST(a_shared_read, that_is_raised_with_one_of_its_assets_needs_no_background_thread) {
  two_types of(0, 2);
  of.rig.os.set_cached(true);
  barricade gate{barricade::raised};
  of.rig.texts.before_decode = [&](const std::string& path) {
    if (path == "1") gate.wait();
  };
  asset_store& store = of.begin({}, 1);
  const asset<words> music = store.get<words>("1"_path, asset_priority::background);
  while (music.state() != asset_state::decoding) (void)of.rig.engine.jobs.try_help();
  const asset<words> text = store.get<words>("0"_path, asset_priority::background);
  const asset<length> bytes = store.get<length>("0"_path, asset_priority::background);
  while (bytes.state() != asset_state::reading) ASSERT_TRUE(of.rig.engine.jobs.try_help());
  store.raise(bytes, asset_priority::normal);
  EXPECT_TRUE(store.wait_for(bytes, hang)) << "the background thread is busy";
  gate.lower();
  pump_until_settled(store);
}

}  // namespace
}  // namespace overture::shared_read_test

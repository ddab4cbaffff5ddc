// SPDX-License-Identifier: Zlib
//
// asset_store: assets that need one that needs one, and so on.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "assets/store_rig.hpp"

namespace overture::chain_test {
namespace {

using namespace std::chrono_literals;
using namespace overture::literals;
using test::list;
using test::rigged_store;
using test::store_rig;

constexpr std::uint64_t unit = sizeof(list);  // what each of the lists claims

void add_chain(store_rig& rig, const std::string& name, int length) {
  for (int i = 0; i < length; ++i) {
    rig.add(name + std::to_string(i),
            i + 1 < length ? "@" + name + std::to_string(i + 1) : std::string());
  }
}

// The most that waits at once, while so many chains load.
std::uint64_t peak_of(int chains, int length, std::uint64_t budget_bytes, unsigned workers) {
  store_rig rig({.workers = workers});
  for (int i = 0; i < chains; ++i)
    add_chain(rig, std::string(1, static_cast<char>('a' + i)), length);
  rig.mount();
  std::atomic<std::uint64_t> peak{0};
  rigged_store store(rig, {.budget_bytes = budget_bytes});
  rig.lists.before_decode = [&](const std::string&) {
    const std::uint64_t now = store.progress().waiting_bytes;
    std::uint64_t most = peak;
    while (now > most && !peak.compare_exchange_weak(most, now)) {
    }
  };
  std::vector<asset<list>> all;
  for (int i = 0; i < chains; ++i) {
    all.push_back(store.get<list>(std::string(1, static_cast<char>('a' + i)) + "0"));
  }
  for (const asset<list>& each : all) EXPECT_EQ(store.outcome(each), "ready");
  EXPECT_EQ(store.progress().waiting_bytes, 0u);
  return peak;
}

// The header says so: what waits for its needs cannot be given back.
TEST(asset_chain, of_needs_is_in_memory_at_once_and_one_asset_more) {
  for (const unsigned workers : {0u, 1u, 3u}) {
    constexpr int length = 50;
    const std::uint64_t peak = peak_of(1, length, 4 * unit, workers);
    EXPECT_GE(peak, (length - 1) * unit);
    EXPECT_LE(peak, (length + 1) * unit);
  }
}

TEST(asset_chain, no_other_begins_while_one_is_past_the_budget) {
  for (const unsigned workers : {0u, 1u, 3u}) {
    constexpr int length = 10;
    constexpr std::uint64_t fitting = 4;
    EXPECT_LE(peak_of(20, length, fitting * unit, workers), (fitting * length + 1) * unit);
  }
}

TEST(asset_chain, may_be_as_long_as_it_likes) {
  constexpr int length = 1000;
  store_rig rig({.workers = 1});
  add_chain(rig, "a", length);
  rig.mount();
  {
    rigged_store store(rig, {.keep_bytes = 0});
    asset<list> first = store.get<list>("a0"_path);
    ASSERT_EQ(store.outcome(first), "ready");
    first = {};
    while (store.progress().waiting_bytes > 0 || store.progress().asked > 0) store.pump(1ms);
  }
  EXPECT_EQ(rig.happened.lines().size(), 3u * length);
}

}  // namespace
}  // namespace overture::chain_test

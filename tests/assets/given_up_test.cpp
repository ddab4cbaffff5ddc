// SPDX-License-Identifier: Zlib
//
// asset_store: what is given up while something is done with it.
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string>
#include <thread>

#include "assets/store_rig.hpp"

namespace overture::given_up_test {
namespace {

using namespace std::chrono_literals;
using namespace overture::literals;
using test::rigged_store;
using test::store_rig;
using test::words;

// --- Asked for again -----------------------------------------------------------------------------

TEST(an_asset_that_was_given_up, has_not_settled_when_it_is_asked_for_again) {
  store_rig rig;
  rig.add("a", "a");
  rig.mount();
  rigged_store store(rig, {.keep_bytes = 0});
  asset<words> one = store.get<words>("a"_path);
  ASSERT_EQ(store.outcome(one), "ready");
  one = {};
  (void)store.progress();  // its value waits for pump() now, to be unloaded
  one = store.get<words>("a"_path);
  EXPECT_EQ(one.state(), asset_state::queued);
  EXPECT_FALSE(one.settled().is_lowered());
  EXPECT_EQ(store.outcome(one), "ready");
  EXPECT_TRUE(one.settled().is_lowered());
}

TEST(an_asset_that_was_given_up, has_not_settled_when_it_is_retried_before_its_value_has_left) {
  store_rig rig;
  rig.add("a", "a");
  rig.mount();
  int calls = 0;
  rig.texts.during_finalize = [&](words&, std::chrono::nanoseconds) -> result<finalize_step> {
    if (++calls == 1) return fail(errc::io, "no");
    return finalize_step::done;
  };
  rigged_store store(rig, {.keep_bytes = 0});
  const asset<words> one = store.get<words>("a"_path);
  while (store.progress().for_pump == 0) std::this_thread::yield();
  store.pump(0ns);
  ASSERT_EQ(one.state(), asset_state::failed);
  store.retry(one);
  EXPECT_FALSE(one.settled().is_lowered());
  EXPECT_EQ(store.outcome(one), "ready");
}

// --- Which are kept ------------------------------------------------------------------------------

TEST(assets_that_were_given_up, in_one_frame_leave_in_the_order_in_which_they_were) {
  store_rig rig;
  for (const char* name : {"aa", "bb", "cc"}) rig.add(name, name);
  rig.mount();
  rigged_store store(rig, {.keep_bytes = 4});
  asset<words> a = store.get<words>("aa"_path);
  asset<words> b = store.get<words>("bb"_path);
  asset<words> c = store.get<words>("cc"_path);
  for (const asset<words>* each : {&a, &b, &c}) ASSERT_EQ(store.outcome(*each), "ready");
  for (asset<words>* each : {&c, &a, &b}) *each = {};
  store.pump(1s);
  EXPECT_EQ(rig.happened.count("unload cc"), 1u);
  EXPECT_EQ(store.progress().kept, 2u);
}

// --- The end of the store ------------------------------------------------------------------------

// A value whose unload() runs something.
struct noisy {
  std::string name;
  asset<noisy> needs;
};

// "ab" needs "b".
class noisy_loader final : public loader<noisy> {
 public:
  result<noisy> decode(std::span<const std::byte>, load_context& context) override {
    const std::string_view name = context.path().text;
    if (name.size() > 1) gate.wait();
    return noisy{std::string(name),
                 name.size() > 1 ? context.need<noisy>(name.substr(1)) : asset<noisy>()};
  }
  void unload(noisy& value) override { during_unload(value.name); }
  bool free_threaded() const noexcept override { return true; }

  std::function<void(const std::string&)> during_unload;
  barricade gate{barricade::raised};
};

// The main thread goes past a value that a worker unloads, to one that only it may unload.
TEST(a_store_that_ends, unloads_each_value_once_though_a_loader_calls_it) {
  store_rig rig({.workers = 1});
  for (const char* name : {"ab", "b", "c", "last"}) rig.add(name, name);
  rig.mount();
  noisy_loader loader;
  std::optional<rigged_store> store;
  store.emplace(rig, asset_store_config{.keep_bytes = 0, .background_threads = 0});
  ASSERT_TRUE(store->add(loader));
  const auto main_thread = std::this_thread::get_id();
  std::atomic<int> b_unloads{0};
  loader.during_unload = [&](const std::string& name) {
    const bool is_main = std::this_thread::get_id() == main_thread;
    if (name == "c" && is_main) {
      (void)store->progress();  // which has the worker begin with "b"
      while (b_unloads == 0) std::this_thread::yield();
    } else if (name == "b") {
      ++b_unloads;
      const auto passed = [&] { return b_unloads > 1 || rig.happened.count("unload last") > 0; };
      // A while, in which the main thread comes by; it may be waiting for this one.
      for (int i = 0; !is_main && i < 20'000 && !passed(); ++i) std::this_thread::yield();
    }
  };
  {
    const asset<noisy> ab = store->get<noisy>("ab"_path);
    const asset<noisy> c = store->get<noisy>("c"_path);
    loader.gate.lower();
    ASSERT_TRUE(store->wait_for(ab, test::hang) && store->wait_for(c, test::hang));
    ASSERT_EQ(store->outcome(store->get<words>("last"_path)), "ready");
  }
  store.reset();
  EXPECT_EQ(b_unloads, 1);
}

// --- A read queue that the host polls ------------------------------------------------------------

struct polled_rig : store_rig {
  explicit polled_rig(unsigned workers) : store_rig({.workers = workers}) {
    add("a", "a");
    add("b", "b");
    os.set_cached(false);
    mount();
    reads.emplace(engine.files, read_queue_config{.run_by_host = true});
  }
  std::optional<read_queue> reads;
};

TEST(a_read_queue_that_the_host_polls, is_served_by_waits_for_an_asset) {
  for (const unsigned workers : {0u, 1u}) {
    polled_rig rig(workers);
    asset_store store(rig.engine.files, *rig.reads, rig.engine.jobs);
    ASSERT_TRUE(store.add(rig.texts));
    const asset<words> one = store.get<words>("a"_path);
    const asset<words> other = store.get<words>("b"_path, asset_priority::background);
    EXPECT_TRUE(store.wait_for(one, 1min) && one.is_ready());
    EXPECT_TRUE(store.wait_for(other, 1min) && other.is_ready());
  }
}

TEST(a_read_queue_that_the_host_polls, does_not_keep_a_store_from_ending) {
  for (const unsigned workers : {0u, 1u}) {
    polled_rig rig(workers);
    std::optional<asset_store> store;
    store.emplace(rig.engine.files, *rig.reads, rig.engine.jobs);
    ASSERT_TRUE(store->add(rig.texts));
    asset<words> one = store->get<words>("a"_path);
    asset<words> other = store->get<words>("b"_path, asset_priority::background);
    while (workers == 0 && rig.engine.jobs.try_help()) {
    }
    one = other = {};
    store.reset();
    EXPECT_EQ(rig.happened.count("decode a"), 0u);
  }
}

}  // namespace
}  // namespace overture::given_up_test

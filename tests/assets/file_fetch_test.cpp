// SPDX-License-Identifier: Zlib
#include "assets/file_fetch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "load/load_rig.hpp"
#include "overture/sync/barricade.hpp"

namespace overture::assets_detail {
namespace {

using namespace overture::literals;
using ::testing::ElementsAre;

class order_of_ends final : public fetch_listener {
 public:
  void step_waits(asset_priority) noexcept override {}
  bool may_read(fetch_request&, std::uint64_t) noexcept override { return true; }
  void read_waits(fetch_request&, bool) noexcept override {}
  void fetched(fetch_request& ended) noexcept override {
    EXPECT_TRUE(ended.outcome) << ended.outcome.error().reason;
    numbers.push_back(static_cast<int>(ended.number));
  }

  std::vector<int> numbers;
};

// Reads end in any order, as here in that of begin(): from the last number to the first.
TEST(a_file_fetcher, does_the_steps_of_what_was_asked_for_first_before_others) {
  test::fake_os os;
  for (int i = 0; i < 4; ++i) os.add_file("/game/" + std::to_string(i), "content");
  test::load_rig engine(os, {.workers = 0});
  engine.mount({"/game"});
  file_fetcher fetcher(engine.files, engine.reads, engine.jobs, default_allocator(), 0);
  order_of_ends listener;
  const asset_path paths[] = {"0"_path, "1"_path, "2"_path, "3"_path};
  fetch_request wanted[4];
  for (std::size_t i = 4; i-- > 0;) {
    wanted[i].path = paths[i];
    wanted[i].number = i;
    fetcher.begin(wanted[i], listener);
  }
  engine.reads.drain();
  for (int i = 0; i < 100 && listener.numbers.size() < 4; ++i) {
    fetch_request* const next = fetcher.take_step({}, asset_priority{});
    ASSERT_NE(next, nullptr);
    fetcher.do_step(*next);
    engine.reads.drain();
  }
  EXPECT_THAT(listener.numbers, ElementsAre(0, 1, 2, 3));
  fetcher.wait_for_calls();
  for (fetch_request& each : wanted) fetcher.done_with(each.file);
}

class slow_listener final : public fetch_listener {
 public:
  void step_waits(asset_priority) noexcept override {
    if (was_called.exchange(true)) return;
    begun.lower();
    go_on.wait();
    // A while, in which the wait would end if it did not wait for this.
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    has_returned = true;
  }
  bool may_read(fetch_request&, std::uint64_t) noexcept override { return true; }
  void read_waits(fetch_request&, bool) noexcept override {}
  void fetched(fetch_request&) noexcept override { has_ended = true; }

  barricade begun{barricade::raised};
  barricade go_on{barricade::raised};
  std::atomic<bool> was_called{false};
  std::atomic<bool> has_returned{false};
  std::atomic<bool> has_ended{false};
};

// Another thread takes the step and ends the request meanwhile.
TEST(a_file_fetcher, waits_for_the_thread_that_tells_of_a_step) {
  test::fake_os os;
  os.add_file("/game/0", "content");
  os.set_cached(true);
  test::load_rig engine(os, {.workers = 0});
  engine.mount({"/game"});
  file_fetcher fetcher(engine.files, engine.reads, engine.jobs, default_allocator(), 0);
  slow_listener listener;
  fetch_request wanted;
  wanted.path = "0"_path;
  std::thread reader([&] { fetcher.begin(wanted, listener); });
  listener.begun.wait();
  while (!listener.has_ended) {
    if (fetch_request* const next = fetcher.take_step({}, asset_priority{})) fetcher.do_step(*next);
    engine.reads.drain();
  }
  listener.go_on.lower();
  fetcher.wait_for_calls();
  EXPECT_TRUE(listener.has_returned);
  reader.join();
  fetcher.done_with(wanted.file);
}

}  // namespace
}  // namespace overture::assets_detail

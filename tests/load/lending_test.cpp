// SPDX-License-Identifier: Zlib
//
// What the thread in wait_for() and pump() does: only what fits its time, unless it is alone.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <string>
#include <thread>

#include "load/load_rig.hpp"
#include "overture/sync/barricade.hpp"

namespace overture::lending_test {
namespace {

using namespace std::chrono_literals;
using test::add_files;
using test::counting_sink;
using test::fake_os;
using test::finish;
using test::hang;
using test::load_rig;

// Counts what it decodes on the thread that made it, and on others.
class thread_decoder final : public decoder {
 public:
  const char* name() const noexcept override { return "thread"; }
  bool accepts(std::string_view, std::span<const std::byte>) const noexcept override {
    return true;
  }
  result<decoded_asset> decode(std::span<const std::byte>, allocator& memory,
                               parallel_runner&) const noexcept override {
    ++(std::this_thread::get_id() == main_ ? on_main : on_others);
    return decoded_asset::make(asset_kind::texture, 10, memory);
  }

  mutable std::atomic<int> on_main{0};
  mutable std::atomic<int> on_others{0};

 private:
  std::thread::id main_ = std::this_thread::get_id();
};

// Two files of 40 ms each, as far as the load knows, and a worker that is busy until `gate` opens.
class a_lent_thread : public ::testing::TestWithParam<bool> {
 protected:
  a_lent_thread() {
    add_files(os_, 2, 1u << 20);
    os_.set_cached(GetParam());
    rig_.mount({"/game"});
    rig_.jobs.submit([this] {
      worker_is_busy_.lower();
      gate_.wait();
    });
    worker_is_busy_.wait();
  }

  fake_os os_;
  barricade worker_is_busy_{barricade::raised};
  barricade gate_{barricade::raised};
  load_rig rig_{os_, {.workers = 1}};
  thread_decoder decoder_;
  std::array<const decoder*, 1> decoders_{&decoder_};
};

TEST_P(a_lent_thread, leaves_to_the_workers_what_takes_longer_than_its_time) {
  load_scope scope(rig_.files, rig_.reads, rig_.jobs, {.decoders = decoders_});
  ASSERT_TRUE(scope.start());
  for (int frame = 0; frame < 50; ++frame) EXPECT_FALSE(scope.wait_for(100us));
  EXPECT_EQ(decoder_.on_main, 0);
  gate_.lower();
  while (!scope.wait_for(100us)) {
  }
  EXPECT_EQ(decoder_.on_main, 0);
  EXPECT_EQ(decoder_.on_others, 2);
  EXPECT_EQ(scope.summary().files, 2u);
}

TEST_P(a_lent_thread, takes_it_if_it_has_the_time) {
  load_scope scope(rig_.files, rig_.reads, rig_.jobs, {.decoders = decoders_});
  ASSERT_TRUE(scope.start());
  for (int frame = 0; frame < 50; ++frame) EXPECT_FALSE(scope.wait_for(100us));
  EXPECT_TRUE(scope.wait_for(hang));
  EXPECT_EQ(decoder_.on_main, 2);
  gate_.lower();
}

TEST_P(a_lent_thread, ends_the_load_though_what_it_left_is_cancelled) {
  counting_sink sink;
  {
    load_scope scope(rig_.files, rig_.reads, rig_.jobs, {.decoders = decoders_, .sink = &sink});
    ASSERT_TRUE(scope.start());
    for (int frame = 0; frame < 50; ++frame) EXPECT_FALSE(scope.wait_for(100us));
    scope.cancel();
    gate_.lower();
    EXPECT_TRUE(scope.wait_for(hang));
  }
  EXPECT_EQ(sink.calls_, 0);
}

INSTANTIATE_TEST_SUITE_P(from, a_lent_thread, ::testing::Bool(), [](const auto& cached) {
  return cached.param ? "the_page_cache" : "the_disk";
});

TEST(a_thread_alone, loads_everything_by_pumping) {
  for (const bool one_thread : {false, true}) {
    for (const bool cached : {false, true}) {
      fake_os os;
      add_files(os, 20, 100'000);
      os.set_cached(cached);
      load_rig rig(os, {.workers = 0});
      rig.mount({"/game"});
      counting_sink sink;
      sink.one_thread_ = one_thread;
      load_scope scope(rig.files, rig.reads, rig.jobs, {.sink = &sink});
      ASSERT_TRUE(scope.start());
      const std::uint64_t until_ns = now_ns() + std::chrono::nanoseconds(hang).count();
      while (!scope.done()) {
        ASSERT_LT(now_ns(), until_ns);
        (void)scope.pump(0ns);
      }
      EXPECT_EQ(scope.progress().fraction, 1.0);
      EXPECT_EQ(sink.calls_, 20);
    }
  }
}

TEST(a_thread_alone, ends_a_cancelled_load_by_pumping) {
  for (const bool cached : {false, true}) {
    fake_os os;
    add_files(os, 20, 1000);
    os.set_cached(cached);
    load_rig rig(os, {.workers = 0});
    rig.mount({"/game"});
    counting_sink sink;
    sink.one_thread_ = true;
    load_scope scope(rig.files, rig.reads, rig.jobs, {.sink = &sink});
    ASSERT_TRUE(scope.start());
    (void)scope.pump(0ns);
    scope.cancel();
    const std::uint64_t until_ns = now_ns() + std::chrono::nanoseconds(hang).count();
    while (!scope.done()) {
      ASSERT_LT(now_ns(), until_ns);
      (void)scope.pump(0ns);
    }
    const load_summary sum = scope.summary();
    EXPECT_EQ(sum.files + sum.cancelled, 20u);
    EXPECT_LT(sum.ns, std::uint64_t{1} << 62);
  }
}

TEST(a_thread_alone, returns_from_pump_when_there_is_nothing_to_do) {
  fake_os os;
  add_files(os, 2, 1000);
  load_rig rig(os, {.workers = 0});
  rig.mount({"/game"});
  rig.reads.suspend();
  load_scope scope(rig.files, rig.reads, rig.jobs);
  ASSERT_TRUE(scope.start());
  EXPECT_EQ(scope.pump(hang), 0u);
  EXPECT_EQ(scope.progress().awaiting_reads, 2u);
  rig.reads.resume();
  finish(scope);
}

}  // namespace
}  // namespace overture::lending_test

// SPDX-License-Identifier: Zlib
//
// In which order files begin, and what loaders share and keep from file to file.
#include "load/loader.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "load/load_rig.hpp"
#include "overture/sync/barricade.hpp"
#include "overture/trace/timeline.hpp"
#include "support/zip_writer.hpp"

namespace overture::loader_test {
namespace {

using namespace std::chrono_literals;
using test::fake_os;
using test::finish;
using test::hang;
using test::load_rig;
using test::os_call;

class sink_of : public asset_sink {
 public:
  explicit sink_of(std::function<void(entry_index)> body) : body_(std::move(body)) {}
  result<void> finalize(entry_index entry, decoded_asset&, std::span<const std::byte>) override {
    body_(entry);
    return {};
  }

 private:
  std::function<void(entry_index)> body_;
};

std::string text_of(const zip_writer& zip) {
  const auto& bytes = zip.bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(loader, begins_with_the_large_files_of_archives_the_largest_first) {
  zip_writer zip;
  for (const char* name : {"a", "b", "c"}) zip.add({.name = name, .data = "small"});
  zip.add({.name = "d_large", .data = std::string(300'000, 'x')});
  zip.add({.name = "e", .data = "small"});
  zip.add({.name = "f_larger", .data = std::string(400'000, 'x'), .method = zip_deflated});
  fake_os os;
  os.add_file("/game.zip", text_of(zip));
  load_rig rig(os, {.workers = 0});
  rig.mount({"/game.zip"});
  std::vector<std::string> order;
  sink_of sink([&](entry_index entry) { order.emplace_back(rig.files.entry(entry).path); });
  load_scope scope(rig.files, rig.reads, rig.jobs, {.sink = &sink});
  os.set_cached(true);
  ASSERT_TRUE(scope.start());
  finish(scope);
  EXPECT_EQ(order, (std::vector<std::string>{"f_larger", "d_large", "a", "b", "c", "e"}));
}

TEST(loader, resumes_on_all_threads_when_the_budget_has_room_again) {
  fake_os os;
  os.add_file("/game/a_huge.bin", std::string(500'000, 'h'));
  for (int i = 0; i < 400; ++i) os.add_file("/game/b" + std::to_string(i), "small");
  os.set_cached(true);
  load_rig rig(os, {.workers = 3});
  rig.mount({"/game"});
  const entry_index huge = 0;
  ASSERT_EQ(rig.files.entry(huge).path, "a_huge.bin");
  barricade huge_is_there{barricade::raised};
  std::atomic<int> others_before{0};
  constexpr int others_before_max = 200;
  // Holds the first small file after the huge one until a second thread has one too.
  std::mutex lock;
  std::set<std::thread::id> threads;
  barricade two_came{barricade::raised};
  sink_of sink([&](entry_index entry) {
    if (entry == huge) {
      huge_is_there.lower();
      // Nothing can begin meanwhile, so the other loaders end, given the time. If they do not, the
      // test proves less but still holds.
      std::this_thread::sleep_for(20ms);
      return;
    }
    if (!huge_is_there.is_lowered()) {
      // Leaves enough files for two threads, however late the thread with the huge one is.
      if (++others_before >= others_before_max) (void)huge_is_there.wait_for(hang);
      return;
    }
    {
      const std::lock_guard hold(lock);
      threads.insert(std::this_thread::get_id());
      if (threads.size() >= 2) two_came.lower();
    }
    if (!two_came.wait_for(hang)) {
      ADD_FAILURE() << "only one thread resumed";
      two_came.lower();
    }
  });
  load_scope scope(rig.files, rig.reads, rig.jobs, {.budget_bytes = 400'000, .sink = &sink});
  ASSERT_TRUE(scope.start());
  finish(scope);
  EXPECT_EQ(scope.summary().files, 401u);
  EXPECT_LT(others_before, 400);
}

TEST(loader, records_which_files_waited_for_room_and_whose_it_was) {
  fake_os os;
  for (const char* name : {"/game/a.bin", "/game/b.bin", "/game/c.bin"}) {
    os.add_file(name, std::string(300'000, name[6]));
  }
  load_rig rig(os, {.workers = 0});
  rig.mount({"/game"});
  timeline record;
  ASSERT_TRUE(record.attach_thread("main"));
  {
    load_scope scope(rig.files, rig.reads, rig.jobs, {.budget_bytes = 400'000});
    ASSERT_TRUE(scope.start());
    finish(scope);
    EXPECT_EQ(scope.summary().files, 3u);
  }
  record.detach_thread();
  std::set<std::uint64_t> waited;
  (void)record.track(0).for_each_event([&](const trace_event& event) {
    if (event.kind != event_kind::room) return;
    EXPECT_STREQ(event.name, idle_reasons::budget);
    EXPECT_LE(event.begin_ns, event.end_ns);
    ASSERT_NE(event.value, 0u);
    EXPECT_NE(event.value - 1, event.subject) << "a file does not wait for itself";
    EXPECT_LT(event.value - 1, 3u);
    waited.insert(event.subject);
  });
  // One file at a time fits, and those that asked meanwhile waited.
  EXPECT_FALSE(waited.empty());
}

// The loader holds a credit of 50,000 out of a budget of 800,000, the large file exceeds the budget
// by less than that, and the last file costs more than the credit. It must wait; otherwise the only
// thread, which could finish the others, would retry it for ever.
TEST(loader, makes_a_file_wait_that_costs_more_than_its_credit) {
  fake_os os;
  os.add_file("/game/a_small.bin", std::string(100, 's'));
  os.add_file("/game/b_large.bin", std::string(790'000, 'l'));
  os.add_file("/game/c_middling.bin", std::string(100'000, 'm'));
  barricade gate{barricade::raised};
  os.before_each_call([&](const test::os_call_info& call) {
    if (call.kind == os_call::read) gate.wait();
  });
  load_rig rig(os, {.workers = 0});
  rig.mount({"/game"});
  load_scope scope(rig.files, rig.reads, rig.jobs, {.budget_bytes = 800'000});
  ASSERT_TRUE(scope.start());
  EXPECT_FALSE(scope.wait_for(1ms));
  gate.lower();
  finish(scope);
  EXPECT_EQ(scope.summary().files, 3u);
}

TEST(loader, allocates_no_more_for_more_files) {
  const auto allocations = [](int files) {
    zip_writer zip;
    for (int i = 0; i < files; ++i) {
      zip.add({.name = std::to_string(i),
               .data = std::string(static_cast<std::size_t>(100 + i), 'x'),
               .method = i % 2 == 0 ? zip_stored : zip_deflated});
    }
    fake_os os;
    os.add_file("/game.zip", text_of(zip));
    os.set_cached(true);
    load_rig rig(os, {.workers = 0});
    rig.mount({"/game.zip"});
    tracking_allocator memory;
    load_scope scope(rig.files, rig.reads, rig.jobs, {.decode = false, .memory = &memory});
    EXPECT_TRUE(scope.start());
    finish(scope);
    EXPECT_EQ(scope.summary().files, static_cast<std::uint64_t>(files));
    return memory.total().allocations;
  };
  EXPECT_EQ(allocations(1000), allocations(100));
}

TEST(loader, keeps_the_scratch_of_all_threads_small_beside_the_budget) {
  zip_writer zip;
  for (int i = 0; i < 40; ++i) {
    zip.add({.name = std::to_string(i),
             .data = std::string(3'000'000, static_cast<char>('a' + i)),
             .method = zip_deflated});
  }
  fake_os os;
  os.add_file("/game.zip", text_of(zip));
  os.set_cached(true);
  load_rig rig(os, {.workers = 3});
  rig.mount({"/game.zip"});
  tracking_allocator memory;
  load_scope scope(rig.files, rig.reads, rig.jobs,
                   {.decode = false, .budget_bytes = 8'000'000, .memory = &memory});
  ASSERT_TRUE(scope.start());
  finish(scope);
  EXPECT_EQ(scope.summary().files, 40u);
  EXPECT_LE(memory.total().peak_bytes, 8'000'000u + 2 * 4'194'304u);
}

}  // namespace
}  // namespace overture::loader_test

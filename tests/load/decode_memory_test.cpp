// SPDX-License-Identifier: Zlib
//
// How decoder output and the memory budget interact.
#include "load/decode_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "load/load_rig.hpp"
#include "overture/sync/barricade.hpp"

namespace overture::decode_memory_test {
namespace {

using test::fake_os;
using test::finish;
using test::hang;
using test::load_rig;
using test::outcomes;

constexpr std::size_t decoded_bytes = 1'000'000;

// Decodes a small file to a large block filled with its first byte.
class swelling_decoder final : public decoder {
 public:
  const char* name() const noexcept override { return "swelling"; }
  bool accepts(std::string_view path, std::span<const std::byte>) const noexcept override {
    return path.ends_with(".big");
  }
  result<decoded_asset> decode(std::span<const std::byte> bytes, allocator& memory,
                               parallel_runner&) const noexcept override {
    // Makes files that already hold memory ask for more at the same time.
    if (arrived.fetch_add(1) < meets) {
      if (arrived == meets) all_there.lower();
      EXPECT_TRUE(all_there.wait_for(hang));
    }
    result<decoded_asset> made;
    int turn = 0;
    {
      const std::lock_guard hold(lock_);  // so that the turns are in the order of the ledger
      made = decoded_asset::make(asset_kind::texture, decoded_bytes, memory);
      turn = made ? ++given : (++refused, 0);
    }
    if (between) between(turn);
    if (made) std::fill(made->bytes().begin(), made->bytes().end(), bytes[0]);
    return made;
  }
  int meets = 0;
  mutable std::atomic<int> arrived{0};
  mutable barricade all_there{barricade::raised};
  mutable std::atomic<int> given{0};
  mutable std::atomic<int> refused{0};
  // Called before the block is filled. `given`: 1 for the first file that got memory, and so on; 0
  // for a file that got none.
  std::function<void(int given)> between;

 private:
  mutable std::mutex lock_;
};

// Compares assets with their files, and keeps them beyond the load if asked.
class comparing_sink final : public asset_sink {
 public:
  explicit comparing_sink(bool keeps, bool one_thread = false)
      : keeps_(keeps), one_thread_(one_thread) {}
  [[nodiscard]] bool one_thread() const noexcept override { return one_thread_; }
  result<void> finalize(entry_index, decoded_asset& asset,
                        std::span<const std::byte> bytes) override {
    if (before) before(bytes.size());
    const std::lock_guard hold(lock_);
    ++files;
    const std::byte first = bytes[0];
    const auto same = [&](std::byte byte) { return byte == first; };
    if (!std::all_of(bytes.begin(), bytes.end(), same) ||
        !std::all_of(asset.bytes().begin(), asset.bytes().end(), same)) {
      return fail(errc::corrupt, "not the bytes of the file");
    }
    if (keeps_) kept.push_back(std::move(asset));
    return {};
  }
  std::function<void(std::size_t bytes)> before;
  int files = 0;
  std::vector<decoded_asset> kept;

 private:
  std::mutex lock_;
  bool keeps_;
  bool one_thread_;
};

class decode_budget : public ::testing::Test {
 protected:
  decode_budget() { os_.set_cached(true); }
  void add_files(int large, int small) {
    for (int i = 0; i < large + small; ++i) {
      const char byte = static_cast<char>('A' + i % 50);
      os_.add_file("/game/" + std::to_string(100 + i) + (i < large ? ".big" : ".bin"),
                   std::string(10'000, byte));
    }
  }
  load_options options(asset_sink& sink) {
    return {.decoders = decoders_, .budget_bytes = 300'000, .sink = &sink, .memory = &memory_};
  }
  std::size_t peak() { return memory_.usage(memory_tag::decode).peak_bytes; }

  fake_os os_;
  tracking_allocator memory_;
  swelling_decoder decoder_;
  const decoder* const decoders_[1] = {&decoder_};
};

TEST_F(decode_budget, makes_a_large_file_wait_with_its_content_while_another_fills_it) {
  add_files(2, 20);
  load_rig rig(os_, {.workers = 1});
  rig.mount({"/game"});
  comparing_sink sink(true);
  decoder_.meets = 2;
  barricade refused{barricade::raised};
  decoder_.between = [&](int given) {
    if (given == 0) refused.lower();
    EXPECT_TRUE(refused.wait_for(hang));
  };
  {
    load_scope scope(rig.files, rig.reads, rig.jobs, options(sink));
    ASSERT_TRUE(scope.start());
    finish(scope);
    EXPECT_EQ(scope.summary().failed, 0u);
    EXPECT_EQ(scope.summary().decoded_bytes, 2 * decoded_bytes);
  }
  EXPECT_EQ(decoder_.refused, 1);
  EXPECT_EQ(sink.files, 22);
}

// The loader that deferred the file reads others into its scratch while another loader decodes it.
TEST_F(decode_budget, keeps_the_content_of_a_waiting_file_from_being_overwritten) {
  constexpr std::size_t large = 20'000;
  for (int i = 0; i < 3; ++i) {
    os_.add_file("/game/0" + std::to_string(i) + ".big", std::string(large, 'L'));
  }
  add_files(0, 60);
  load_rig rig(os_, {.workers = 2});
  rig.mount({"/game"});
  barricade refused{barricade::raised};
  barricade taken_up{barricade::raised};
  barricade both_threads_read{barricade::raised};
  barricade go_on{barricade::lowered};
  decoder_.meets = 3;
  decoder_.between = [&](int given) {
    if (given == 0) refused.lower();
    if (given == 3) taken_up.lower();
    // The second one has the ledger's ticket, which the third one needs.
    barricade* const awaited[] = {&go_on, &taken_up, &refused, &both_threads_read};
    EXPECT_TRUE(awaited[given]->wait_for(hang));
  };
  comparing_sink sink(false);
  std::mutex lock;
  std::set<std::thread::id> threads;
  sink.before = [&](std::size_t bytes) {
    if (bytes == large) return;
    {
      const std::lock_guard hold(lock);
      threads.insert(std::this_thread::get_id());
      if (threads.size() == 2) both_threads_read.lower();
    }
    EXPECT_TRUE(both_threads_read.wait_for(hang));
  };
  load_options requested = options(sink);
  requested.budget_bytes = 1'500'000;
  load_scope scope(rig.files, rig.reads, rig.jobs, requested);
  ASSERT_TRUE(scope.start());
  finish(scope);
  EXPECT_EQ(decoder_.refused, 1);
  EXPECT_EQ(scope.summary().failed, 0u);
  EXPECT_EQ(sink.files, 63);
}

TEST_F(decode_budget, decodes_files_one_at_a_time_if_each_fills_it) {
  for (const unsigned workers : {0u, 1u, 3u}) {
    add_files(40, 40);
    load_rig rig(os_, {.workers = workers});
    rig.mount({"/game"});
    comparing_sink sink(false);
    load_scope scope(rig.files, rig.reads, rig.jobs, options(sink));
    ASSERT_TRUE(scope.start());
    finish(scope);
    EXPECT_EQ(scope.summary().failed, 0u) << workers;
    EXPECT_EQ(sink.files, 80) << workers;
    EXPECT_EQ(peak(), decoded_bytes) << workers;
    EXPECT_LE(scope.summary().in_flight_bytes_max, 300'000 + decoded_bytes + 10'000) << workers;
  }
}

TEST_F(decode_budget, is_released_when_a_one_thread_sink_is_done_with_a_file) {
  add_files(10, 10);
  load_rig rig(os_, {.workers = 2});
  rig.mount({"/game"});
  comparing_sink sink(false, true);
  load_scope scope(rig.files, rig.reads, rig.jobs, options(sink));
  ASSERT_TRUE(scope.start());
  finish(scope);
  EXPECT_EQ(sink.files, 20);
  EXPECT_EQ(peak(), decoded_bytes);
}

TEST_F(decode_budget, lets_a_waiting_file_be_cancelled) {
  add_files(2, 0);
  load_rig rig(os_, {.workers = 1});
  rig.mount({"/game"});
  comparing_sink sink(false);
  decoder_.meets = 2;
  barricade refused{barricade::raised};
  barricade go_on{barricade::raised};
  decoder_.between = [&](int given) {
    if (given == 0) refused.lower();
    if (given != 0) {
      EXPECT_TRUE(go_on.wait_for(hang));
    }
  };
  load_scope scope(rig.files, rig.reads, rig.jobs, options(sink));
  ASSERT_TRUE(scope.start());
  std::thread host([&] {
    EXPECT_TRUE(refused.wait_for(hang));
    scope.cancel();
    go_on.lower();
  });
  finish(scope);
  host.join();
  int cancelled = 0;
  for (const auto& [path, outcome] : outcomes(rig, scope)) cancelled += outcome == "cancelled";
  EXPECT_EQ(cancelled, 2);  // the other one ends with its stage
  EXPECT_EQ(sink.files, 0);
}

// Memory that the host refuses is not a full budget.
TEST_F(decode_budget, does_not_retry_a_file_for_which_the_host_has_no_memory) {
  class refusing_allocator final : public allocator {
   public:
    void* allocate(std::size_t bytes, std::size_t alignment, memory_tag tag) noexcept override {
      return tag == memory_tag::decode ? nullptr
                                       : default_allocator().allocate(bytes, alignment, tag);
    }
    void deallocate(void* memory, std::size_t bytes, std::size_t alignment,
                    memory_tag tag) noexcept override {
      default_allocator().deallocate(memory, bytes, alignment, tag);
    }
  } memory;
  add_files(5, 5);
  load_rig rig(os_, {.workers = 2});
  rig.mount({"/game"});
  comparing_sink sink(false);
  load_options requested = options(sink);
  requested.memory = &memory;
  load_scope scope(rig.files, rig.reads, rig.jobs, requested);
  ASSERT_TRUE(scope.start());
  finish(scope);
  EXPECT_EQ(scope.summary().failed, 5u);
  EXPECT_EQ(outcomes(rig, scope)["100.big"], "decode: out_of_memory");
  EXPECT_EQ(sink.files, 5);
}

}  // namespace
}  // namespace overture::decode_memory_test

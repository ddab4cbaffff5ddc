// SPDX-License-Identifier: Zlib
//
// Loading from solid archives: the blocks count in the ledger, and files wait for them.
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "load/load_rig.hpp"
#include "overture/sync/memory_ledger.hpp"
#include "overture/sync/wait_observer.hpp"
#include "overture/trace/timeline.hpp"
#include "support/seven_zip_writer.hpp"

namespace overture::solid_block_test {
namespace {

using test::fake_os;
using test::finish;
using test::load_rig;
using test::os_call;
using test::os_call_info;

constexpr std::size_t block_bytes = 4u << 20;
constexpr std::uint64_t working_bytes = 64u << 10;  // the writer's dictionary

// One solid block of some 4 MiB with a large file and a few small ones.
std::string archive_of(char name) {
  seven_zip_writer archive;
  const std::string prefix(1, name);
  archive.add({.files = {{prefix + "/large", std::string(block_bytes - 40, name)},
                         {prefix + "/a", "aaaaaaaaaa"},
                         {prefix + "/b", "bbbbbbbbbb"},
                         {prefix + "/c", "cccccccccc"}}});
  return archive.bytes();
}

struct solid_blocks : ::testing::TestWithParam<bool> {
  solid_blocks() {
    for (char name = 'p'; name < 'v'; ++name) {
      os.add_file(std::string("/") + name + ".7z", archive_of(name));
    }
    os.set_cached(GetParam());
  }
  void load(file_system& files, load_options options) {
    for (char name = 'p'; name < 'v'; ++name) {
      ASSERT_TRUE(files.mount((std::string("/") + name + ".7z").c_str()));
    }
    ASSERT_TRUE(files.freeze());
    thread_pool jobs({.workers = 4});
    read_queue reads(files, {.threads = 4});
    load_scope scope(files, reads, jobs, options);
    ASSERT_TRUE(scope.start());
    finish(scope);
    EXPECT_EQ(scope.summary().failed, 0u);
    scope.for_each_file([&](const loaded_file& file) {
      if (file.failure) ADD_FAILURE() << file.failure->reason;
    });
    EXPECT_EQ(scope.summary().files, 24u);
  }
  fake_os os;
  tracking_allocator memory;
};

TEST_P(solid_blocks, are_unpacked_one_at_a_time_if_each_exceeds_the_budget) {
  memory_ledger ledger(1u << 20);
  {
    file_system files({.memory = &memory, .os = &os, .ledger = &ledger});
    load(files, {.decode = false, .ledger = &ledger});
    // The block, its dictionary, and the large file that is copied out of it.
    EXPECT_LE(ledger.peak(), (1u << 20) + 2 * block_bytes + working_bytes);
    EXPECT_GE(ledger.peak(memory_tag::vfs), block_bytes);
  }
  EXPECT_LT(memory.usage(memory_tag::vfs).peak_bytes, 2 * block_bytes);
  EXPECT_EQ(ledger.used(), 0u);
}

TEST_P(solid_blocks, are_bounded_by_the_ledger_of_the_file_system_if_the_load_has_another) {
  memory_ledger ledger(9u << 20);
  {
    file_system files({.memory = &memory, .os = &os, .ledger = &ledger});
    load(files, {.decode = false, .budget_bytes = 1u << 20});
  }
  EXPECT_LE(ledger.peak(), (9u << 20) + block_bytes + working_bytes);
  EXPECT_LT(memory.usage(memory_tag::vfs).peak_bytes, (9u << 20) + 2 * block_bytes);
  EXPECT_EQ(ledger.used(), 0u);
}

// Counts how often a block is unpacked, each into memory of its own.
class block_counter final : public allocator {
 public:
  void* allocate(std::size_t bytes, std::size_t alignment, memory_tag tag) noexcept override {
    if (tag == memory_tag::vfs && bytes == block_bytes) blocks.fetch_add(1);
    return default_allocator().allocate(bytes, alignment, tag);
  }
  void deallocate(void* memory, std::size_t bytes, std::size_t alignment,
                  memory_tag tag) noexcept override {
    default_allocator().deallocate(memory, bytes, alignment, tag);
  }
  std::atomic<int> blocks{0};
};

TEST_P(solid_blocks, are_unpacked_once_even_if_their_files_take_turns_in_the_tree) {
  constexpr int block_count = 4;
  constexpr int files_in_block = 40;
  seven_zip_writer archive;
  for (int block = 0; block < block_count; ++block) {
    std::vector<seven_zip_file> files;
    for (int file = 0; file < files_in_block; ++file) {
      files.push_back({std::to_string(file + 100) + "." + std::to_string(block), "0123456789"});
    }
    const std::size_t rest = block_bytes - 10 * files_in_block;
    files.push_back({"large." + std::to_string(block), std::string(rest, 'x')});
    archive.add({.files = files});
  }
  os.add_file("/turns.7z", archive.bytes());
  block_counter counting;
  memory_ledger ledger(1u << 20);
  file_system files({.memory = &counting, .os = &os, .ledger = &ledger});
  ASSERT_TRUE(files.mount("/turns.7z"));
  ASSERT_TRUE(files.freeze());
  for (const unsigned workers : {0u, 3u}) {
    counting.blocks = 0;
    thread_pool jobs({.workers = workers});
    read_queue reads(files, {.threads = 2});
    load_scope scope(files, reads, jobs, {.decode = false, .ledger = &ledger});
    ASSERT_TRUE(scope.start());
    finish(scope);
    EXPECT_EQ(scope.summary().files, 1u * block_count * (files_in_block + 1));
    // Tries count that find the packed bytes not cached, but no block is unpacked for each file.
    EXPECT_LE(counting.blocks, files_in_block);
  }
}

// What a load measured, by its files.
struct block_sums {
  std::uint64_t unpacked_for = 0;  // files
  std::uint64_t unpack_ns = 0;
  std::uint64_t wait_ns = 0;
  std::uint64_t disk_bytes = 0;
  std::uint64_t cached_bytes = 0;
};

block_sums sums_of(const load_scope& scope) {
  block_sums sums;
  EXPECT_TRUE(scope.for_each_file([&](const loaded_file& file) {
    if (file.block_unpack_ns != 0) ++sums.unpacked_for;
    sums.unpack_ns += file.block_unpack_ns;
    sums.wait_ns += file.block_wait_ns;
    sums.disk_bytes += file.disk_bytes;
    sums.cached_bytes += file.cached_bytes;
    const std::uint64_t unpack_ns = file.stage_ns[static_cast<std::size_t>(load_stage::unpack)];
    EXPECT_GE(unpack_ns, file.block_unpack_ns);
    // No time counts twice.
    const std::uint64_t read_ns = file.stage_ns[static_cast<std::size_t>(load_stage::read)];
    EXPECT_LE(read_ns + file.device_ns + unpack_ns + file.block_wait_ns, scope.summary().ns);
    if (file.block_unpack_ns != 0) return;
    EXPECT_EQ(file.disk_bytes + file.cached_bytes, 0u) << file.path;
  }));
  return sums;
}

// As many packed bytes as the archive has are read, and no byte for the files that share the block.
TEST_P(solid_blocks, are_unpacked_in_unpack_and_read_once) {
  const std::string archive = archive_of('x');
  os.add_file("/x.7z", archive);
  for (const unsigned workers : {0u, 3u}) {
    file_system files({.os = &os});
    ASSERT_TRUE(files.mount("/x.7z"));
    ASSERT_TRUE(files.freeze());
    timeline times;
    ASSERT_TRUE(times.attach_thread("main"));
    thread_pool jobs({.workers = workers, .record = &times});
    read_queue reads(files, {.threads = 2, .record = &times});
    load_scope scope(files, reads, jobs, {.decode = false});
    ASSERT_TRUE(scope.start());
    finish(scope);
    times.detach_thread();
    EXPECT_EQ(scope.summary().files, 4u);
    const block_sums sums = sums_of(scope);
    EXPECT_EQ(sums.unpacked_for, 1u);
    const read_summary& read = scope.summary().reads;
    EXPECT_EQ(read.disk_bytes, sums.disk_bytes);
    EXPECT_EQ(read.cached_bytes, sums.cached_bytes);
    EXPECT_EQ(read.block_wait_ns, sums.wait_ns);
    const std::uint64_t packed = GetParam() ? sums.cached_bytes : sums.disk_bytes;
    EXPECT_EQ(GetParam() ? sums.disk_bytes : sums.cached_bytes, 0u);
    EXPECT_GT(packed, 0u);
    EXPECT_LT(packed, archive.size());
  }
}

// Notes when its thread waits the first time, and for what it waited in all.
class wait_listener final : public wait_observer {
 public:
  wait_listener() : before_(set_wait_observer(this)) {}
  ~wait_listener() override { set_wait_observer(before_); }
  void wait_begins(const char* reason) noexcept override {
    if (reason != std::string_view(wait_reasons::lock)) waits = true;
    reasons.insert(reason);
  }
  void wait_was_for(const char* reason, std::uint64_t) noexcept override { reasons.insert(reason); }
  void wait_ends() noexcept override {}

  std::atomic<bool> waits{false};
  std::set<std::string> reasons;

 private:
  wait_observer* before_;
};

// The packed bytes come only once the main thread waits.
TEST(solid_blocks_of_a_load, are_what_a_thread_without_work_waits_for) {
  fake_os os;
  os.add_file("/x.7z", archive_of('x'));
  os.set_cached(false);
  file_system files({.os = &os});
  ASSERT_TRUE(files.mount("/x.7z"));
  ASSERT_TRUE(files.freeze());
  thread_pool jobs({.workers = 0});
  read_queue reads(files, {.threads = 2});
  load_scope scope(files, reads, jobs, {.decode = false});
  wait_listener listens;
  os.before_each_call([&](const os_call_info& call) {
    while (call.kind == os_call::read && !listens.waits) std::this_thread::yield();
  });
  ASSERT_TRUE(scope.start());
  finish(scope);
  EXPECT_EQ(scope.summary().files, 4u);
  EXPECT_TRUE(listens.reasons.contains(idle_reasons::solid_block));
  EXPECT_FALSE(listens.reasons.contains(idle_reasons::read));
}

INSTANTIATE_TEST_SUITE_P(cached, solid_blocks, ::testing::Values(true));
INSTANTIATE_TEST_SUITE_P(uncached, solid_blocks, ::testing::Values(false));

}  // namespace
}  // namespace overture::solid_block_test

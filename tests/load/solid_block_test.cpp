// Loading from solid archives: the blocks count in the ledger, and files wait for them.
#include <gtest/gtest.h>

#include <string>

#include "load/load_rig.hpp"
#include "overture/sync/memory_ledger.hpp"
#include "support/seven_zip_writer.hpp"

namespace overture {
namespace {

using test::fake_os;
using test::finish;
using test::load_rig;

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

INSTANTIATE_TEST_SUITE_P(cached, solid_blocks, ::testing::Values(true));
INSTANTIATE_TEST_SUITE_P(uncached, solid_blocks, ::testing::Values(false));

}  // namespace
}  // namespace overture

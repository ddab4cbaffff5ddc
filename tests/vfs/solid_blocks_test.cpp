// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include <string>

#include "overture/sync/memory_ledger.hpp"
#include "overture/vfs/file_system.hpp"
#include "support/fake_os.hpp"
#include "support/seven_zip_writer.hpp"

namespace overture::solid_blocks_test {
namespace {

constexpr std::size_t block_bytes = 2u << 20;

struct solid_blocks : ::testing::Test {
  solid_blocks() {
    seven_zip_writer archive;
    archive.add({.files = {{"a", "aaaa"}, {"c", std::string(block_bytes - 4, 'c')}}});
    archive.add({.files = {{"b", "bbbb"}, {"d", "dddd"}}});
    archive.add({.method = seven_zip_method::copy, .files = {{"e", "stored"}}});
    os.add_file("/solid.7z", archive.bytes());
    os.add_file("/folder/f", "loose");
    os.set_cached(true);
    EXPECT_TRUE(files.mount("/solid.7z"));
    EXPECT_TRUE(files.mount("/folder"));
    EXPECT_TRUE(files.freeze());
  }
  test::fake_os os;
  memory_ledger ledger{1u << 20};
  file_system files{{.os = &os, .ledger = &ledger}};
};

TEST_F(solid_blocks, are_told_apart_by_mount_and_offset) {
  const solid_block first = files.block_of(0);
  const solid_block second = files.block_of(1);
  EXPECT_EQ(first.bytes, block_bytes);
  EXPECT_EQ(second.bytes, 8u);
  EXPECT_EQ(first.mount, second.mount);
  EXPECT_NE(first.offset, second.offset);
  EXPECT_EQ(files.block_of(2).offset, first.offset);
  EXPECT_EQ(files.block_of(3).offset, second.offset);
}

TEST_F(solid_blocks, contain_no_stored_and_no_loose_files) {
  EXPECT_EQ(files.block_of(4).bytes, 0u);
  EXPECT_EQ(files.block_of(5).bytes, 0u);
  EXPECT_EQ(files.block_of(6).bytes, 0u) << "no such file";
}

TEST_F(solid_blocks, keep_the_ticket_for_all_files_that_hold_them) {
  bool ticket = false;
  {
    result<opened_file> file = files.open(0);
    ASSERT_TRUE(file);
    const std::uint64_t room = file->block_room();
    ASSERT_GE(room, block_bytes);
    ASSERT_TRUE(ledger.take(room, memory_tag::vfs, ticket));
    ASSERT_TRUE(ticket) << "the block is larger than the limit";
    ASSERT_TRUE(file->hold_block(room, ticket));
    EXPECT_FALSE(ticket) << "the block has it";
    EXPECT_TRUE(file->block_has_ticket());
    buffer_pool buffers;
    ASSERT_TRUE(files.read_all({"a", {hash64("a")}}, buffers));
    file->release_block();
  }
  result<opened_file> file = files.open(2);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->block_room(), 0u);
  EXPECT_FALSE(file->block_has_ticket()) << "the file does not hold the block";
  ASSERT_TRUE(file->hold_block(0, ticket));
  EXPECT_TRUE(file->block_has_ticket());
  EXPECT_FALSE(ledger.take(1, memory_tag::load, ticket)) << "the block cannot be evicted";
  file->release_block();
  EXPECT_TRUE(ledger.take(1, memory_tag::load, ticket)) << "now it can";
  EXPECT_FALSE(ticket);
  ledger.give_back(1, memory_tag::load);
}

}  // namespace
}  // namespace overture::solid_blocks_test

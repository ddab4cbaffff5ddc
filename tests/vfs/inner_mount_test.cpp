// SPDX-License-Identifier: Zlib
//
// Archives that are files of the tree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "overture/sync/memory_ledger.hpp"
#include "support/failing_allocator.hpp"
#include "support/memory_file_os.hpp"
#include "support/tar_writer.hpp"
#include "support/zip_writer.hpp"
#include "vfs/tree_reader.hpp"

namespace overture::inner_mount_test {
namespace {

using namespace literals;
using ::testing::ElementsAre;
using ::testing::Pair;

std::string outer() {
  zip_writer inner;
  inner.add({.name = "a.txt", .data = "inner a"});
  inner.add({.name = "b.txt", .data = std::string(3000, 'b'), .method = zip_deflated});
  zip_writer zip;
  zip.add({.name = "a.txt", .data = "outer a"});
  zip.add({.name = "mods/one.pk3", .data = inner.bytes(), .method = zip_deflated});
  zip.add({.name = "mods/two.tar", .data = write_tar({{.name = "c.txt", .data = "c"}})});
  zip.add({.name = "text.zip", .data = "no archive"});
  return zip.bytes();
}

TEST(an_inner_mount, has_the_files_of_an_archive_in_the_tree) {
  const std::string bytes = outer();
  tracking_allocator memory;
  {
    memory_file_os os(bytes);
    file_system files({.memory = &memory, .os = &os});
    ASSERT_TRUE(files.mount("outer.zip"));
    const result<mount_id> one = files.mount_inside("mods/one.pk3"_path);
    ASSERT_TRUE(one) << one.error().reason;
    EXPECT_EQ(files.mount_of(*one).path, "mods/one.pk3");
    ASSERT_TRUE(files.mount_inside("mods/two.tar"_path, {.at = "more"}));
    EXPECT_EQ(load(files, "a.txt"), "inner a") << "it was mounted later";
    EXPECT_EQ(load(files, "b.txt"), std::string(3000, 'b'));
    EXPECT_EQ(load(files, "more/c.txt"), "c");
    ASSERT_TRUE(files.unmount(*one));
    EXPECT_EQ(load(files, "a.txt"), "outer a");
  }
  EXPECT_EQ(memory.total().bytes, 0u);
}

TEST(an_inner_mount, tells_when_it_is_gone) {
  const std::string bytes = outer();
  memory_file_os os(bytes);
  int released = 0;
  {
    file_system files({.os = &os});
    ASSERT_TRUE(files.mount("outer.zip"));
    const mount_release release{[](void* count) noexcept { ++*static_cast<int*>(count); },
                                &released};
    const result<mount_id> one = files.mount_inside("mods/one.pk3"_path, {.release = release});
    ASSERT_TRUE(one);
    EXPECT_EQ(released, 0);
    ASSERT_TRUE(files.unmount(*one));
    EXPECT_EQ(released, 1);
  }
  EXPECT_EQ(released, 1);
}

TEST(an_inner_mount, counts_in_the_ledger) {
  zip_writer inner;
  inner.add({.name = "large", .data = std::string(3u << 20, 'x')});
  zip_writer zip;
  zip.add({.name = "inner.zip", .data = inner.bytes()});
  const std::string bytes = zip.bytes();
  memory_file_os os(bytes);
  memory_ledger large(8u << 20);
  {
    file_system files({.os = &os, .ledger = &large});
    ASSERT_TRUE(files.mount("outer.zip"));
    ASSERT_TRUE(files.mount_inside("inner.zip"_path));
    EXPECT_GE(large.used(), 3u << 20);
  }
  EXPECT_EQ(large.used(), 0u);
  memory_ledger small(2u << 20);
  file_system files({.os = &os, .ledger = &small});
  ASSERT_TRUE(files.mount("outer.zip"));
  const result<mount_id> refused = files.mount_inside("inner.zip"_path);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, errc::limit);
  EXPECT_EQ(small.used(), 0u);
  bool ticket = false;
  EXPECT_TRUE(small.take_now(3u << 20, memory_tag::vfs, ticket)) << "the ticket is free";
  small.give_back(3u << 20, memory_tag::vfs);
  small.end_item(ticket);
}

TEST(an_inner_mount, fails_as_the_file_or_the_archive_does) {
  const std::string bytes = outer();
  memory_file_os os(bytes);
  file_system files({.os = &os});
  ASSERT_TRUE(files.mount("outer.zip"));
  EXPECT_EQ(files.mount_inside("none"_path).error().code, errc::not_found);
  EXPECT_EQ(files.mount_inside("mods"_path).error().code, errc::not_a_file);
  EXPECT_EQ(files.mount_inside("text.zip"_path).error().code, errc::unsupported);
  ASSERT_TRUE(files.freeze());
  EXPECT_EQ(files.mount_inside("mods/one.pk3"_path).error().code, errc::frozen);
}

TEST(an_inner_mount, without_memory_fails_and_loses_none) {
  const std::string bytes = outer();
  for (std::uint64_t call = 0;; ++call) {
    failing_allocator memory(call);
    bool mounted = false;
    {
      memory_file_os os(bytes);
      file_system files({.memory = &memory, .os = &os});
      mounted = files.mount("outer.zip") && files.mount_inside("mods/one.pk3"_path);
    }
    EXPECT_EQ(memory.live_bytes(), 0);
    if (mounted && memory.refusals() == 0) break;
  }
}

}  // namespace
}  // namespace overture::inner_mount_test

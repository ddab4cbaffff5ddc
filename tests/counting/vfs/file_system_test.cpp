// SPDX-License-Identifier: Zlib
//
// Which shared cache lines threads write when they look up, open and read.
#include "overture/vfs/file_system.hpp"

#include <gtest/gtest.h>

#include <future>
#include <set>
#include <string>
#include <thread>

#include "overture/vfs/file_reader.hpp"
#include "support/wake_calls.hpp"
#include "support/zip_writer.hpp"
#include "sync/wait.hpp"

namespace overture::file_system_test {
namespace {

using namespace literals;
using counting::recording;

class shared_tree : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    zip_writer zip;
    zip.add({.name = "stored", .data = std::string(5000, 's')});
    zip.add({.name = "deflated", .data = std::string(5000, 'd'), .method = zip_deflated});
    zip.add({.name = "folder/file", .data = "x"});
    bytes = zip.bytes();
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(files.mount_memory("zip", std::as_bytes(std::span(bytes))));
    }
    if (GetParam()) {
      ASSERT_TRUE(files.freeze());
    }
  }

  // Two threads do the same concurrently: neither writes to a cache line of the other.
  template <class Act>
  void expect_no_line_in_common(Act act) {
    std::promise<void> second_is_done;
    std::set<std::uintptr_t> first;
    std::set<std::uintptr_t> second;
    std::promise<void> first_is_done;
    // The first thread stays until the second is done, or the second would get its slot.
    std::thread one([&] {
      first = lines_written(act);
      first_is_done.set_value();
      second_is_done.get_future().wait();
    });
    first_is_done.get_future().wait();
    std::thread([&] { second = lines_written(act); }).join();
    second_is_done.set_value();
    one.join();
    for (const std::uintptr_t line : first) EXPECT_FALSE(second.contains(line));
  }
  // The cache lines that this thread writes with atomics during the action.
  template <class Act>
  static std::set<std::uintptr_t> lines_written(Act act) {
    act();  // warms up: excludes what a thread does only once
    const sync_detail::wait_counts before = sync_detail::wait_layer::counts();
    const std::uint64_t wakes = test::wake_calls();
    std::set<std::uintptr_t> lines;
    const recording seen;
    act();
    for (const recording::entry& each : seen) {
      if (each.done.writes() != 0) lines.insert(reinterpret_cast<std::uintptr_t>(each.object) / 64);
    }
    EXPECT_EQ(sync_detail::wait_layer::counts().waits, before.waits);
    EXPECT_EQ(test::wake_calls(), wakes);
    return lines;
  }

  std::string bytes;
  file_system files;
};

INSTANTIATE_TEST_SUITE_P(any, shared_tree, ::testing::Bool(),
                         [](const auto& tested) { return tested.param ? "frozen" : "live"; });

TEST_P(shared_tree, is_looked_up_without_a_write_when_frozen) {
  (void)files.exists("stored"_path);
  const recording seen;
  EXPECT_TRUE(files.exists("stored"_path));
  EXPECT_FALSE(files.exists("missing"_path));
  EXPECT_TRUE(files.stat("folder"_path));
  EXPECT_TRUE(files.stat("deflated"_path));
  if (GetParam()) {
    EXPECT_TRUE(files.find("stored"_path));
    EXPECT_EQ(seen.total().writes(), 0u);
  } else {
    EXPECT_EQ(seen.total().writes(), 8u) << "entering and leaving, on a line of one's own";
  }
}

TEST_P(shared_tree, is_looked_up_opened_and_read_without_a_line_in_common) {
  expect_no_line_in_common([&] {
    EXPECT_TRUE(files.exists("stored"_path));
    EXPECT_TRUE(files.stat("folder"_path));
    for (const asset_path path : {"stored"_path, "deflated"_path}) {
      const result<opened_file> opened = files.open(path);
      ASSERT_TRUE(opened);
      EXPECT_TRUE(files.source(opened->place().source));
      result<file_reader> reader = file_reader::open(files, path);
      ASSERT_TRUE(reader);
      std::byte room[100];
      EXPECT_TRUE(reader->read(room));
    }
    EXPECT_TRUE(files.map("stored"_path));
    int names = 0;
    EXPECT_TRUE(files.enumerate({}, [&](const folder_item&) { return ++names > 0; }));
    EXPECT_EQ(names, 3);
  });
}

TEST_P(shared_tree, is_opened_with_two_writes_beside_those_of_entering) {
  (void)files.open("stored"_path);
  const recording seen;
  EXPECT_TRUE(files.open("stored"_path));
  EXPECT_EQ(seen.total().writes(), GetParam() ? 2u : 4u) << "pin and unpin, on a line of one's own";
}

}  // namespace
}  // namespace overture::file_system_test

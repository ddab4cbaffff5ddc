// SPDX-License-Identifier: Zlib
//
// Contracts of vfs.
#include <array>
#include <memory>

#include "contracts/says.hpp"
#include "overture/vfs/file_reader.hpp"
#include "overture/vfs/file_system.hpp"
#include "overture/vfs/file_watch.hpp"
#include "overture/vfs/file_writer.hpp"
#include "support/temp_folder.hpp"

namespace overture::vfs_test {
namespace {

using test::expect_says;

using namespace overture::literals;

constexpr const char* file_left =
    "a file_system was destroyed while one of its files is open: destroy every opened_file, "
    "mapped_file, file_reader and file_writer first";

class file_system_contract : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.write("a.txt", "hello");
    files_ = std::make_unique<file_system>();
    mounted_ = files_->mount(folder_.path(), {.writable = true});
    ASSERT_TRUE(mounted_);
  }

  temp_folder folder_;
  std::unique_ptr<file_system> files_;
  result<mount_id> mounted_;
};

TEST_F(file_system_contract, outlives_its_open_files) {
  expect_says(
      [&] {
        const result<opened_file> file = files_->open("a.txt"_path);
        files_.reset();
      },
      file_left);
  expect_says(
      [&] {
        const result<file_reader> file = file_reader::open(*files_, "a.txt"_path);
        files_.reset();
      },
      file_left);
  expect_says(
      [&] {
        const result<file_writer> file =
            file_writer::open(*files_, *mounted_, "b.txt"_path, write_kind::replace);
        files_.reset();
      },
      file_left);
}

TEST_F(file_system_contract, outlives_files_of_unmounted_folders) {
  expect_says(
      [&] {
        const result<opened_file> file = files_->open("a.txt"_path);
        if (!files_->unmount(*mounted_)) std::exit(1);
        files_.reset();
      },
      file_left);
}

TEST_F(file_system_contract, outlives_its_watches) {
  expect_says(
      [&] {
        const result<file_watch> watch = file_watch::open(*files_);
        files_.reset();
      },
      "a file_system was destroyed while a file_watch looks at its mounts: destroy the file_watch "
      "first");
}

TEST_F(file_system_contract, mounts_paths) {
  constexpr const char* null_path =
      "mount(), mount_memory() or remount() was given a null path: every mount needs one, an "
      "archive in memory a name";
  expect_says([&] { (void)files_->mount(nullptr); }, null_path);
  expect_says([&] { (void)files_->mount_memory(nullptr, {}); }, null_path);
}

TEST_F(file_system_contract, has_the_hidden_entries_that_it_counts) {
  expect_says([&] { (void)files_->hidden(0); },
              "file_system::hidden() has no such index: stay below hidden_count()");
}

TEST_F(file_system_contract, knows_readers_that_were_moved_from) {
  result<file_reader> from = file_reader::open(*files_, "a.txt"_path);
  ASSERT_TRUE(from);
  file_reader to = std::move(*from);
  constexpr const char* moved =
      "a file_reader was used after it was moved from: use the one that it was moved to";
  std::array<std::byte, 8> bytes{};
  expect_says([&] { (void)from->read(bytes); }, moved);
  expect_says([&] { (void)from->read_all_of(bytes); }, moved);
  expect_says([&] { (void)from->seek(0); }, moved);
  expect_says([&] { (void)from->size(); }, moved);
  expect_says([&] { (void)from->position(); }, moved);
  expect_says([&] { (void)from->verified(); }, moved);
  EXPECT_EQ(to.size(), 5u);
}

TEST_F(file_system_contract, knows_writers_that_were_moved_from) {
  result<file_writer> from =
      file_writer::open(*files_, *mounted_, "b.txt"_path, write_kind::replace);
  ASSERT_TRUE(from);
  file_writer to = std::move(*from);
  constexpr const char* moved =
      "a file_writer was used after it was moved from: use the one that it was moved to";
  expect_says([&] { (void)from->write({}); }, moved);
  expect_says([&] { (void)from->commit(); }, moved);
  EXPECT_TRUE(to.commit());
}

TEST_F(file_system_contract, knows_watches_that_were_moved_from) {
  result<file_watch> from = file_watch::open(*files_);
  ASSERT_TRUE(from);
  file_watch to = std::move(*from);
  constexpr const char* moved =
      "a file_watch was used after it was moved from: use the one that it was moved to";
  expect_says([&] { (void)from->add(*mounted_); }, moved);
  expect_says([&] { from->remove(*mounted_); }, moved);
  expect_says([&] { (void)from->poll([](const file_change&) {}); }, moved);
  EXPECT_TRUE(to.poll([](const file_change&) {}));
}

}  // namespace
}  // namespace overture::vfs_test

// SPDX-License-Identifier: Zlib
//
// More mounts than descriptors.
#include "vfs/mounts/descriptor_pool.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "overture/sync/wait_observer.hpp"
#include "overture/vfs/file_reader.hpp"
#include "overture/vfs/file_system.hpp"
#include "support/forwarding_os.hpp"
#include "support/seven_zip_writer.hpp"
#include "support/temp_folder.hpp"
#include "support/zip_writer.hpp"

namespace overture::descriptor_pool_test {
namespace {

constexpr int mounts = 200;

std::size_t open_descriptors() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    (void)entry;
    ++count;
  }
  return count;
}

std::string number(int i) {
  return std::to_string(i);
}

std::string content(file_system& files, const std::string& path, buffer_pool& buffers) {
  const result<blob> bytes = files.read_all({path, {hash64(path)}}, buffers);
  if (!bytes) return std::string(to_string(bytes.error().code)) + ": " + bytes.error().reason;
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

std::string zip_of(const std::string& name, const std::string& data) {
  zip_writer zip;
  zip.add({.name = name, .data = data, .method = zip_deflated});
  return zip.bytes();
}

// The limit applies to the whole process, so these tests run in a child process.
void limit_descriptors(rlim_t count) {
  const rlimit limit{count, count};
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) throw std::runtime_error("no limit");
}

[[noreturn]] void leave(const std::string& complaint) {
  if (!complaint.empty()) std::fprintf(stderr, "%s\n", complaint.c_str());
  std::_Exit(complaint.empty() ? 0 : 1);
}

class few_descriptors : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < mounts; ++i) {
      const std::string name = "file" + number(i);
      if (i % 4 == 3) {
        folder.write("mount" + number(i) + "/" + name, "data " + number(i));
      } else {
        folder.write("mount" + number(i), zip_of(name, "data " + number(i)));
      }
    }
  }
  void mount_all(file_system& files) {
    for (int i = 0; i < mounts; ++i) {
      const result<mount_id> mounted = files.mount((folder / ("mount" + number(i))).c_str());
      if (!mounted) leave("mount " + number(i) + ": " + mounted.error().reason);
      ids.push_back(*mounted);
    }
  }
  // Empty, or what went wrong.
  static std::string read_all_of(file_system& files) {
    buffer_pool buffers;
    for (int i = 0; i < mounts; ++i) {
      const std::string found = content(files, "file" + number(i), buffers);
      if (found != "data " + number(i)) return "file" + number(i) + ": " + found;
    }
    return {};
  }

  temp_folder folder;
  std::vector<mount_id> ids;
};
using few_descriptors_death = few_descriptors;

TEST_F(few_descriptors_death, are_enough_for_two_hundred_mounts) {
  EXPECT_EXIT(
      {
        limit_descriptors(64);
        const std::size_t before = open_descriptors();
        file_system files;
        mount_all(files);
        if (open_descriptors() > 64 - (64 - before) * 3 / 8 + 1) leave("too few are left");
        for (const bool frozen : {false, true}) {
          if (frozen && !files.freeze()) leave("freeze");
          std::string wrong[2];
          std::thread other([&] { wrong[1] = read_all_of(files); });
          wrong[0] = read_all_of(files);
          other.join();
          if (!wrong[0].empty() || !wrong[1].empty()) leave(wrong[0] + wrong[1]);
        }
        files.thaw();
        const std::string again = folder / "mount3";
        const result<mount_id> parked =
            files.mount(again.c_str(), {.at = "again", .immutable_source = true});
        result<mapped_file> mapped = files.map({"again/file3", {hash64("again/file3")}});
        if (!parked || !mapped || !files.unmount(*parked)) leave("map");
        if (mapped->size() != 6) leave("what is mapped outlives its mount");
        mapped = mapped_file();
        for (const mount_id id : ids) {
          if (!files.unmount(id)) leave("unmount");
        }
        leave(open_descriptors() == before ? "" : "descriptors are left open");
      },
      ::testing::ExitedWithCode(0), "");
}

TEST_F(few_descriptors_death, are_released_by_unmounting) {
  EXPECT_EXIT(
      {
        limit_descriptors(64);
        file_system files;
        mount_all(files);
        const std::size_t first = open_descriptors();
        for (const mount_id id : ids) {
          if (!files.unmount(id)) leave("unmount");
        }
        mount_all(files);
        leave(open_descriptors() == first ? "" : "others are open than the first time");
      },
      ::testing::ExitedWithCode(0), "");
}

TEST_F(few_descriptors_death, stay_open_for_the_queue_that_reads) {
  EXPECT_EXIT(
      {
        limit_descriptors(64);
        file_system files;
        mount_all(files);
        // More pins than slots: with may_wait a pin waits for an unpin, otherwise it fails as busy.
        std::vector<opened_file> opened;
        std::vector<source_id> pinned;
        bool busy = false;
        for (int i = mounts - 1; i >= 0 && !busy; --i) {
          if (i % 4 == 3) continue;
          const std::string path = "file" + number(i);
          result<opened_file> file = files.open({path, {hash64(path)}});
          if (!file) leave(file.error().reason);
          const source_id id = file->place().source;
          const result<open_source> source = files.pin(id, false);
          busy = !source && source.error().code == errc::busy;
          if (busy) {
            std::thread waiting([&] {
              const result<open_source> later = files.pin(id, true);
              if (!later) leave(later.error().reason);
              files.unpin(id);
            });
            files.unpin(pinned.back());
            pinned.pop_back();
            waiting.join();
          } else if (!source || source->os->descriptor(source->handle) < 0) {
            leave("no descriptor for the queue");
          } else {
            pinned.push_back(id);
          }
          opened.push_back(*std::move(file));
        }
        for (const source_id id : pinned) files.unpin(id);
        if (!busy) leave("there is no end of places");
        leave(read_all_of(files));
      },
      ::testing::ExitedWithCode(0), "");
}

TEST_F(few_descriptors_death, do_not_hide_that_an_archive_was_replaced) {
  EXPECT_EXIT(
      {
        limit_descriptors(64);
        file_system files;
        mount_all(files);
        if (const std::string wrong = read_all_of(files); !wrong.empty()) leave(wrong);
        // mount197 to mount199 are parked; this many reads later they are closed.
        const std::string other = zip_of("file197", "other");
        folder.write("beside", other);
        std::filesystem::rename(folder / "beside", folder / "mount197");
        std::filesystem::remove(folder / "mount198");
        folder.write("mount199/new", "a name more is no other folder");
        buffer_pool buffers;
        for (int i = 100; i < 190; ++i) {
          if (!content(files, "file" + number(i), buffers).starts_with("data")) leave("others");
        }
        std::string found = content(files, "file197", buffers);
        if (!found.starts_with("replaced: ")) leave("197: " + found);
        found = content(files, "file198", buffers);
        if (!found.starts_with("replaced: ")) leave("198: " + found);
        found = content(files, "file199", buffers);
        leave(found == "data 199" ? "" : "199: " + found);
      },
      ::testing::ExitedWithCode(0), "");
}

// Puts files behind a descriptor_pool as if descriptors were scarce. Counts how often a file is
// opened.
class counting_os final : public forwarding_os {
 public:
  std::string counted;
  int opened = 0;

  result<os_handle> open(const char* path) noexcept override {
    if (path == counted) ++opened;
    return forwarding_os::open(path);
  }
};

class parked_archive : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(pool.claim()) << "measures"; }
  void TearDown() override {
    for (const auto& file : files) file->close(vfs_detail::parked_file::root);
    pool.give_back();
  }
  // A different file of one byte.
  vfs_detail::parked_file& park() {
    const std::string path = folder.write(number(static_cast<int>(files.size())), "0");
    const result<file_status> status = system_os().status(path.c_str(), true);
    files.push_back(std::make_unique<vfs_detail::parked_file>(default_allocator()));
    EXPECT_TRUE(files.back()->begin(pool, os, path.c_str(), *status));
    return *files.back();
  }
  static result<std::size_t> read(vfs_detail::parked_file& file) {
    std::byte room[1];
    return file.read_at(vfs_detail::parked_file::root, 0, room);
  }

  temp_folder folder;
  counting_os os;
  vfs_detail::descriptor_pool pool;
  std::vector<std::unique_ptr<vfs_detail::parked_file>> files;
};

TEST_F(parked_archive, reads_as_one_that_is_open) {
  const std::string path = folder.write("a", "0123456789");
  vfs_detail::parked_file file(default_allocator());
  const result<file_status> status = system_os().status(path.c_str(), true);
  ASSERT_TRUE(file.begin(pool, system_os(), path.c_str(), *status));
  char room[4];
  const result<std::size_t> got =
      file.read_at(vfs_detail::parked_file::root, 3, std::as_writable_bytes(std::span(room)));
  ASSERT_EQ(got.value_or(0), 4u);
  EXPECT_EQ(std::string_view(room, 4), "3456");
  EXPECT_EQ(file.status(vfs_detail::parked_file::root)->size, 10u);
  EXPECT_LT(file.descriptor(vfs_detail::parked_file::root), 0) << "nothing keeps it";
  file.close(vfs_detail::parked_file::root);
}

TEST_F(parked_archive, stays_open_if_it_is_read_more_often_than_others) {
  constexpr std::size_t others = 3 * vfs_detail::descriptor_pool::slots_max;
  constexpr std::size_t rounds = 10;
  os.counted = (std::filesystem::canonical(folder.path()) / "0").string();
  for (std::size_t i = 0; i <= others; ++i) park();
  for (std::size_t i = 0; i < rounds * others; ++i) {
    ASSERT_TRUE(read(*files[0]));
    ASSERT_TRUE(read(*files[1 + i % others]));
  }
  EXPECT_GE(os.opened, 1);
  EXPECT_LE(os.opened, 2) << "it may go once, when all were just opened";
}

TEST_F(parked_archive, is_replaced_when_it_is_overwritten_with_as_many_bytes) {
  vfs_detail::parked_file& file = park();
  ASSERT_TRUE(read(file));
  file.close(vfs_detail::parked_file::root);
  const std::string path = folder.write("0", "1");
  std::filesystem::last_write_time(
      path, std::filesystem::last_write_time(path) + std::chrono::seconds(2));
  EXPECT_EQ(read(file).error().code, errc::replaced);
}

TEST_F(parked_archive, is_replaced_when_a_copy_takes_its_name) {
  vfs_detail::parked_file& file = park();
  ASSERT_TRUE(read(file));
  file.close(vfs_detail::parked_file::root);
  const std::string copy = folder.write("copy", "0");
  std::filesystem::last_write_time(copy, std::filesystem::last_write_time(folder / "0"));
  std::filesystem::rename(copy, folder / "0");
  EXPECT_EQ(read(file).error().code, errc::replaced);
}

TEST_F(parked_archive, releases_its_slot_when_it_cannot_be_opened) {
  for (std::size_t i = 0; i < 2 * vfs_detail::descriptor_pool::slots_max; ++i) {
    vfs_detail::parked_file& file = park();
    std::filesystem::remove(folder / number(static_cast<int>(i)));
    EXPECT_EQ(file.pin(false).error().code, errc::replaced);
  }
  EXPECT_TRUE(read(park()));
}

TEST_F(parked_archive, releases_its_slot_when_it_is_destroyed) {
  for (std::size_t i = 0; i < 4 * vfs_detail::descriptor_pool::slots_max; ++i) {
    vfs_detail::parked_file& file = park();
    ASSERT_TRUE(file.pin(false)) << "a place is free";
    file.unpin();
    file.close(vfs_detail::parked_file::root);
  }
}

TEST_F(parked_archive, waits_until_a_slot_is_released) {
  std::size_t pinned = 0;
  while (park().pin(false)) ++pinned;
  ASSERT_GT(pinned, 0u);
  EXPECT_EQ(files.back()->pin(false).error().code, errc::busy);
  bool got = false;
  std::atomic<bool> sleeps{false};
  class telling final : public wait_observer {
   public:
    explicit telling(std::atomic<bool>& flag) : flag_(flag) {}
    void wait_begins(const char*) noexcept override { flag_ = true; }
    void wait_ends() noexcept override {}

   private:
    std::atomic<bool>& flag_;
  };
  std::thread waiting([&] {
    telling observer(sleeps);
    (void)set_wait_observer(&observer);
    got = files.back()->pin(true).has_value();
    (void)set_wait_observer(nullptr);
  });
  while (!sleeps) std::this_thread::yield();
  files[0]->unpin();
  waiting.join();
  EXPECT_TRUE(got);
  for (std::size_t i = 1; i < pinned; ++i) files[i]->unpin();
  files.back()->unpin();
}

}  // namespace
}  // namespace overture::descriptor_pool_test

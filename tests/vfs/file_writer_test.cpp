// SPDX-License-Identifier: Zlib
#include "overture/vfs/file_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <thread>

#include "overture/base/replace_file.hpp"
#include "support/failing_allocator.hpp"
#include "support/forwarding_os.hpp"
#include "support/platform.hpp"
#include "support/temp_folder.hpp"
#include "vfs/tree_reader.hpp"

namespace overture::file_writer_test {
namespace {

namespace fs = std::filesystem;
using namespace literals;
using ::testing::UnorderedElementsAre;

// Counts the calls that change a folder, lets one of them fail, and makes writes short.
class changing_os final : public forwarding_os {
 public:
  int calls = 0;
  int failing_call = -1;
  int os_error = EIO;
  bool failing_go_on = false;  // all later calls fail, too
  std::size_t write_bytes_max = SIZE_MAX;
  int open = 0;
  const char* unreadable = nullptr;

  result<os_handle> open_to_write(os_handle folder, const char* path,
                                  write_mode mode) noexcept override {
    if (fails()) return failure();
    result<os_handle> opened = forwarding_os::open_to_write(folder, path, mode);
    open += opened.has_value();
    return opened;
  }
  void close(os_handle handle) noexcept override {
    --open;
    forwarding_os::close(handle);
  }
  result<os_handle> open_below(os_handle folder, const char* path) noexcept override {
    if (unreadable && std::string_view(path) == unreadable) {
      return tl::unexpected<error>(os_failure(EACCES, "cannot open"));
    }
    result<os_handle> opened = forwarding_os::open_below(folder, path);
    open += opened.has_value();
    return opened;
  }
  result<std::size_t> write_at(os_handle file, std::uint64_t offset,
                               std::span<const std::byte> bytes) noexcept override {
    if (fails()) return failure();
    return forwarding_os::write_at(file, offset,
                                   bytes.first(std::min(bytes.size(), write_bytes_max)));
  }
  result<void> sync(os_handle file) noexcept override {
    if (fails()) return failure();
    return forwarding_os::sync(file);
  }
  result<void> rename_below(os_handle folder, const char* from, const char* to) noexcept override {
    if (fails()) return failure();
    return forwarding_os::rename_below(folder, from, to);
  }
  result<void> rename_new_below(os_handle folder, const char* from,
                                const char* to) noexcept override {
    if (fails()) return failure();
    return forwarding_os::rename_new_below(folder, from, to);
  }

 private:
  bool fails() {
    const int call = calls++;
    return failing_call >= 0 && (call == failing_call || (failing_go_on && call > failing_call));
  }
  [[nodiscard]] tl::unexpected<error> failure() const {
    return tl::unexpected(os_failure(os_error, "planned"));
  }
};

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

class writing : public ::testing::Test {
 protected:
  void SetUp() override {
    folder.write("old.txt", "old");
    folder.write("sub/a.txt", "a");
    const result<mount_id> mounted = files.mount(folder.path(), {.at = "saves", .writable = true});
    ASSERT_TRUE(mounted);
    saves = *mounted;
    os.open = 0;
  }
  errc put(asset_path path, std::string_view text, write_kind kind,
           const file_writer_config& config = {}) {
    result<file_writer> writer = file_writer::open(files, saves, path, kind, config);
    if (!writer) return writer.error().code;
    if (result<void> done = writer->write(bytes_of(text)); !done) return done.error().code;
    const result<void> done = writer->commit();
    return done ? fine : done.error().code;
  }
  std::string content(std::string_view name) const {
    std::ifstream in(folder / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder.path())) {
      found.push_back(entry.path().filename().string());
    }
    return found;
  }

  static constexpr errc fine = static_cast<errc>(255);
  temp_folder folder;
  changing_os os;
  file_system files{{.os = &os}};
  mount_id saves;
};

TEST_F(writing, replaces_a_file_or_creates_it) {
  EXPECT_EQ(put("saves/old.txt"_path, "new", write_kind::replace), fine);
  EXPECT_EQ(content("old.txt"), "new");
  EXPECT_EQ(put("saves/sub/b.txt"_path, "b", write_kind::replace), fine);
  EXPECT_EQ(content("sub/b.txt"), "b");
  EXPECT_THAT(names(), UnorderedElementsAre("old.txt", "sub"));
  EXPECT_EQ(load(files, "saves/old.txt"), "new") << "contents may change";
}

TEST_F(writing, does_not_replace_a_folder_of_that_name) {
  EXPECT_EQ(put("saves/sub"_path, "new", write_kind::replace), errc::not_a_file);
  EXPECT_EQ(put("saves/sub"_path, "new", write_kind::append), errc::not_a_file);
  EXPECT_EQ(put("saves/sub"_path, "new", write_kind::create), errc::exists);
  EXPECT_EQ(content("sub/a.txt"), "a");
  EXPECT_THAT(names(), UnorderedElementsAre("old.txt", "sub"));
}

TEST_F(writing, does_not_replace_a_fifo_or_device_of_that_name) {
  if (on_windows) GTEST_SKIP() << needs_posix;
  const fs::path pipe = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.string().c_str(), 0600), 0);
  EXPECT_EQ(put("saves/pipe"_path, "new", write_kind::replace), errc::not_a_file);
  EXPECT_EQ(files.rename(saves, "saves/old.txt"_path, "saves/pipe"_path).error().code,
            errc::not_a_file);
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_THAT(names(), UnorderedElementsAre("old.txt", "pipe", "sub"));
}

TEST_F(writing, creates_only_files_that_do_not_exist) {
  EXPECT_EQ(put("saves/new.txt"_path, "new", write_kind::create), fine);
  EXPECT_EQ(content("new.txt"), "new");
  EXPECT_EQ(put("saves/old.txt"_path, "new", write_kind::create), errc::exists);
  EXPECT_EQ(content("old.txt"), "old");
}

TEST_F(writing, gives_a_new_file_its_name_once_it_is_whole) {
  result<file_writer> writer =
      file_writer::open(files, saves, "saves/new.txt"_path, write_kind::create);
  ASSERT_TRUE(writer && writer->write(bytes_of("new")));
  EXPECT_FALSE(fs::exists(folder / "new.txt"));
  folder.write("new.txt", "of another program");
  EXPECT_EQ(writer->commit().error().code, errc::exists);
  EXPECT_EQ(content("new.txt"), "of another program");
  EXPECT_THAT(names(), UnorderedElementsAre("old.txt", "new.txt", "sub"));
}

TEST_F(writing, keeps_permissions_and_refuses_read_only_files) {
  if (on_windows) GTEST_SKIP() << needs_posix;
  fs::permissions(folder / "old.txt", static_cast<fs::perms>(0640));
  EXPECT_EQ(put("saves/old.txt"_path, "new", write_kind::replace), fine);
  EXPECT_EQ(fs::status(folder / "old.txt").permissions(), static_cast<fs::perms>(0640));
  fs::permissions(folder / "old.txt", static_cast<fs::perms>(0444));
  EXPECT_EQ(put("saves/old.txt"_path, "newer", write_kind::replace), errc::permission);
  EXPECT_EQ(content("old.txt"), "new");
}

TEST_F(writing, keeps_permissions_of_what_it_cannot_read) {
  if (on_windows) GTEST_SKIP() << needs_posix;
  os.unreadable = "old.txt";
  fs::permissions(folder / "old.txt", static_cast<fs::perms>(0200));
  EXPECT_EQ(put("saves/old.txt"_path, "new", write_kind::replace), fine);
  EXPECT_EQ(fs::status(folder / "old.txt").permissions(), static_cast<fs::perms>(0200));
  EXPECT_EQ(put("saves/old.txt"_path, "new", write_kind::create), errc::exists);
  fs::permissions(folder / "old.txt", static_cast<fs::perms>(0));
  EXPECT_EQ(put("saves/old.txt"_path, "newer", write_kind::replace), errc::permission);
}

TEST_F(writing, keeps_permissions_that_change_while_it_writes) {
  if (on_windows) GTEST_SKIP() << needs_posix;
  result<file_writer> writer =
      file_writer::open(files, saves, "saves/old.txt"_path, write_kind::replace);
  ASSERT_TRUE(writer);
  fs::permissions(folder / "old.txt", static_cast<fs::perms>(0600));
  ASSERT_TRUE(writer->commit());
  EXPECT_EQ(fs::status(folder / "old.txt").permissions(), static_cast<fs::perms>(0600));
}

TEST_F(writing, leaves_temporary_files_that_no_tree_lists) {
  result<file_writer> writer =
      file_writer::open(files, saves, "saves/old.txt"_path, write_kind::replace);
  ASSERT_TRUE(writer);
  ASSERT_EQ(names().size(), 3u);
  EXPECT_EQ(sweep_temporaries(system_os(), folder.name().c_str()), 0u) << "it is in use";
  file_system others;
  ASSERT_TRUE(others.mount(folder.path()) && others.freeze());
  EXPECT_EQ(others.entry_count(), 2u);
}

TEST_F(writing, appends_to_a_file_or_creates_it) {
  EXPECT_EQ(put("saves/old.txt"_path, " and more", write_kind::append), fine);
  EXPECT_EQ(content("old.txt"), "old and more");
  EXPECT_EQ(put("saves/log.txt"_path, "first", write_kind::append), fine);
  EXPECT_EQ(content("log.txt"), "first");
}

TEST_F(writing, writes_large_and_small_pieces_despite_short_writes) {
  os.write_bytes_max = 1000;
  for (const std::size_t buffer : {0u, 10u, 5000u}) {
    result<file_writer> writer = file_writer::open(files, saves, "saves/old.txt"_path,
                                                   write_kind::replace, {.buffer_bytes = buffer});
    ASSERT_TRUE(writer);
    std::string all;
    for (std::size_t i = 0; i < 60; ++i) {
      const std::string part(i * i, static_cast<char>('a' + i % 26));
      ASSERT_TRUE(writer->write(bytes_of(part)));
      all += part;
    }
    ASSERT_TRUE(writer->commit());
    EXPECT_EQ(content("old.txt"), all) << buffer;
    EXPECT_EQ(writer->commit().error().code, errc::invalid);
    EXPECT_EQ(writer->write(bytes_of("x")).error().code, errc::invalid);
  }
}

TEST_F(writing, without_commit_changes_nothing_but_keeps_what_was_appended) {
  for (const auto& [path, kind] : {std::pair{"saves/old.txt"_path, write_kind::replace},
                                   std::pair{"saves/new.txt"_path, write_kind::create}}) {
    result<file_writer> writer = file_writer::open(files, saves, path, kind);
    ASSERT_TRUE(writer && writer->write(bytes_of("half of it")));
  }
  EXPECT_EQ(content("old.txt"), "old");
  EXPECT_THAT(names(), UnorderedElementsAre("old.txt", "sub"));
  {
    result<file_writer> writer =
        file_writer::open(files, saves, "saves/old.txt"_path, write_kind::append);
    ASSERT_TRUE(writer && writer->write(bytes_of(" stays")));
  }
  EXPECT_EQ(content("old.txt"), "old stays");
  EXPECT_EQ(os.open, 0);
}

TEST_F(writing, any_call_that_fails_leaves_the_old_file_or_the_new_one) {
  for (const int os_error : {ENOSPC, EIO}) {
    for (const write_kind kind : {write_kind::replace, write_kind::create}) {
      const asset_path path =
          kind == write_kind::replace ? "saves/old.txt"_path : "saves/fresh.txt"_path;
      int in_place = 0;
      for (int call = 0; call < 100; ++call) {
        os.calls = 0;
        os.failing_call = call;
        os.os_error = os_error;
        os.failing_go_on = call % 2 == 1;
        const errc outcome = put(path, "the new content", kind, {.buffer_bytes = 4});
        os.failing_call = -1;
        EXPECT_EQ(os.open, 0);
        if (outcome == fine) {
          ASSERT_GE(call, 3) << "opening, writing, bringing it to the disk can fail";
          break;
        }
        EXPECT_EQ(outcome, os_error == EIO ? errc::io : errc::no_space);
        if (content(path.text.substr(6)) == "the new content") {
          ++in_place;  // but its name may not survive a power cut
          folder.write("old.txt", "old");
          fs::remove(folder / "fresh.txt");
          continue;
        }
        EXPECT_EQ(content("old.txt"), "old");
        EXPECT_THAT(names(), UnorderedElementsAre("old.txt", "sub")) << call;
      }
      EXPECT_EQ(content(path.text.substr(6)), "the new content");
      EXPECT_EQ(in_place, 1) << "only when the folder's names are synced";
      folder.write("old.txt", "old");
      fs::remove(folder / "fresh.txt");
    }
  }
}

TEST_F(writing, returns_the_first_error_from_then_on) {
  result<file_writer> writer = file_writer::open(files, saves, "saves/old.txt"_path,
                                                 write_kind::replace, {.buffer_bytes = 1});
  ASSERT_TRUE(writer);
  os.failing_call = os.calls;
  os.os_error = ENOSPC;
  EXPECT_EQ(writer->write(bytes_of("abc")).error().code, errc::no_space);
  EXPECT_EQ(writer->write(bytes_of("def")).error().code, errc::no_space);
  EXPECT_EQ(writer->commit().error().code, errc::no_space);
  EXPECT_EQ(content("old.txt"), "old");
}

TEST_F(writing, makes_folders_removes_and_renames) {
  EXPECT_TRUE(files.make_folder(saves, "saves/one/two/three"_path));
  EXPECT_TRUE(files.make_folder(saves, "saves/one/two"_path)) << "that it is there is no error";
  EXPECT_TRUE(fs::is_directory(folder / "one/two/three"));
  EXPECT_EQ(files.make_folder(saves, "saves/old.txt"_path).error().code, errc::exists);
  EXPECT_TRUE(files.rename(saves, "saves/old.txt"_path, "saves/one/new.txt"_path));
  EXPECT_EQ(content("one/new.txt"), "old");
  EXPECT_EQ(files.remove(saves, "saves/one"_path).error().code, errc::exists) << "not empty";
  EXPECT_TRUE(files.remove(saves, "saves/one/two/three"_path));
  EXPECT_TRUE(files.remove(saves, "saves/one/new.txt"_path));
  EXPECT_EQ(files.remove(saves, "saves/one/new.txt"_path).error().code, errc::not_found);
  EXPECT_EQ(files.rename(saves, "saves/gone"_path, "saves/x"_path).error().code, errc::not_found);
}

TEST_F(writing, says_that_a_file_is_where_a_folder_would_be) {
  ASSERT_TRUE(files.make_folder(saves, "saves/one"_path));
  const auto says = [](const result<void>& done) {
    return done ? "done" : std::string(to_string(done.error().code)) + ": " + done.error().reason;
  };
  const char* const in_the_way = "exists: a file has the name of a folder";
  EXPECT_EQ(says(files.make_folder(saves, "saves/old.txt/x"_path)), in_the_way);
  EXPECT_EQ(says(files.make_folder(saves, "saves/old.txt/x/y"_path)), in_the_way);
  EXPECT_EQ(says(files.rename(saves, "saves/one"_path, "saves/old.txt"_path)), in_the_way);
  EXPECT_EQ(says(files.rename(saves, "saves/one"_path, "saves/old.txt/x"_path)), in_the_way);
  EXPECT_EQ(content("old.txt"), "old") << "it stays";
}

TEST_F(writing, stays_in_its_folder) {
  if (!has_symlinks()) GTEST_SKIP() << needs_symlinks;
  temp_folder outside;
  outside.write("precious.txt", "precious");
  fs::create_directory_symlink(outside.path(), folder / "out");
  fs::create_symlink(outside / "precious.txt", folder / "link.txt");
  EXPECT_NE(put("saves/out/x.txt"_path, "x", write_kind::create), fine);
  EXPECT_NE(put("saves/out/precious.txt"_path, "x", write_kind::replace), fine);
  EXPECT_NE(put("saves/link.txt"_path, "x", write_kind::append), fine);
  EXPECT_FALSE(files.make_folder(saves, "saves/out/folder"_path));
  EXPECT_FALSE(files.remove(saves, "saves/out/precious.txt"_path));
  EXPECT_FALSE(files.rename(saves, "saves/out/precious.txt"_path, "saves/x"_path));
  EXPECT_FALSE(files.rename(saves, "saves/old.txt"_path, "saves/out/x"_path));
  for (const char* path : {"saves/../x", "saves", "saves/", "elsewhere/x", "", "saves//x"}) {
    EXPECT_NE(put({path, {hash64(path)}}, "x", write_kind::replace), fine) << path;
  }
  // Replaces the link itself, not its target.
  EXPECT_EQ(put("saves/link.txt"_path, "mine", write_kind::replace), fine);
  EXPECT_EQ(content("link.txt"), "mine");
  EXPECT_TRUE(fs::exists(outside / "precious.txt"));
  EXPECT_EQ(std::distance(fs::directory_iterator(outside.path()), {}), 1);
}

TEST_F(writing, needs_a_writable_mount) {
  const result<mount_id> only_read = files.mount(folder.path());
  ASSERT_TRUE(only_read);
  EXPECT_EQ(files.remove(*only_read, "old.txt"_path).error().code, errc::permission);
  EXPECT_EQ(file_writer::open(files, *only_read, "x"_path, write_kind::create).error().code,
            errc::permission);
  EXPECT_EQ(files.make_folder({77}, "x"_path).error().code, errc::not_found);
  EXPECT_EQ(files.mount(folder.path(), {.from = "sub", .writable = true}).error().code,
            errc::invalid);
}

TEST_F(writing, works_while_frozen_and_after_the_unmount) {
  ASSERT_TRUE(files.freeze());
  EXPECT_EQ(put("saves/old.txt"_path, "frozen", write_kind::replace), fine);
  EXPECT_EQ(load(files, "saves/old.txt"), "frozen");
  files.thaw();
  result<file_writer> writer =
      file_writer::open(files, saves, "saves/late.txt"_path, write_kind::replace);
  ASSERT_TRUE(writer);
  ASSERT_TRUE(files.unmount(saves));
  ASSERT_TRUE(writer->write(bytes_of("late")));
  ASSERT_TRUE(writer->commit());
  EXPECT_EQ(content("late.txt"), "late");
}

TEST_F(writing, names_created_by_others_appear_when_the_folder_is_mounted_again) {
  folder.write("new.txt", "new");
  EXPECT_FALSE(files.exists("saves/new.txt"_path));
  const std::string path = folder.path().string();
  const mount_request again{path.c_str(), {.at = "saves", .writable = true}, {}};
  mount_id id;
  ASSERT_TRUE(files.remount({&saves, 1}, {&again, 1}, {&id, 1}));
  EXPECT_EQ(load(files, "saves/new.txt"), "new");
}

TEST_F(writing, works_on_four_threads_at_once) {
  file_system unwatched;  // the other one counts calls, for a single thread
  const result<mount_id> mounted =
      unwatched.mount(folder.path(), {.at = "saves", .writable = true});
  ASSERT_TRUE(mounted);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const std::string text = "file " + std::to_string(t) + " " + std::to_string(i);
        const std::string path = "saves/" + std::to_string(t) + "-" + std::to_string(i);
        const write_kind kind = i % 2 == 0 ? write_kind::create : write_kind::replace;
        result<file_writer> writer =
            file_writer::open(unwatched, *mounted, {path, {hash64(path)}}, kind, {.sync = false});
        if (!writer || !writer->write(bytes_of(text)) || !writer->commit()) ADD_FAILURE() << path;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(content("3-49"), "file 3 49");
  EXPECT_EQ(names().size(), 202u);
}

TEST_F(writing, without_memory_loses_only_that_file) {
  for (std::uint64_t refused = 0; refused < 2; ++refused) {
    failing_allocator memory(refused);
    EXPECT_EQ(put("saves/x"_path, "x", write_kind::replace, {.memory = &memory}),
              errc::out_of_memory);
    EXPECT_EQ(memory.live_bytes(), 0);
  }
  EXPECT_EQ(os.open, 0);
  ASSERT_TRUE(files.unmount(saves)) << "nothing keeps it";
}

}  // namespace
}  // namespace overture::file_writer_test

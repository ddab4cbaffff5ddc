// SPDX-License-Identifier: Zlib
//
// A replaced file is the old one or the new one, whatever fails.
#include "overture/base/replace_file.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/system/os_worlds.hpp"
#include "overture/base/limits.hpp"
#include "support/forwarding_os.hpp"
#include "support/platform.hpp"
#include "support/temporaries.hpp"

namespace overture::replace_file_test {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span{text.data(), text.size()});
}

using test::kind_of_world;

class replacing_files : public test::in_a_world {
 protected:
  result<void> replace(const std::string& path, std::string_view text) {
    return replace_file(os(), at(path).c_str(),
                        [&](os_handle file) { return write_fully(os(), file, 0, bytes_of(text)); });
  }
  std::size_t temporaries() { return test::temporaries_in(os(), world().root().c_str()); }
  file_kind kind(const std::string& path) {
    const auto found = os().status(at(path).c_str(), false);
    return found ? found->kind : file_kind::other;
  }
};

TEST_P(replacing_files, leaves_the_new_file_and_nothing_else) {
  EXPECT_TRUE(replace("one.txt", "first"));
  EXPECT_EQ(content("one.txt"), "first");
  EXPECT_TRUE(replace("one.txt", "second"));
  EXPECT_EQ(content("one.txt"), "second");
  EXPECT_EQ(temporaries(), 0u);
}

TEST_P(replacing_files, touches_no_other_file) {
  world().add_file("one.txt", "one");
  world().add_file("one.txt.new", "new");
  const auto done = replace_file(os(), at("one.txt").c_str(), [&](os_handle file) {
    EXPECT_EQ(temporaries(), 1u);
    EXPECT_EQ(content("one.txt"), "one");
    return write_fully(os(), file, 0, bytes_of("replaced"));
  });
  ASSERT_TRUE(done);
  EXPECT_EQ(content("one.txt"), "replaced");
  EXPECT_EQ(content("one.txt.new"), "new");
}

TEST_P(replacing_files, leaves_the_old_file_if_the_new_one_fails) {
  world().add_file("one.txt", "first");
  const auto done = replace_file(os(), at("one.txt").c_str(), [&](os_handle file) -> result<void> {
    EXPECT_TRUE(write_fully(os(), file, 0, bytes_of("sec")));
    return fail(errc::cancelled, "changed my mind");
  });
  EXPECT_EQ(done.error().code, errc::cancelled);
  EXPECT_EQ(content("one.txt"), "first");
  EXPECT_EQ(temporaries(), 0u);
}

TEST_P(replacing_files, leaves_the_old_file_if_the_function_throws) {
  ASSERT_TRUE(replace("one.txt", "old"));
  const auto done = replace_file(os(), at("one.txt").c_str(),
                                 [](os_handle) -> result<void> { throw std::runtime_error("no"); });
  EXPECT_EQ(done.error().code, errc::threw);
  EXPECT_EQ(content("one.txt"), "old");
  EXPECT_EQ(temporaries(), 0u);
}

TEST_P(replacing_files, refuses_a_folder) {
  world().add_folder("folder");
  EXPECT_EQ(replace("folder", "text").error().code, errc::not_a_file);
  EXPECT_EQ(temporaries(), 0u);
}

TEST_P(replacing_files, through_a_link_replaces_the_file_and_keeps_the_link) {
  if (!world().has_links()) GTEST_SKIP() << needs_symlinks;
  world().add_file("folder/real.txt", "old");
  world().add_link("link.txt", "folder/real.txt");
  ASSERT_TRUE(replace("link.txt", "new"));
  EXPECT_EQ(kind("link.txt"), file_kind::link);
  EXPECT_EQ(content("folder/real.txt"), "new");
  EXPECT_EQ(temporaries(), 0u);
}

TEST_P(replacing_files, refuses_a_link_that_leads_nowhere) {
  if (!world().has_links()) GTEST_SKIP() << needs_symlinks;
  world().add_link("link.txt", "gone.txt");
  EXPECT_EQ(replace("link.txt", "new").error().code, errc::not_found);
  EXPECT_EQ(kind("link.txt"), file_kind::link);
}

TEST_P(replacing_files, step_by_step_leaves_the_old_file_until_the_commit) {
  world().add_file("one.txt", "old");
  file_replacement one;
  ASSERT_TRUE(one.begin(os(), at("one.txt").c_str()));
  ASSERT_TRUE(write_fully(os(), one.file(), 0, bytes_of("new")));
  EXPECT_EQ(content("one.txt"), "old");
  ASSERT_TRUE(one.commit());
  EXPECT_EQ(content("one.txt"), "new");
  EXPECT_FALSE(one.file().valid());
  EXPECT_EQ(one.commit().error().code, errc::invalid);
}

TEST_P(replacing_files, two_at_once_give_the_file_of_the_last_commit) {
  file_replacement one;
  file_replacement two;
  ASSERT_TRUE(one.begin(os(), at("one.txt").c_str()));
  ASSERT_TRUE(two.begin(os(), at("one.txt").c_str()));
  EXPECT_TRUE(write_fully(os(), one.file(), 0, bytes_of("one")));
  EXPECT_TRUE(write_fully(os(), two.file(), 0, bytes_of("two")));
  ASSERT_TRUE(two.commit());
  ASSERT_TRUE(one.commit());
  EXPECT_EQ(content("one.txt"), "one");
  EXPECT_EQ(temporaries(), 0u);
}

TEST_P(replacing_files, never_leaves_what_another_program_has_made) {
  world().add_file("one.txt", "old");
  file_replacement one;
  const char* const exists = "the file exists";
  EXPECT_STREQ(one.begin(os(), at("one.txt").c_str(), replacing::never).error().reason, exists);
}

TEST_P(replacing_files, given_up_leaves_nothing) {
  {
    file_replacement one;
    ASSERT_TRUE(one.begin(os(), at("one.txt").c_str()));
    EXPECT_EQ(temporaries(), 1u);
  }
  EXPECT_EQ(temporaries(), 0u);
  EXPECT_EQ(kind("one.txt"), file_kind::other);
}

INSTANTIATE_TEST_SUITE_P(worlds, replacing_files,
                         ::testing::Values(kind_of_world::system, kind_of_world::generic,
                                           kind_of_world::fake),
                         test::name_of_world);

// The other systems open nothing below a folder.
TEST(a_replacement, that_must_not_replace_leaves_what_was_made_meanwhile) {
  test::disk_world world;
  const std::string path = world.root() + "/one.txt";
  file_replacement one;
  ASSERT_TRUE(one.begin(system_os(), path.c_str(), replacing::never));
  world.add_file("one.txt", "of another program");
  EXPECT_EQ(one.commit().error().code, errc::exists);
  EXPECT_FALSE(one.is_in_place());
  EXPECT_EQ(system_os().status(path.c_str(), false)->size, 18u);
  world.remove("one.txt");
  ASSERT_TRUE(one.begin(system_os(), path.c_str(), replacing::never));
  ASSERT_TRUE(one.commit());
  EXPECT_TRUE(one.is_in_place());
  EXPECT_EQ(test::temporaries_in(system_os(), world.root().c_str()), 0u);
}

class replacing_for_a_while : public ::testing::Test {
 protected:
  void begin() {
    world_.add_file("one.txt", "old");
    ASSERT_TRUE(one_.begin(system_os(), path_.c_str()));
    EXPECT_EQ(std::string_view(one_.target_path()), path_);
    ASSERT_TRUE(write_fully(system_os(), one_.file(), 0, bytes_of("new")));
  }
  std::uint64_t size() { return system_os().status(path_.c_str(), true)->size; }

  test::disk_world world_;
  const std::string path_ = world_.root() + "/one.txt";
  file_replacement one_;
};

TEST_F(replacing_for_a_while, leaves_a_file_that_is_read_only_by_the_time) {
  if (on_windows) GTEST_SKIP() << needs_posix;
  begin();
  std::filesystem::permissions(path_, std::filesystem::perms::owner_read);
  EXPECT_EQ(one_.commit().error().code, errc::permission);
  EXPECT_EQ(system_os().status(path_.c_str(), false)->permissions, 0400u);
}

TEST_F(replacing_for_a_while, leaves_a_link_that_has_got_the_name) {
  if (!world_.has_links()) GTEST_SKIP() << needs_symlinks;
  begin();
  world_.remove("one.txt");
  world_.add_file("other.txt", "another");
  world_.add_link("one.txt", "other.txt");
  EXPECT_EQ(one_.commit().error().code, errc::not_a_file);
  EXPECT_EQ(size(), 7u);
}

TEST_F(replacing_for_a_while, keeps_the_permissions_that_the_file_has_by_then) {
  if (on_windows) GTEST_SKIP() << needs_posix;
  begin();
  std::filesystem::permissions(path_, std::filesystem::perms(0600));
  ASSERT_TRUE(one_.commit());
  const auto found = system_os().status(path_.c_str(), false);
  EXPECT_EQ(found->permissions, 0600u);
  EXPECT_EQ(found->size, 3u);
}

// As realpath() does with a path below /proc/PID/root.
TEST_F(replacing_for_a_while, leaves_what_a_link_leads_to_in_this_root_alone) {
  if (!world_.has_links()) GTEST_SKIP() << needs_symlinks;
  class another_root final : public forwarding_os {
   public:
    std::string here;
    result<std::size_t> canonical_path(const char*, std::span<char> text) noexcept override {
      here.copy(text.data(), text.size());
      text[here.size()] = '\0';
      return here.size();
    }
  };
  another_root os;
  os.here = world_.root() + "/here.txt";
  world_.add_file("here.txt", "of the host");
  world_.add_file("there.txt", "of the container");
  world_.add_link("link.txt", "there.txt");
  const std::string link = world_.root() + "/link.txt";
  EXPECT_EQ(one_.begin(os, link.c_str()).error().code, errc::unsupported);
  EXPECT_EQ(system_os().status(os.here.c_str(), false)->size, 11u);
}

TEST_F(replacing_for_a_while, asks_once_the_new_file_is_on_the_disk) {
  test::fake_os os;
  os.add_file("/one.txt", "old");
  file_replacement one;
  for (const bool may : {false, true}) {
    ASSERT_TRUE(one.begin(os, "/one.txt"));
    ASSERT_TRUE(write_fully(os, one.file(), 0, bytes_of("new")));
    const std::uint64_t before = os.calls(test::os_call::sync);
    const auto done = one.commit([&]() noexcept -> result<void> {
      EXPECT_EQ(os.calls(test::os_call::sync), before + 1);
      EXPECT_EQ(os.content("/one.txt"), "old");
      return may ? result<void>{} : fail(errc::exists, "another program has written it");
    });
    EXPECT_EQ(done.has_value(), may);
    EXPECT_EQ(os.content("/one.txt"), may ? "new" : "old");
  }
}

class failing_replacement : public ::testing::Test {
 protected:
  static constexpr const char* path = "/saves/one.txt";

  result<void> replace(test::fake_os& os) {
    return replace_file(os, path, [&](os_handle file) {
      return write_fully(os, file, 0, bytes_of("the new content"));
    });
  }
};

TEST_F(failing_replacement, leaves_the_old_file_or_the_new_one_whichever_call_fails) {
  for (const int os_error : {ENOSPC, EIO, EINTR}) {
    for (std::uint64_t call = 0;; ++call) {
      test::fake_os os;
      os.add_file(path, "old");
      os.shorten_writes(4);
      os.fail_call(test::os_call::any, call, os_error);
      const auto done = replace(os);
      EXPECT_EQ(os.open_handles(), 0u);
      EXPECT_EQ(os.misuses(), 0u);
      // An interrupted call is retried; close() cannot fail.
      const bool replaced = os.content(path) == "the new content";
      EXPECT_TRUE(replaced || os.content(path) == "old");
      EXPECT_EQ(replaced, done.has_value() || std::string_view(done.error().reason) ==
                                                  "replaced, but the folder could not be synced");
      if (!done) {
        EXPECT_EQ(done.error().os_error, os_error);
        EXPECT_EQ(test::temporaries_in(os, "/saves"), 0u);
      }
      if (os.calls() <= call) break;
    }
  }
}

// What is not on the disk may be gone after a loss of power, and the old file with it.
TEST_F(failing_replacement, leaves_the_old_file_if_the_new_one_cannot_be_synced) {
  test::fake_os os;
  os.add_file(path, "old");
  os.fail_call(test::os_call::sync, 0, EIO);
  const auto done = replace(os);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().os_error, EIO);
  EXPECT_EQ(os.content(path), "old");
}

TEST_F(failing_replacement, survives_a_loss_of_power_at_any_call) {
  for (const test::names unsynced : {test::names::kept, test::names::lost}) {
    for (std::uint64_t call = 0;; ++call) {
      test::fake_os os;
      os.add_file(path, "old");
      os.shorten_writes(4);
      bool cut = false;
      // Calls after the power failure no longer affect the disk.
      os.fail_call(test::os_call::any, call, EIO, UINT64_MAX);
      os.at_call(test::os_call::any, call, [&] {
        if (!cut) os.crash(unsynced);
        cut = true;
      });
      const auto done = replace(os);
      const auto found = os.content(path);
      EXPECT_TRUE(found == "old" || found == "the new content") << call << found.value_or("gone");
      if (cut) continue;
      ASSERT_TRUE(done);
      os.crash(unsynced);
      EXPECT_EQ(os.content(path), "the new content");
      break;
    }
  }
}

TEST_F(failing_replacement, refuses_paths_that_are_too_long) {
  test::fake_os os;
  const std::string deep = "/" + std::string(limits::path_bytes_max - 4, 'x');
  const auto done = replace_file(os, deep.c_str(), [](os_handle) { return result<void>{}; });
  EXPECT_EQ(done.error().code, errc::limit);
}

TEST(a_system_that_only_reads, says_that_it_does_not_write) {
  class reader final : public operating_system {
    result<os_handle> open(const char*) noexcept override { return os_handle{1}; }
    result<os_handle> open_below(os_handle, const char*) noexcept override { return os_handle{1}; }
    void close(os_handle) noexcept override {}
    result<file_status> status(os_handle) noexcept override { return file_status{file_kind::file}; }
    result<std::size_t> read_at(os_handle, std::uint64_t, std::span<std::byte>) noexcept override {
      return std::size_t{0};
    }
    result<file_status> status(const char*, bool) noexcept override {
      return file_status{file_kind::file};
    }
    result<void> list(const char*,
                      function_ref<void(const folder_entry&) noexcept>) noexcept override {
      return {};
    }
    result<std::size_t> canonical_path(const char*, std::span<char>) noexcept override {
      return std::size_t{0};
    }
    result<mapping> map(os_handle) noexcept override { return mapping{}; }
    void unmap(mapping) noexcept override {}
  };
  reader os;
  const auto done = replace_file(os, "one.txt", [](os_handle) { return result<void>{}; });
  EXPECT_EQ(done.error().code, errc::unsupported);
}

// A sweep that comes between the creation of a temporary file and its lock.
TEST(a_replacement, begins_again_if_its_file_is_swept_away) {
  class swept_once final : public forwarding_os {
   public:
    result<os_handle> create(const char* path) noexcept override {
      result<os_handle> made = forwarding_os::create(path);
      if (made && !swept_) swept_ = remove_file(path).has_value();
      return made;
    }

   private:
    bool swept_ = false;
  };
  test::disk_world world;
  swept_once os;
  const std::string path = world.root() + "/one.txt";
  const auto done = replace_file(
      os, path.c_str(), [&](os_handle file) { return write_fully(os, file, 0, bytes_of("new")); });
  ASSERT_TRUE(done);
  EXPECT_EQ(system_os().status(path.c_str(), false)->size, 3u);
}

}  // namespace
}  // namespace overture::replace_file_test

// SPDX-License-Identifier: Zlib
//
// The contract of writing, checked on the real system, the generic one and the fake; and that
// replace_file() leaves either the old or the new content, whatever fails.
#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/os_worlds.hpp"
#include "overture/base/limits.hpp"
#include "support/platform.hpp"

namespace overture {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span{text.data(), text.size()});
}

enum class kind_of_world { system, generic, fake };

// The path of replace_file()'s temporary file.
std::string temporary_of(const std::string& path) {
  std::string room(limits::path_bytes_max + 1, '\0');
  EXPECT_TRUE(temporary_path_of(path.c_str(), room));
  return room.c_str();
}

class os_writing : public ::testing::TestWithParam<kind_of_world> {
 protected:
  os_writing() {
    switch (GetParam()) {
      case kind_of_world::system:
        world_ = std::make_unique<test::disk_world>();
        break;
      case kind_of_world::generic:
        world_ = std::make_unique<test::generic_world>();
        break;
      case kind_of_world::fake:
        world_ = std::make_unique<test::fake_world>();
        break;
    }
  }

  operating_system& os() { return world_->os(); }
  test::world& world() { return *world_; }
  std::string at(const std::string& path) { return world_->root() + "/" + path; }
  std::string content(const std::string& path) {
    const auto file = os().open(at(path).c_str());
    if (!file) return "error " + std::to_string(file.error().os_error);
    std::string text(100, '\0');
    const auto got = os().read_at(*file, 0, std::as_writable_bytes(std::span{text}));
    os().close(*file);
    text.resize(got.value_or(0));
    return text;
  }
  result<void> replace(const std::string& path, std::string_view text) {
    return replace_file(os(), at(path).c_str(),
                        [&](os_handle file) { return write_fully(os(), file, 0, bytes_of(text)); });
  }
  bool has_temporary(const std::string& path) {
    return os().status(temporary_of(at(path)).c_str(), false).has_value();
  }

 private:
  std::unique_ptr<test::world> world_;
};

TEST_P(os_writing, a_file_is_created_written_anywhere_and_read_back) {
  const auto file = os().create(at("new.txt").c_str());
  ASSERT_TRUE(file);
  EXPECT_TRUE(write_fully(os(), *file, 2, bytes_of("cd")));
  EXPECT_TRUE(write_fully(os(), *file, 0, bytes_of("ab")));
  EXPECT_TRUE(os().sync(*file));
  const auto status = os().status(*file);
  os().close(*file);
  EXPECT_EQ(content("new.txt"), "abcd");
  ASSERT_TRUE(status);
  EXPECT_EQ(status->size, 4u);
}

TEST_P(os_writing, a_file_that_is_created_again_is_emptied) {
  world().add_file("old.txt", "something");
  const auto file = os().create(at("old.txt").c_str());
  ASSERT_TRUE(file);
  os().close(*file);
  EXPECT_EQ(content("old.txt"), "");
}

// The others open nothing below a folder.
class system_writing : public os_writing {};

TEST_P(system_writing, appends_at_the_end_and_updates_where_it_is_told_to) {
  world().add_file("appended", "12345");
  world().add_file("updated", "12345");
  const auto root = os().open(world().root().c_str());
  ASSERT_TRUE(root);
  const auto write = [&](const char* name, write_mode mode) {
    const auto file = os().open_to_write(*root, name, mode);
    if (!file) return std::string("no file");
    EXPECT_TRUE(os().write_at(*file, 1, bytes_of("x")));
    os().close(*file);
    return content(name);
  };
  EXPECT_EQ(write("appended", write_mode::append), "12345x");
  EXPECT_EQ(write("updated", write_mode::update), "1x345");
  EXPECT_EQ(write("new", write_mode::update), std::string("\0x", 2));
  os().close(*root);
}

TEST_P(os_writing, files_are_not_created_where_they_cannot_be) {
  world().add_folder("folder");
  EXPECT_EQ(os().create(at("missing/new.txt").c_str()).error().code, errc::not_found);
  EXPECT_FALSE(os().create(at("folder").c_str()));
}

TEST_P(os_writing, a_link_is_not_written_through) {
  if (!world().has_links()) GTEST_SKIP() << needs_symlinks;
  world().add_file("target.txt", "target");
  world().add_link("link.txt", "target.txt");
  const auto file = os().create(at("link.txt").c_str());
  if (file) {
    EXPECT_TRUE(write_fully(os(), *file, 0, bytes_of("new")));
    os().close(*file);
  }
  EXPECT_EQ(content("target.txt"), "target");
}

TEST_P(os_writing, a_renamed_file_takes_the_place_of_another) {
  world().add_file("one.txt", "one");
  world().add_file("two.txt", "two");
  EXPECT_TRUE(os().rename(at("one.txt").c_str(), at("two.txt").c_str()));
  EXPECT_EQ(content("two.txt"), "one");
  EXPECT_EQ(os().open(at("one.txt").c_str()).error().code, errc::not_found);
  EXPECT_EQ(os().rename(at("one.txt").c_str(), at("two.txt").c_str()).error().code,
            errc::not_found);
}

TEST_P(os_writing, files_are_removed_and_folders_are_not) {
  world().add_file("one.txt", "one");
  world().add_folder("folder");
  EXPECT_TRUE(os().remove_file(at("one.txt").c_str()));
  EXPECT_EQ(os().remove_file(at("one.txt").c_str()).error().code, errc::not_found);
  EXPECT_FALSE(os().remove_file(at("folder").c_str()));
  EXPECT_TRUE(os().status(at("folder").c_str(), true));
}

TEST_P(os_writing, a_file_is_replaced_and_nothing_else_is_left) {
  EXPECT_TRUE(replace("one.txt", "first"));
  EXPECT_EQ(content("one.txt"), "first");
  EXPECT_TRUE(replace("one.txt", "second"));
  EXPECT_EQ(content("one.txt"), "second");
  EXPECT_FALSE(has_temporary("one.txt"));
}

TEST_P(os_writing, no_other_file_is_touched_by_a_replacement) {
  world().add_file("one.txt", "one");
  world().add_file("one.txt.new", "new");
  std::string temporary;
  const auto done = replace_file(os(), at("one.txt").c_str(), [&](os_handle file) {
    temporary = temporary_of(at("one.txt"));
    EXPECT_TRUE(has_temporary("one.txt"));
    return write_fully(os(), file, 0, bytes_of("replaced"));
  });
  ASSERT_TRUE(done);
  EXPECT_TRUE(temporary.starts_with(at(".overture-"))) << temporary;
  EXPECT_NE(temporary, temporary_of(at("two.txt")));
  EXPECT_EQ(content("one.txt"), "replaced");
  EXPECT_EQ(content("one.txt.new"), "new");
}

TEST(temporary_path, is_refused_if_it_is_too_long) {
  char room[30];
  EXPECT_TRUE(temporary_path_of("a/b", room));
  EXPECT_TRUE(std::string_view(room).starts_with("a/.overture-")) << room;
  EXPECT_TRUE(temporary_path_of("/b", room));
  EXPECT_TRUE(temporary_path_of("b", room));
  EXPECT_FALSE(temporary_path_of("a/folder/of/a/long/name/b", room));
}

TEST_P(os_writing, a_file_stays_if_its_replacement_fails) {
  world().add_file("one.txt", "first");
  const auto done = replace_file(os(), at("one.txt").c_str(), [&](os_handle file) -> result<void> {
    EXPECT_TRUE(write_fully(os(), file, 0, bytes_of("sec")));
    return fail(errc::cancelled, "changed my mind");
  });
  EXPECT_EQ(done.error().code, errc::cancelled);
  EXPECT_EQ(content("one.txt"), "first");
  EXPECT_FALSE(has_temporary("one.txt"));
}

TEST_P(os_writing, a_folder_is_not_replaced_by_a_file) {
  world().add_folder("folder");
  EXPECT_EQ(replace("folder", "text").error().code, errc::not_a_file);
  EXPECT_FALSE(has_temporary("folder"));
}

INSTANTIATE_TEST_SUITE_P(worlds, system_writing, ::testing::Values(kind_of_world::system));

INSTANTIATE_TEST_SUITE_P(worlds, os_writing,
                         ::testing::Values(kind_of_world::system, kind_of_world::generic,
                                           kind_of_world::fake),
                         [](const auto& each) {
                           return each.param == kind_of_world::system    ? "system"
                                  : each.param == kind_of_world::generic ? "generic"
                                                                         : "fake";
                         });

class replacing : public ::testing::Test {
 protected:
  static constexpr const char* path = "/saves/one.txt";

  result<void> replace(test::fake_os& os) {
    return replace_file(os, path, [&](os_handle file) {
      return write_fully(os, file, 0, bytes_of("the new content"));
    });
  }
};

TEST_F(replacing, leaves_the_old_file_or_the_new_one_whichever_call_fails) {
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
        EXPECT_EQ(os.content(temporary_of(path)), std::nullopt);
      }
      if (os.calls() <= call) break;
    }
  }
}

TEST_F(replacing, survives_a_loss_of_power_at_any_call) {
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

TEST_F(replacing, refuses_paths_that_are_too_long) {
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

TEST_P(os_writing, a_function_that_throws_leaves_the_old_file_and_nothing_else) {
  ASSERT_TRUE(replace("one.txt", "old"));
  const auto done = replace_file(os(), at("one.txt").c_str(),
                                 [](os_handle) -> result<void> { throw std::runtime_error("no"); });
  EXPECT_EQ(done.error().code, errc::threw);
  EXPECT_EQ(content("one.txt"), "old");
  EXPECT_FALSE(has_temporary("one.txt"));
}

}  // namespace
}  // namespace overture

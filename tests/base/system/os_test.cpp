// SPDX-License-Identifier: Zlib
//
// The contract of operating_system, checked on the real one, the generic one and the fake.
#include "overture/base/os.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/system/os_worlds.hpp"
#include "overture/base/limits.hpp"
#include "support/platform.hpp"

namespace overture::os_test {
namespace {

enum class kind_of_world { system, generic, fake };

class os_test : public ::testing::TestWithParam<kind_of_world> {
 protected:
  os_test() {
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
  std::string at(const std::string& path) { return world_->root() + "/" + path; }
  os_handle open(const std::string& path) {
    const auto opened = os().open(at(path).c_str());
    EXPECT_TRUE(opened) << path << ": errno " << (opened ? 0 : opened.error().os_error);
    return opened.value_or(os_handle{});
  }
  errc error_of_open_below(const std::string& folder, const char* path) {
    const os_handle root = open(folder);
    const auto opened = os().open_below(root, path);
    if (opened) os().close(*opened);
    os().close(root);
    EXPECT_FALSE(opened) << path;
    return opened ? errc::invalid : opened.error().code;
  }
  bool opens_below(const std::string& folder, const char* path) {
    const os_handle root = open(folder);
    const auto opened = os().open_below(root, path);
    if (opened) os().close(*opened);
    os().close(root);
    return opened.has_value();
  }
  std::string read_below(const std::string& folder, const char* path) {
    const os_handle root = open(folder);
    const auto opened = os().open_below(root, path);
    os().close(root);  // files opened below it stay open
    if (!opened) return "error " + std::to_string(opened.error().os_error);
    const std::string bytes = read(*opened, 0, 100);
    os().close(*opened);
    return bytes;
  }
  std::string read(os_handle file, std::uint64_t offset, std::size_t size) {
    std::vector<std::byte> bytes(size);
    const auto got = os().read_at(file, offset, bytes);
    if (!got) return "error " + std::to_string(got.error().os_error);
    return {reinterpret_cast<const char*>(bytes.data()), *got};
  }
  std::map<std::string, file_kind> listed(const std::string& path) {
    std::map<std::string, file_kind> entries;
    EXPECT_TRUE(os().list(at(path).c_str(), [&](const folder_entry& entry) noexcept {
      EXPECT_TRUE(entries.emplace(entry.name, entry.kind).second)
          << entry.name << " was listed twice";
    }));
    return entries;
  }
  std::string canonical(const std::string& path) {
    char text[limits::path_bytes_max];
    const auto length = os().canonical_path(at(path).c_str(), text);
    if (!length) return "error " + std::to_string(length.error().os_error);
    EXPECT_EQ(text[*length], '\0');
    return {text, *length};
  }

  std::unique_ptr<test::world> world_;
};

TEST_P(os_test, a_file_is_read_whole_and_in_parts) {
  world_->add_file("one.txt", "0123456789");
  const os_handle file = open("one.txt");
  EXPECT_TRUE(file.valid());
  EXPECT_EQ(read(file, 0, 10), "0123456789");
  EXPECT_EQ(read(file, 7, 2), "78");
  EXPECT_EQ(read(file, 0, 1), "0");
  EXPECT_EQ(read(file, 3, 0), "");
  os().close(file);
}

TEST_P(os_test, a_read_across_the_end_is_short_and_one_beyond_it_is_empty) {
  world_->add_file("one.txt", "0123456789");
  world_->add_file("empty", "");
  const os_handle file = open("one.txt");
  EXPECT_EQ(read(file, 8, 100), "89");
  EXPECT_EQ(read(file, 10, 1), "");
  EXPECT_EQ(read(file, std::uint64_t{1} << 40, 1), "");
  EXPECT_EQ(read(file, UINT64_MAX, 1), "");
  os().close(file);
  const os_handle empty = open("empty");
  EXPECT_EQ(read(empty, 0, 1), "");
  os().close(empty);
}

TEST_P(os_test, bytes_are_not_changed_on_their_way) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  all += "\r\n\x1A\n\r";
  world_->add_file("all", all);
  const os_handle file = open("all");
  EXPECT_EQ(read(file, 0, 1000), all);
  os().close(file);
}

TEST_P(os_test, threads_read_one_handle_at_once) {
  std::string bytes;
  for (std::size_t i = 0; i < 4096; ++i) bytes += static_cast<char>('a' + i * 7 % 26);
  world_->add_file("one.txt", bytes);
  const os_handle file = open("one.txt");
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  std::atomic<int> ready{0};
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      ++ready;
      while (ready < 4) std::this_thread::yield();
      for (std::size_t i = 0; i < 2000; ++i) {
        const std::size_t offset = (i * 97 + t * 1013) % 4000;
        if (read(file, offset, 64) != bytes.substr(offset, 64)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  os().close(file);
}

TEST_P(os_test, read_fully_fills_the_buffer_or_says_where_the_file_ends) {
  world_->add_file("one.txt", "0123456789");
  const os_handle file = open("one.txt");
  std::array<std::byte, 6> bytes{};
  ASSERT_TRUE(read_fully(os(), file, 4, bytes));
  EXPECT_EQ(bytes[0], std::byte{'4'});
  EXPECT_EQ(bytes[5], std::byte{'9'});
  const auto beyond = read_fully(os(), file, 5, bytes);
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().code, errc::truncated);
  EXPECT_EQ(beyond.error().offset, 10u);
  EXPECT_TRUE(read_fully(os(), file, 10, {}));
  os().close(file);
}

TEST_P(os_test, a_cached_read_gives_the_same_bytes_or_is_busy) {
  world_->add_file("one.txt", "0123456789");
  const os_handle file = open("one.txt");
  std::array<std::byte, 4> bytes{};
  const auto got = os().read_cached_at(file, 2, bytes);
  if (got) {
    EXPECT_EQ(*got, 4u);
    EXPECT_EQ(bytes[0], std::byte{'2'});
  } else {
    EXPECT_EQ(got.error().code, errc::busy);
  }
  os().close(file);
}

TEST_P(os_test, what_does_not_exist_is_not_found) {
  if (!world_->has_links()) GTEST_SKIP() << needs_symlinks;
  if (!world_->follows_links_below()) GTEST_SKIP() << needs_openat2;
  world_->add_file("file", "");
  world_->add_link("dangling", "nowhere");
  for (const char* path : {"missing", "missing/file", "dangling"}) {
    const auto opened = os().open(at(path).c_str());
    ASSERT_FALSE(opened) << path;
    EXPECT_EQ(opened.error().code, errc::not_found) << path;
    EXPECT_EQ(opened.error().os_error, ENOENT) << path;
    EXPECT_EQ(os().status(at(path).c_str(), true).error().code, errc::not_found) << path;
    EXPECT_EQ(os().list(at(path).c_str(), [](const folder_entry&) noexcept {}).error().code,
              errc::not_found);
    EXPECT_EQ(canonical(path), "error " + std::to_string(ENOENT));
    EXPECT_EQ(error_of_open_below("", path), errc::not_found);
  }
  EXPECT_EQ(os().status(at("missing").c_str(), false).error().code, errc::not_found);
  EXPECT_EQ(os().open("").error().code, errc::not_found);
}

TEST_P(os_test, nothing_lies_below_a_file) {
  world_->add_file("file", "x");
  EXPECT_EQ(os().open(at("file/below").c_str()).error().code, errc::not_found);
  EXPECT_EQ(os().status(at("file/below").c_str(), true).error().code, errc::not_found);
  EXPECT_EQ(os().list(at("file").c_str(), [](const folder_entry&) noexcept {}).error().code,
            errc::not_found);
  EXPECT_EQ(error_of_open_below("", "file/below"), errc::not_found);
}

TEST_P(os_test, a_slash_at_the_end_asks_for_a_folder) {
  if (!world_->has_links()) GTEST_SKIP() << needs_symlinks;
  world_->add_file("folder/file", "x");
  world_->add_link("link", "folder/file/");
  EXPECT_EQ(os().status(at("folder/file/").c_str(), true).error().code, errc::not_found);
  EXPECT_EQ(os().status(at("link").c_str(), true).error().code, errc::not_found);
  EXPECT_EQ(os().open(at("folder/file/").c_str()).error().code, errc::not_found);
  EXPECT_EQ(canonical("folder/"), at("folder"));
}

TEST_P(os_test, a_folder_opens_but_is_not_a_file) {
  world_->add_folder("folder");
  const os_handle folder = open("folder");
  const auto status = os().status(folder);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->kind, file_kind::folder);
  EXPECT_EQ(status->size, 0u);
  std::array<std::byte, 4> bytes{};
  EXPECT_EQ(os().read_at(folder, 0, bytes).error().code, errc::not_a_file);
  os().close(folder);
}

TEST_P(os_test, status_tells_kind_and_size) {
  if (!world_->has_links()) GTEST_SKIP() << needs_symlinks;
  world_->add_file("one.txt", "0123456789");
  world_->add_folder("folder");
  world_->add_link("link", "one.txt");
  world_->add_link("dangling", "nowhere");
  const auto file = os().status(at("one.txt").c_str(), true);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->kind, file_kind::file);
  EXPECT_EQ(file->size, 10u);
  EXPECT_GT(file->mtime_ns, 1'500'000'000'000'000'000) << "should be after 2017";
  EXPECT_EQ(os().status(at("folder").c_str(), true)->kind, file_kind::folder);
  EXPECT_EQ(os().status(at("folder/").c_str(), true)->kind, file_kind::folder);
  EXPECT_EQ(os().status(at("link").c_str(), true)->kind, file_kind::file);
  EXPECT_EQ(os().status(at("link").c_str(), true)->size, 10u);
  EXPECT_EQ(os().status(at("link").c_str(), false)->kind, file_kind::link);
  EXPECT_EQ(os().status(at("dangling").c_str(), false)->kind, file_kind::link);
}

TEST_P(os_test, the_status_by_handle_and_by_path_agree) {
  world_->add_file("one.txt", "0123456789");
  const os_handle file = open("one.txt");
  const auto by_handle = os().status(file);
  const auto by_path = os().status(at("one.txt").c_str(), true);
  ASSERT_TRUE(by_handle && by_path);
  EXPECT_EQ(by_handle->kind, by_path->kind);
  EXPECT_EQ(by_handle->size, by_path->size);
  EXPECT_EQ(by_handle->mtime_ns, by_path->mtime_ns);
  EXPECT_EQ(by_handle->atime_ns, by_path->atime_ns);
  EXPECT_EQ(by_handle->ctime_ns, by_path->ctime_ns);
  os().close(file);
}

TEST_P(os_test, a_file_that_shrinks_while_open_ends_earlier) {
  world_->add_file("one.txt", "0123456789");
  const os_handle file = open("one.txt");
  world_->truncate("one.txt", 4);
  EXPECT_EQ(os().status(file)->size, 4u);
  EXPECT_EQ(read(file, 2, 8), "23");
  EXPECT_EQ(read(file, 4, 8), "");
  std::array<std::byte, 10> bytes{};
  EXPECT_EQ(read_fully(os(), file, 0, bytes).error().code, errc::truncated);
  os().close(file);
}

TEST_P(os_test, a_removed_file_can_be_read_while_it_is_open) {
  if (!world_->frees_names_at_once()) GTEST_SKIP() << needs_free_names;
  world_->add_file("one.txt", "0123456789");
  const os_handle file = open("one.txt");
  world_->remove("one.txt");
  EXPECT_EQ(read(file, 0, 4), "0123");
  EXPECT_EQ(os().open(at("one.txt").c_str()).error().code, errc::not_found);
  os().close(file);
}

TEST_P(os_test, a_folder_lists_each_entry_once_with_its_own_kind) {
  if (!world_->has_links()) GTEST_SKIP() << needs_symlinks;
  world_->add_file("folder/one.txt", "1");
  world_->add_file("folder/two", "2");
  world_->add_file("folder/inner/three", "3");
  world_->add_link("folder/link", "inner");
  world_->add_link("folder/dangling", "nowhere");
  world_->add_file("folder2/other", "4");
  world_->add_file("folder/.hidden", "5");
  EXPECT_EQ(listed("folder"), (std::map<std::string, file_kind>{{"one.txt", file_kind::file},
                                                                {"two", file_kind::file},
                                                                {"inner", file_kind::folder},
                                                                {"link", file_kind::link},
                                                                {"dangling", file_kind::link},
                                                                {".hidden", file_kind::file}}));
  EXPECT_EQ(listed("folder/link"), (std::map<std::string, file_kind>{{"three", file_kind::file}}));
  world_->add_folder("empty");
  EXPECT_TRUE(listed("empty").empty());
}

TEST_P(os_test, a_visitor_may_use_the_system_itself) {
  world_->add_file("folder/one.txt", "0123");
  std::string bytes;
  ASSERT_TRUE(os().list(at("folder").c_str(), [&](const folder_entry& entry) noexcept {
    const os_handle file = open("folder/" + std::string(entry.name));
    bytes = read(file, 0, 10);
    os().close(file);
  }));
  EXPECT_EQ(bytes, "0123");
}

TEST_P(os_test, names_of_any_bytes_and_of_the_longest_length_work) {
  if (!world_->has_names_of_any_bytes()) GTEST_SKIP() << "names are UTF-16 here";
  const std::string longest(limits::path_element_bytes_max, 'n');
  for (const std::string& name : {std::string("with space"), std::string("\xC3\xA9t\xC3\xA9"),
                                  std::string("back\\slash"), longest}) {
    world_->add_file("names/" + name, name);
    const os_handle file = open("names/" + name);
    EXPECT_EQ(read(file, 0, 300), name);
    os().close(file);
  }
  EXPECT_EQ(listed("names").size(), 4u);
  EXPECT_EQ(os().open(at("names/" + longest + "n").c_str()).error().code, errc::limit);
}

TEST_P(os_test, a_canonical_path_has_no_links_and_no_dots) {
  if (!world_->has_links()) GTEST_SKIP() << needs_symlinks;
  world_->add_file("folder/inner/one.txt", "1");
  world_->add_link("link", "folder/inner");
  world_->add_link("folder/absolute", world_->root() + "/link/../inner");
  EXPECT_EQ(canonical("folder/inner/one.txt"), at("folder/inner/one.txt"));
  EXPECT_EQ(canonical("./folder//inner/../inner/./one.txt"), at("folder/inner/one.txt"));
  EXPECT_EQ(canonical("link/one.txt"), at("folder/inner/one.txt"));
  EXPECT_EQ(canonical("link/.."), at("folder"));
  EXPECT_EQ(canonical("folder/absolute/"), at("folder/inner"));
  EXPECT_EQ(canonical(""), world_->root());
}

TEST_P(os_test, a_canonical_path_that_does_not_fit_is_refused) {
  world_->add_file("one.txt", "1");
  const std::string path = at("one.txt");
  std::vector<char> text(path.size() + 1, '#');
  EXPECT_EQ(os().canonical_path(path.c_str(), text).value_or(0), path.size());
  text.assign(path.size(), '#');
  EXPECT_EQ(os().canonical_path(path.c_str(), text).error().code, errc::limit);
  EXPECT_EQ(text, std::vector<char>(path.size(), '#'));
}

TEST_P(os_test, links_in_a_circle_are_refused) {
  if (!world_->has_links()) GTEST_SKIP() << needs_symlinks;
  world_->add_link("one", "two");
  world_->add_link("two", "one");
  EXPECT_EQ(os().open(at("one").c_str()).error().code, errc::permission);
  EXPECT_EQ(os().status(at("one").c_str(), true).error().code, errc::permission);
  EXPECT_EQ(os().status(at("one").c_str(), false)->kind, file_kind::link);
  EXPECT_EQ(error_of_open_below("", "one"), errc::permission);
}

TEST_P(os_test, files_open_below_a_folder) {
  if (!world_->has_links()) GTEST_SKIP() << needs_symlinks;
  if (!world_->follows_links_below()) GTEST_SKIP() << needs_openat2;
  world_->add_file("root/one.txt", "one");
  world_->add_file("root/folder/two.txt", "two");
  world_->add_link("root/folder/up", "../one.txt");
  world_->add_link("root/in", "folder");
  EXPECT_EQ(read_below("root", "one.txt"), "one");
  EXPECT_EQ(read_below("root", "folder/two.txt"), "two");
  EXPECT_EQ(read_below("root", "folder/../one.txt"), "one");
  EXPECT_EQ(read_below("root", "folder/up"), "one");
  EXPECT_EQ(read_below("root", "in/two.txt"), "two");
}

TEST_P(os_test, nothing_opens_below_a_folder_that_is_gone) {
  world_->add_file("root/one.txt", "one");
  const os_handle root = open("root");
  world_->remove("root");
  EXPECT_EQ(os().open_below(root, "one.txt").error().code, errc::not_found);
  os().close(root);
}

TEST_P(os_test, nothing_opens_outside_the_folder_where_the_system_can_tell) {
  if (!world_->has_links()) GTEST_SKIP() << needs_symlinks;
  world_->add_file("secret", "secret");
  world_->add_file("outside/secret", "secret");
  world_->add_file("root/folder/one.txt", "one");
  world_->add_link("root/absolute", world_->root() + "/secret");
  world_->add_link("root/absolute_inside", world_->root() + "/root/folder/one.txt");
  world_->add_link("root/up", "../secret");
  world_->add_link("root/folder/out", "../../outside");
  world_->add_link("root/there_and_back", "../root/folder/one.txt");
  for (const char* path : {"../secret", "folder/../../secret", "absolute", "absolute_inside", "up",
                           "folder/out/secret", "there_and_back", "..", "/etc"}) {
    if (world_->knows_links_that_leave()) {
      EXPECT_EQ(error_of_open_below("root", path), errc::permission) << path;
    } else {
      EXPECT_TRUE(opens_below("root", path)) << path << " is refused: say so in the world";
    }
  }
}

TEST_P(os_test, a_mapping_holds_the_whole_file) {
  world_->add_file("one.txt", "0123456789");
  world_->add_file("empty", "");
  const os_handle file = open("one.txt");
  const auto mapped = os().map(file);
  os().close(file);  // the mapping outlives the handle
  if (!world_->maps_files()) {
    EXPECT_EQ(mapped.error().code, errc::unsupported);
    return;
  }
  ASSERT_TRUE(mapped);
  ASSERT_EQ(mapped->size, 10u);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(mapped->data), 10), "0123456789");
  os().unmap(*mapped);

  const os_handle empty = open("empty");
  const auto nothing = os().map(empty);
  ASSERT_TRUE(nothing);
  EXPECT_EQ(nothing->size, 0u);
  os().unmap(*nothing);
  os().close(empty);
}

INSTANTIATE_TEST_SUITE_P(every, os_test,
                         ::testing::Values(kind_of_world::system, kind_of_world::generic,
                                           kind_of_world::fake),
                         [](const auto& instance) -> std::string {
                           switch (instance.param) {
                             case kind_of_world::system:
                               return "system";
                             case kind_of_world::generic:
                               return "generic";
                             case kind_of_world::fake:
                               return "fake";
                           }
                           return "unknown";
                         });

}  // namespace
}  // namespace overture::os_test

// SPDX-License-Identifier: Zlib
//
// What only Windows has: UTF-16, drives, long paths, names of devices.
#include "base/system/paths_windows.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "overture/base/os.hpp"
#include "overture/base/replace_file.hpp"
#include "support/platform.hpp"
#include "support/temp_folder.hpp"

namespace overture {
using namespace base_detail;

namespace {

std::string read_all(const std::string& path) {
  const result<os_handle> file = system_os().open(path.c_str());
  if (!file) return std::string("error: ") + to_string(file.error().code);
  std::byte bytes[100];
  const result<std::size_t> got = system_os().read_at(*file, 0, bytes);
  system_os().close(*file);
  return got ? std::string(reinterpret_cast<const char*>(bytes), *got) : "error of the read";
}

result<void> write(const std::string& path, std::string_view text) {
  return replace_file(system_os(), path.c_str(), [&](os_handle file) {
    return write_fully(system_os(), file, 0, std::as_bytes(std::span(text)));
  });
}

TEST(os_windows, names_are_utf_8) {
  const temp_folder folder;
  const std::set<std::string> names = {"\xC3\xBC.txt", "\xE4\xB8\xAD", "\xF0\x9F\x98\x80.png"};
  for (const std::string& name : names) ASSERT_TRUE(write(folder / name, name));
  std::set<std::string> listed;
  ASSERT_TRUE(
      system_os().list(folder.path().string().c_str(),
                       [&](const folder_entry& entry) noexcept { listed.emplace(entry.name); }));
  EXPECT_EQ(listed, names);
  for (const std::string& name : names) EXPECT_EQ(read_all(folder / name), name);
  // The system's own functions see the same name.
  const std::wstring wide = folder.path().native() + L"\\\u00fc.txt";
  EXPECT_NE(GetFileAttributesW(wide.c_str()), INVALID_FILE_ATTRIBUTES);
}

TEST(os_windows, paths_may_have_either_separator_and_a_drive) {
  const temp_folder folder;
  std::string path = folder / "a.txt";
  ASSERT_EQ(path.find('\\'), path.npos);
  ASSERT_TRUE(write(path, "first"));
  for (char& each : path) each = each == '/' ? '\\' : each;
  EXPECT_EQ(read_all(path), "first");
  ASSERT_TRUE(write(path, "second")) << "the temporary file is in the same folder";
  EXPECT_EQ(read_all(path), "second");
}

TEST(os_windows, paths_may_be_longer_than_260_characters) {
  const temp_folder folder;
  std::vector<std::wstring> made = {LR"(\\?\)" + folder.path().native()};
  std::string inner;
  for (int i = 0; i < 12; ++i) {
    inner += std::string(40, static_cast<char>('a' + i)) + "/";
    made.push_back(made.back() + L"\\" + std::wstring(40, static_cast<wchar_t>(L'a' + i)));
    ASSERT_TRUE(CreateDirectoryW(made.back().c_str(), nullptr)) << i;
  }
  ASSERT_TRUE(write(folder / (inner + "f"), "deep"));
  EXPECT_EQ(read_all(folder / (inner + "f")), "deep");
  EXPECT_TRUE(system_os().status((folder / inner).c_str(), true));
  ASSERT_TRUE(system_os().remove_file((folder / (inner + "f")).c_str()));
  for (; made.size() > 1; made.pop_back()) EXPECT_TRUE(RemoveDirectoryW(made.back().c_str()));
}

TEST(os_windows, names_that_windows_cannot_have_are_refused) {
  const temp_folder folder;
  const result<os_handle> root = system_os().open(folder.path().string().c_str());
  ASSERT_TRUE(root);
  for (const char* const name : {"aux", "nul.txt", "a:b", "ends.", "ends ", "a\\b", "what?"}) {
    EXPECT_FALSE(system_os().open_below(*root, name)) << name;
    const auto made = system_os().open_to_write(*root, name, write_mode::create);
    ASSERT_FALSE(made) << name;
    EXPECT_EQ(made.error().code, errc::bad_path) << name;
    const auto folder_made = system_os().make_folder_below(*root, name);
    ASSERT_FALSE(folder_made) << name;
    EXPECT_EQ(folder_made.error().code, errc::bad_path) << name;
    if (std::strpbrk(name, "\\:")) continue;  // separators, in a path of the system
    EXPECT_FALSE(write(folder / name, "x")) << name;
  }
  system_os().close(*root);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(os_windows, a_file_that_is_being_read_can_be_replaced_and_removed) {
  const temp_folder folder;
  const std::string path = folder.write("a.txt", "old");
  const result<os_handle> reader = system_os().open(path.c_str());
  ASSERT_TRUE(reader);
  if (const result<void> replaced = write(path, "new"); !replaced) {
    EXPECT_EQ(read_all(path), "old");
    system_os().close(*reader);
    GTEST_SKIP() << needs_free_names;  // before Windows 10, and wine
  }
  EXPECT_EQ(read_all(path), "new");
  std::byte bytes[8];
  const result<std::size_t> got = system_os().read_at(*reader, 0, bytes);
  ASSERT_TRUE(got);
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(bytes), *got), "old");
  const result<os_handle> second = system_os().open(path.c_str());
  ASSERT_TRUE(second);
  EXPECT_TRUE(system_os().remove_file(path.c_str()));
  system_os().close(*second);
  system_os().close(*reader);
}

TEST(os_windows, nothing_outside_is_opened_below_a_folder) {
  const temp_folder folder;
  folder.write("secret", "secret");
  folder.write("root/inside/a.txt", "inside");
  const result<os_handle> root = system_os().open((folder / "root").c_str());
  ASSERT_TRUE(root);
  for (const char* const path :
       {"../secret", "inside/../../secret", "..", "/secret", "./../secret"}) {
    const auto read = system_os().open_below(*root, path);
    ASSERT_FALSE(read) << path;
    EXPECT_EQ(read.error().code, errc::permission) << path;
    EXPECT_FALSE(system_os().open_to_write(*root, path, write_mode::append)) << path;
    EXPECT_FALSE(system_os().remove_below(*root, path)) << path;
    EXPECT_FALSE(system_os().rename_below(*root, "inside/a.txt", path)) << path;
  }
  EXPECT_FALSE(system_os().open_below(*root, (folder / "secret").c_str())) << "with a drive";
  const auto inside = system_os().open_below(*root, "inside/a.txt");
  ASSERT_TRUE(inside);
  system_os().close(*inside);
  system_os().close(*root);
  EXPECT_EQ(read_all(folder / "secret"), "secret");
}

TEST(os_windows, a_link_that_leaves_the_folder_is_a_link_and_refused) {
  const temp_folder folder;
  const std::string secret = folder.write("outside/secret.txt", "secret");
  folder.write("root/inside.txt", "inside");
  const std::wstring link = folder.path().native() + L"\\root\\link";
  constexpr DWORD to_folder = SYMBOLIC_LINK_FLAG_DIRECTORY;
  constexpr DWORD unprivileged = 2;  // where the user has turned on the developer mode
  (void)CreateSymbolicLinkW(link.c_str(), (folder.path().native() + L"\\outside").c_str(),
                            to_folder | unprivileged);
  const DWORD attributes = GetFileAttributesW(link.c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES || (attributes & FILE_ATTRIBUTE_REPARSE_POINT) == 0) {
    GTEST_SKIP() << needs_symlinks;
  }
  const result<file_status> seen = system_os().status((folder / "root/link").c_str(), false);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->kind, file_kind::link);
  const result<os_handle> root = system_os().open((folder / "root").c_str());
  ASSERT_TRUE(root);
  const auto read = system_os().open_below(*root, "link/secret.txt");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, errc::permission);
  EXPECT_FALSE(system_os().open_to_write(*root, "link/new.txt", write_mode::create));
  EXPECT_EQ(read_all(secret), "secret");
  system_os().close(*root);
}

TEST(os_windows, more_files_may_be_open_than_the_c_library_has_streams_for) {
  const temp_folder folder;
  const std::string path = folder.write("a.txt", "x");
  std::vector<os_handle> open;
  for (int i = 0; i < 3'000; ++i) {
    const result<os_handle> file = system_os().open(path.c_str());
    ASSERT_TRUE(file) << i;
    open.push_back(*file);
  }
  for (const os_handle each : open) system_os().close(each);
}

}  // namespace
}  // namespace overture

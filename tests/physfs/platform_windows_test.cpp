// SPDX-License-Identifier: Zlib
//
// Paths and folders of Windows, as games for PhysicsFS expect them there.
#define PHYSFS_DEPRECATED
#include <physfs.h>
#include <windows.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temp_folder.hpp"
#include "support/zip_writer.hpp"

namespace {

using overture::temp_folder;
using overture::zip_writer;

std::string utf8(const std::filesystem::path& path) {
  const std::u8string text = path.u8string();
  return {text.begin(), text.end()};
}

std::filesystem::path of_environment(const wchar_t* name) {
  const wchar_t* const value = _wgetenv(name);
  return value ? value : L"";
}

// 2001-02-03 12:00, in tenths of microseconds since 1601.
constexpr long long ticks_in_2001 = 126'256'752'000'000'000;
constexpr FILETIME in_2001{static_cast<DWORD>(ticks_in_2001),
                           static_cast<DWORD>(ticks_in_2001 >> 32)};

long long since_1970(FILETIME time) {
  const auto ticks = static_cast<long long>(time.dwHighDateTime) << 32 | time.dwLowDateTime;
  return ticks / 10'000'000 - 11'644'473'600;
}

class platform_windows : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(PHYSFS_init("program"), 1); }
  void TearDown() override { EXPECT_EQ(PHYSFS_deinit(), 1); }

  // With backslashes, as the system gives paths to games.
  [[nodiscard]] std::string native(const char* name) const {
    return utf8((folder_.path() / name).make_preferred());
  }
  static bool reads(const char* name, std::string_view expected) {
    PHYSFS_File* const file = PHYSFS_openRead(name);
    if (!file) return false;
    char text[100];
    const PHYSFS_sint64 got = PHYSFS_readBytes(file, text, sizeof text);
    PHYSFS_close(file);
    return got >= 0 && std::string_view(text, static_cast<std::size_t>(got)) == expected;
  }
  static void remove(const std::string& own) {
    const std::filesystem::path path(std::u8string(own.begin(), own.end()));
    std::filesystem::remove_all(path.parent_path().parent_path());
  }

  temp_folder folder_;
};

TEST_F(platform_windows, mounts_paths_with_either_separator) {
  folder_.write("game/maps/one.map", "one");
  zip_writer().add({.name = "zipped.txt", .data = "zipped"}).save(folder_ / "game/base.zip");
  for (const std::string& folder :
       {native("game"), native("game\\"), folder_ / "game", folder_ / "game/"}) {
    const std::string archive = folder + "/base.zip";
    ASSERT_EQ(PHYSFS_mount(folder.c_str(), nullptr, 1), 1) << folder;
    ASSERT_EQ(PHYSFS_mount(archive.c_str(), nullptr, 1), 1) << archive;
    EXPECT_TRUE(reads("maps/one.map", "one"));
    EXPECT_TRUE(reads("zipped.txt", "zipped"));
    EXPECT_STREQ(PHYSFS_getRealDir("maps/one.map"), folder.c_str()) << "as it was given";
    EXPECT_STREQ(PHYSFS_getRealDir("zipped.txt"), archive.c_str());
    EXPECT_EQ(PHYSFS_unmount(archive.c_str()), 1);
    EXPECT_EQ(PHYSFS_unmount(folder.c_str()), 1);
  }
  ASSERT_EQ(PHYSFS_mount((R"(\\?\)" + native("game")).c_str(), nullptr, 1), 1);
  EXPECT_TRUE(reads("maps/one.map", "one"));
}

TEST_F(platform_windows, has_only_slashes_in_the_tree) {
  folder_.write("maps/one.map", "one");
  ASSERT_EQ(PHYSFS_mount(native("").c_str(), nullptr, 1), 1);
  EXPECT_STREQ(PHYSFS_getDirSeparator(), "\\");
  EXPECT_EQ(PHYSFS_exists("maps\\one.map"), 0);
  EXPECT_EQ(PHYSFS_getLastErrorCode(), PHYSFS_ERR_BAD_FILENAME);
}

TEST_F(platform_windows, writes_to_a_folder_named_with_backslashes) {
  ASSERT_EQ(PHYSFS_setWriteDir(native("").c_str()), 1);
  EXPECT_STREQ(PHYSFS_getWriteDir(), (native("")).c_str());
  ASSERT_EQ(PHYSFS_mkdir("saves/slot"), 1);
  PHYSFS_File* const file = PHYSFS_openWrite("saves/slot/\xC3\xBC\xE4\xB8\xAD.sav");
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(PHYSFS_writeBytes(file, "text", 4), 4);
  EXPECT_EQ(PHYSFS_close(file), 1);
  EXPECT_EQ(folder_.read("saves/slot/\xC3\xBC\xE4\xB8\xAD.sav"), "text");
}

TEST_F(platform_windows, has_names_in_utf_8) {
  const std::string name = "\xC3\xBC\xE4\xB8\xAD\xF0\x9F\x98\x80";
  folder_.write(name + "/" + name, "text");
  ASSERT_EQ(PHYSFS_mount(native("").c_str(), nullptr, 1), 1);
  char** const names = PHYSFS_enumerateFiles("/");
  ASSERT_NE(names, nullptr);
  EXPECT_STREQ(names[0], name.c_str());
  PHYSFS_freeList(static_cast<void*>(names));
  EXPECT_TRUE(reads((name + "/" + name).c_str(), "text"));
}

TEST_F(platform_windows, refuses_names_that_windows_cannot_have) {
  folder_.write("x.txt", "text");
  ASSERT_EQ(PHYSFS_mount(native("").c_str(), nullptr, 1), 1);
  ASSERT_EQ(PHYSFS_setWriteDir(native("").c_str()), 1);
  for (const char* const name : {"nul", "aux.txt", "x.txt.", "x.txt ", "a*b", "con/x", "\xFF"}) {
    EXPECT_EQ(PHYSFS_exists(name), 0) << name;
    EXPECT_EQ(PHYSFS_getLastErrorCode(), PHYSFS_ERR_BAD_FILENAME) << name;
    EXPECT_EQ(PHYSFS_openRead(name), nullptr) << name;
    EXPECT_EQ(PHYSFS_openWrite(name), nullptr) << name;
    EXPECT_EQ(PHYSFS_openAppend(name), nullptr) << name;
    EXPECT_EQ(PHYSFS_getLastErrorCode(), PHYSFS_ERR_BAD_FILENAME) << name;
    EXPECT_EQ(PHYSFS_mkdir(name), 0) << name;
    EXPECT_EQ(PHYSFS_delete(name), 0) << name;
  }
  EXPECT_EQ(folder_.read("x.txt"), "text");
}

TEST_F(platform_windows, tells_when_a_file_was_made_and_that_it_is_read_only) {
  const std::string name = folder_.write("x.txt", "text");
  ASSERT_EQ(PHYSFS_mount(native("").c_str(), nullptr, 1), 1);
  const HANDLE file = CreateFileA(name.c_str(), FILE_WRITE_ATTRIBUTES | FILE_READ_ATTRIBUTES, 0,
                                  nullptr, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
  ASSERT_NE(file, INVALID_HANDLE_VALUE);
  EXPECT_TRUE(SetFileTime(file, &in_2001, nullptr, &in_2001));
  FILETIME made{};  // wine cannot set it
  EXPECT_TRUE(GetFileTime(file, &made, nullptr, nullptr));
  EXPECT_TRUE(CloseHandle(file));
  PHYSFS_Stat found{};
  ASSERT_EQ(PHYSFS_stat("x.txt", &found), 1);
  EXPECT_EQ(found.readonly, 0);
  EXPECT_EQ(found.createtime, since_1970(made));
  EXPECT_EQ(found.modtime, since_1970(in_2001));
  EXPECT_TRUE(SetFileAttributesA(name.c_str(), FILE_ATTRIBUTE_READONLY));
  ASSERT_EQ(PHYSFS_stat("x.txt", &found), 1);
  EXPECT_EQ(found.readonly, 1);
  EXPECT_TRUE(SetFileAttributesA(name.c_str(), FILE_ATTRIBUTE_NORMAL));
}

TEST_F(platform_windows, knows_the_folders_of_the_program_and_of_the_user) {
  wchar_t program[32'768];
  ASSERT_NE(GetModuleFileNameW(nullptr, program, 32'768), 0u);
  const std::filesystem::path path(program);
  EXPECT_STREQ(PHYSFS_getBaseDir(), (utf8(path.parent_path()) + "\\").c_str());
  EXPECT_STREQ(PHYSFS_getUserDir(), (utf8(of_environment(L"USERPROFILE")) + "\\").c_str());
}

TEST_F(platform_windows, makes_a_folder_for_the_program_in_the_users_roaming_data) {
  const std::string name = utf8(folder_.path().filename());
  const std::string own = utf8(of_environment(L"APPDATA")) + "\\" + name + "\\\xC3\xBC game\\";
  EXPECT_STREQ(PHYSFS_getPrefDir(name.c_str(), "\xC3\xBC game"), own.c_str());
  EXPECT_STREQ(PHYSFS_getPrefDir(name.c_str(), "\xC3\xBC game"), own.c_str()) << "made by now";
  ASSERT_EQ(PHYSFS_setWriteDir(own.c_str()), 1);
  EXPECT_EQ(PHYSFS_mkdir("x"), 1);
  remove(own);
}

TEST_F(platform_windows, mounts_the_archives_that_a_sane_configuration_finds) {
  const std::string name = utf8(folder_.path().filename());
  const char* const made = PHYSFS_getPrefDir(name.c_str(), "game");
  ASSERT_NE(made, nullptr);
  const std::string own = made;
  zip_writer().add({.name = "in_archive.txt", .data = "x"}).save(own + "extra.PK3");
  EXPECT_EQ(PHYSFS_setSaneConfig(name.c_str(), "game", "pk3", 0, 1), 1);
  EXPECT_STREQ(PHYSFS_getWriteDir(), own.c_str());
  EXPECT_STREQ(PHYSFS_getRealDir("in_archive.txt"), (own + "extra.PK3").c_str());
  ASSERT_EQ(PHYSFS_unmount((own + "extra.PK3").c_str()), 1);
  remove(own);
}

}  // namespace

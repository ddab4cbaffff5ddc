// SPDX-License-Identifier: Zlib
//
// Every function with null pointers, before the library is initialised, meanwhile and after it: an
// error, and never a crash.
#include <physfs.h>
#include <physfs_overture.h>

#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "support/temp_folder.hpp"

// Those that are deprecated too.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace {

using overture::temp_folder;

void expect_error(const char* what, bool failed) {
  EXPECT_TRUE(failed) << what;
  const PHYSFS_ErrorCode code = PHYSFS_getLastErrorCode();
  EXPECT_TRUE(code == PHYSFS_ERR_INVALID_ARGUMENT || code == PHYSFS_ERR_NOT_INITIALIZED)
      << what << ": " << code;
}
#define EXPECT_ERROR(call) expect_error(#call, (call) == 0)
#define EXPECT_COUNT_ERROR(call) expect_error(#call, (call) == -1)

void read_and_write_nothing(PHYSFS_File* file) {
  char byte = 0;
  EXPECT_ERROR(PHYSFS_close(file));
  EXPECT_COUNT_ERROR(PHYSFS_readBytes(file, &byte, 1));
  EXPECT_COUNT_ERROR(PHYSFS_writeBytes(file, &byte, 1));
  EXPECT_COUNT_ERROR(PHYSFS_read(file, &byte, 1, 1));
  EXPECT_COUNT_ERROR(PHYSFS_read(file, &byte, 0, 1));
  EXPECT_COUNT_ERROR(PHYSFS_write(file, &byte, 1, 1));
  EXPECT_ERROR(PHYSFS_eof(file));
  EXPECT_COUNT_ERROR(PHYSFS_tell(file));
  EXPECT_ERROR(PHYSFS_seek(file, 0));
  EXPECT_COUNT_ERROR(PHYSFS_fileLength(file));
  EXPECT_ERROR(PHYSFS_setBuffer(file, 100));
  EXPECT_ERROR(PHYSFS_flush(file));
  EXPECT_ERROR(PHYSFS_mountHandle(file, "name", nullptr, 1));
#define NUMBER(KIND, TYPE)                          \
  {                                                 \
    PHYSFS_##TYPE value = 1;                        \
    EXPECT_ERROR(PHYSFS_read##KIND(file, &value));  \
    EXPECT_ERROR(PHYSFS_read##KIND(file, nullptr)); \
    EXPECT_ERROR(PHYSFS_write##KIND(file, value));  \
  }
  NUMBER(SLE16, sint16)
  NUMBER(ULE16, uint16)
  NUMBER(SLE32, sint32)
  NUMBER(ULE32, uint32)
  NUMBER(SLE64, sint64)
  NUMBER(ULE64, uint64)
  NUMBER(SBE16, sint16)
  NUMBER(UBE16, uint16)
  NUMBER(SBE32, sint32)
  NUMBER(UBE32, uint32)
  NUMBER(SBE64, sint64)
  NUMBER(UBE64, uint64)
#undef NUMBER
}

void give_null_pointers() {
  EXPECT_ERROR(PHYSFS_registerArchiver(nullptr));
  EXPECT_ERROR(PHYSFS_deregisterArchiver(nullptr));
  EXPECT_ERROR(PHYSFS_getPrefDir(nullptr, nullptr));
  EXPECT_ERROR(PHYSFS_setSaneConfig(nullptr, nullptr, nullptr, 1, 1));
  EXPECT_ERROR(PHYSFS_mount(nullptr, nullptr, 1));
  EXPECT_ERROR(PHYSFS_mountIo(nullptr, nullptr, nullptr, 1));
  PHYSFS_Io empty{};
  EXPECT_ERROR(PHYSFS_mountIo(&empty, "name", nullptr, 1));
  EXPECT_ERROR(PHYSFS_mountMemory(nullptr, 1, nullptr, "name", nullptr, 1));
  EXPECT_ERROR(PHYSFS_mountMemory("", 1, nullptr, nullptr, nullptr, 1));
  EXPECT_ERROR(PHYSFS_mountRW(nullptr, nullptr, 1));
  EXPECT_ERROR(PHYSFS_canUnmount(nullptr));
  EXPECT_ERROR(PHYSFS_unmount(nullptr));
  EXPECT_ERROR(PHYSFS_setRoot(nullptr, nullptr));
  EXPECT_ERROR(PHYSFS_addToSearchPath(nullptr, 1));
  EXPECT_ERROR(PHYSFS_removeFromSearchPath(nullptr));
  EXPECT_ERROR(PHYSFS_getMountPoint(nullptr));
  EXPECT_ERROR(PHYSFS_exists(nullptr));
  EXPECT_ERROR(PHYSFS_stat(nullptr, nullptr));
  EXPECT_ERROR(PHYSFS_stat("name", nullptr));
  EXPECT_ERROR(PHYSFS_isDirectory(nullptr));
  EXPECT_ERROR(PHYSFS_isSymbolicLink(nullptr));
  EXPECT_COUNT_ERROR(PHYSFS_getLastModTime(nullptr));
  EXPECT_ERROR(PHYSFS_getRealDir(nullptr));
  EXPECT_ERROR(PHYSFS_enumerate(nullptr, nullptr, nullptr));
  EXPECT_ERROR(PHYSFS_enumerate("/", nullptr, nullptr));
  EXPECT_ERROR(PHYSFS_enumerateFiles(nullptr));
  EXPECT_ERROR(PHYSFS_mkdir(nullptr));
  EXPECT_ERROR(PHYSFS_delete(nullptr));
  EXPECT_ERROR(PHYSFS_openRead(nullptr));
  EXPECT_ERROR(PHYSFS_openWrite(nullptr));
  EXPECT_ERROR(PHYSFS_openAppend(nullptr));
  EXPECT_ERROR(PHYSFS_overture_readFile(nullptr, nullptr));
  EXPECT_ERROR(PHYSFS_overture_mapFile("name", nullptr));
  EXPECT_ERROR(PHYSFS_overture_mountInside(nullptr, nullptr, 1));
  EXPECT_ERROR(PHYSFS_overture_findName(nullptr, nullptr, 0));
  EXPECT_ERROR(PHYSFS_overture_rename(nullptr, nullptr));
  read_and_write_nothing(nullptr);

  // Without an error of their own.
  PHYSFS_overture_giveBack(nullptr);
  PHYSFS_getLinkedVersion(nullptr);
  PHYSFS_freeList(nullptr);
  PHYSFS_getCdRomDirsCallback(nullptr, nullptr);
  PHYSFS_getSearchPathCallback(nullptr, nullptr);
  PHYSFS_enumerateFilesCallback(nullptr, nullptr, nullptr);
  (void)PHYSFS_getLastErrorCode();
  EXPECT_EQ(PHYSFS_getErrorByCode(static_cast<PHYSFS_ErrorCode>(31)), nullptr);
}

TEST(physfs_misuse, null_texts_are_empty_and_null_room_is_left_alone) {
  EXPECT_EQ(PHYSFS_utf8stricmp(nullptr, ""), 0);
  EXPECT_EQ(PHYSFS_utf8stricmp(nullptr, "a"), -1);
  EXPECT_EQ(PHYSFS_utf8stricmp("a", nullptr), 1);
  EXPECT_EQ(PHYSFS_utf16stricmp(nullptr, nullptr), 0);
  EXPECT_EQ(PHYSFS_ucs4stricmp(nullptr, nullptr), 0);
  EXPECT_EQ(PHYSFS_getLastErrorCode(), PHYSFS_ERR_INVALID_ARGUMENT);
  EXPECT_ERROR(PHYSFS_caseFold('a', nullptr));
  char text[8];
  PHYSFS_uint16 units[8];
  PHYSFS_uint32 characters[8];
  const auto expect_empty = [](auto convert, auto* room) {
    *room = 1;
    convert(nullptr, room, sizeof *room * 8);
    EXPECT_EQ(*room, 0);
    EXPECT_EQ(PHYSFS_getLastErrorCode(), PHYSFS_ERR_INVALID_ARGUMENT);
    convert(nullptr, nullptr, 8);
    EXPECT_EQ(PHYSFS_getLastErrorCode(), PHYSFS_ERR_INVALID_ARGUMENT);
  };
  expect_empty(PHYSFS_utf8FromUcs4, text);
  expect_empty(PHYSFS_utf8ToUcs4, characters);
  expect_empty(PHYSFS_utf8FromUcs2, text);
  expect_empty(PHYSFS_utf8ToUcs2, units);
  expect_empty(PHYSFS_utf8FromUtf16, text);
  expect_empty(PHYSFS_utf8ToUtf16, units);
  expect_empty(PHYSFS_utf8FromLatin1, text);
}

TEST(physfs_misuse, null_pointers_are_errors_before_init_meanwhile_and_after_deinit) {
  const temp_folder folder;
  folder.write("a.txt", "a");
  give_null_pointers();
  EXPECT_ERROR(PHYSFS_deinit());
  ASSERT_EQ(PHYSFS_init(nullptr), 1);
  give_null_pointers();
  ASSERT_EQ(PHYSFS_mount(folder.name().c_str(), nullptr, 1), 1);
  give_null_pointers();
  ASSERT_EQ(PHYSFS_deinit(), 1);
  give_null_pointers();
  EXPECT_ERROR(PHYSFS_deinit());
}

TEST(physfs_misuse, functions_fail_without_init_and_after_deinit) {
  const temp_folder folder;
  folder.write("a.txt", "a");
  const std::string path = folder.name();
  for (int round = 0; round < 2; ++round) {
    PHYSFS_Stat stat{};
    PHYSFS_overture_Memory memory{};
    char found[100];
    EXPECT_EQ(PHYSFS_isInit(), 0);
    EXPECT_EQ(PHYSFS_getAllocator(), nullptr);
    EXPECT_ERROR(PHYSFS_supportedArchiveTypes());
    EXPECT_ERROR(PHYSFS_getPrefDir("maker", "game"));
    EXPECT_ERROR(PHYSFS_setSaneConfig("maker", "game", "pk3", 1, 1));
    EXPECT_ERROR(PHYSFS_setWriteDir(path.c_str()));
    EXPECT_ERROR(PHYSFS_mount(path.c_str(), nullptr, 1));
    EXPECT_ERROR(PHYSFS_mountRW(path.c_str(), nullptr, 1));
    EXPECT_ERROR(PHYSFS_mountMemory("abc", 3, nullptr, "name", nullptr, 1));
    EXPECT_ERROR(PHYSFS_unmount(path.c_str()));
    EXPECT_ERROR(PHYSFS_canUnmount(path.c_str()));
    EXPECT_ERROR(PHYSFS_setRoot(path.c_str(), "/"));
    EXPECT_ERROR(PHYSFS_getMountPoint(path.c_str()));
    EXPECT_ERROR(PHYSFS_getSearchPath());
    EXPECT_ERROR(PHYSFS_exists("a.txt"));
    EXPECT_ERROR(PHYSFS_stat("a.txt", &stat));
    EXPECT_ERROR(PHYSFS_getRealDir("a.txt"));
    EXPECT_ERROR(PHYSFS_enumerateFiles("/"));
    EXPECT_ERROR(PHYSFS_mkdir("b"));
    EXPECT_ERROR(PHYSFS_delete("a.txt"));
    EXPECT_ERROR(PHYSFS_openRead("a.txt"));
    EXPECT_ERROR(PHYSFS_openWrite("b.txt"));
    EXPECT_ERROR(PHYSFS_openAppend("b.txt"));
    EXPECT_ERROR(PHYSFS_overture_readFile("a.txt", &memory));
    EXPECT_ERROR(PHYSFS_overture_mountInside("a.txt", nullptr, 1));
    EXPECT_ERROR(PHYSFS_overture_findName("a.txt", found, sizeof found));
    EXPECT_ERROR(PHYSFS_overture_rename("a.txt", "b.txt"));
    EXPECT_EQ(PHYSFS_getWriteDir(), nullptr);
    EXPECT_EQ(PHYSFS_getBaseDir(), nullptr);
    EXPECT_EQ(PHYSFS_getUserDir(), nullptr);
    if (round > 0) break;
    ASSERT_EQ(PHYSFS_init("program"), 1);
    ASSERT_EQ(PHYSFS_mount(path.c_str(), nullptr, 1), 1);
    ASSERT_EQ(PHYSFS_deinit(), 1);
  }
}

TEST(physfs_misuse, a_file_that_was_closed_or_outlived_the_library_is_an_error) {
  const temp_folder folder;
  folder.write("a.txt", "a");
  ASSERT_EQ(PHYSFS_init("program"), 1);
  ASSERT_EQ(PHYSFS_mount(folder.name().c_str(), nullptr, 1), 1);
  PHYSFS_File* const closed = PHYSFS_openRead("a.txt");
  PHYSFS_File* const left_open = PHYSFS_openRead("a.txt");
  ASSERT_TRUE(closed && left_open);
  EXPECT_EQ(PHYSFS_close(closed), 1);
  read_and_write_nothing(closed);
  ASSERT_EQ(PHYSFS_deinit(), 1);
  read_and_write_nothing(closed);
  read_and_write_nothing(left_open);
}

// What readers do in the library when it ends is done first.
TEST(physfs_misuse, threads_that_read_beside_deinit_get_what_they_ask_for_or_an_error) {
  const temp_folder folder;
  folder.write("a.txt", "a");
  std::atomic<bool> stop{false};
  std::atomic<int> right{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (!stop.load()) {
        PHYSFS_Stat stat{};
        if (PHYSFS_exists("a.txt") != 0) ++right;
        if (PHYSFS_stat("a.txt", &stat) != 0) ++right;
        char** const names = PHYSFS_enumerateFiles("/");
        if (names) ++right;
        PHYSFS_freeList(static_cast<void*>(names));
        PHYSFS_overture_Memory memory{};
        if (PHYSFS_overture_readFile("a.txt", &memory) != 0) {
          if (memory.size == 1) ++right;
          PHYSFS_overture_giveBack(&memory);
        }
      }
    });
  }
  for (int i = 0; i < 300 || right.load() == 0; ++i) {
    ASSERT_EQ(PHYSFS_init("program"), 1);
    EXPECT_EQ(PHYSFS_mount(folder.name().c_str(), nullptr, 1), 1);
    EXPECT_EQ(PHYSFS_exists("a.txt"), 1);
    EXPECT_EQ(PHYSFS_deinit(), 1);
  }
  stop.store(true);
  for (std::thread& each : readers) each.join();
}

}  // namespace

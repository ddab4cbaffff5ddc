// SPDX-License-Identifier: Zlib
#include <physfs.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temp_folder.hpp"
#include "support/zip_writer.hpp"

namespace {

using overture::temp_folder;
using overture::zip_writer;
using testing::ElementsAre;

std::vector<std::string> taken(char** names) {
  std::vector<std::string> all;
  for (char** each = names; each && *each; ++each) all.emplace_back(*each);
  PHYSFS_freeList(static_cast<void*>(names));
  return all;
}

std::string content(const char* name) {
  PHYSFS_File* const file = PHYSFS_openRead(name);
  if (!file) return "(none)";
  std::string text(static_cast<std::size_t>(PHYSFS_fileLength(file)), '\0');
  const PHYSFS_sint64 got = PHYSFS_readBytes(file, text.data(), text.size());
  PHYSFS_close(file);
  return got == static_cast<PHYSFS_sint64>(text.size()) ? text : "(failed)";
}

class interface_test : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(PHYSFS_init("program"), 1); }
  void TearDown() override { PHYSFS_deinit(); }

  std::string zip(std::string_view name, const std::string& text = "from the archive") {
    zip_writer writer;
    writer.add({.name = "readme.txt", .data = text});
    writer.add({.name = "maps/one.map", .data = "one"});
    writer.save(folder_ / name);
    return folder_ / name;
  }

  temp_folder folder_;
  std::string content_of_zip_;
};

int last_code() {
  return PHYSFS_getLastErrorCode();
}

TEST_F(interface_test, null_and_misuse_are_errors) {
  EXPECT_EQ(PHYSFS_mount(nullptr, nullptr, 1), 0);
  EXPECT_EQ(last_code(), PHYSFS_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(PHYSFS_unmount(nullptr), 0);
  EXPECT_EQ(PHYSFS_getMountPoint(nullptr), nullptr);
  EXPECT_EQ(PHYSFS_openRead(nullptr), nullptr);
  EXPECT_EQ(last_code(), PHYSFS_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(PHYSFS_openWrite("x"), nullptr);
  EXPECT_EQ(last_code(), PHYSFS_ERR_NO_WRITE_DIR);
  EXPECT_EQ(PHYSFS_exists(nullptr), 0);
  EXPECT_EQ(PHYSFS_stat("x", nullptr), 0);
  EXPECT_EQ(PHYSFS_delete(nullptr), 0);
  EXPECT_EQ(PHYSFS_mkdir(nullptr), 0);
  EXPECT_EQ(PHYSFS_enumerate(nullptr, nullptr, nullptr), 0);
  EXPECT_EQ(PHYSFS_mountIo(nullptr, "x", nullptr, 1), 0);
  EXPECT_EQ(PHYSFS_mountMemory(nullptr, 0, nullptr, "x", nullptr, 1), 0);
  EXPECT_EQ(PHYSFS_mountHandle(nullptr, "x", nullptr, 1), 0);
  EXPECT_EQ(PHYSFS_close(nullptr), 0);
  char byte = 0;
  EXPECT_EQ(PHYSFS_readBytes(nullptr, &byte, 1), -1);
  EXPECT_EQ(PHYSFS_tell(nullptr), -1);
  EXPECT_EQ(PHYSFS_init("again"), 0);
  EXPECT_EQ(last_code(), PHYSFS_ERR_IS_INITIALIZED);
  PHYSFS_freeList(nullptr);
  PHYSFS_getLinkedVersion(nullptr);
}

TEST_F(interface_test, nothing_works_without_initialisation) {
  ASSERT_EQ(PHYSFS_deinit(), 1);
  EXPECT_EQ(PHYSFS_isInit(), 0);
  EXPECT_EQ(PHYSFS_deinit(), 0);
  EXPECT_EQ(PHYSFS_mount(folder_.name().c_str(), nullptr, 1), 0);
  EXPECT_EQ(PHYSFS_openRead("x"), nullptr);
  EXPECT_EQ(PHYSFS_exists("x"), 0);
  EXPECT_EQ(PHYSFS_openWrite("x"), nullptr);
  EXPECT_EQ(PHYSFS_enumerateFiles("/"), nullptr);
  EXPECT_EQ(PHYSFS_getSearchPath(), nullptr);
  EXPECT_EQ(last_code(), PHYSFS_ERR_NOT_INITIALIZED);
}

TEST_F(interface_test, closing_twice_is_an_error) {
  folder_.write("a.txt", "a");
  ASSERT_EQ(PHYSFS_mount(folder_.name().c_str(), nullptr, 1), 1);
  PHYSFS_File* const file = PHYSFS_openRead("a.txt");
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(PHYSFS_close(file), 1);
  EXPECT_EQ(PHYSFS_close(file), 0);
  EXPECT_EQ(last_code(), PHYSFS_ERR_INVALID_ARGUMENT);
}

TEST_F(interface_test, a_mount_with_an_open_file_stays) {
  const std::string archive = zip("base.zip");
  ASSERT_EQ(PHYSFS_mount(archive.c_str(), nullptr, 1), 1);
  PHYSFS_File* const file = PHYSFS_openRead("readme.txt");
  EXPECT_EQ(PHYSFS_canUnmount(archive.c_str()), 0);
  EXPECT_EQ(PHYSFS_unmount(archive.c_str()), 0);
  EXPECT_EQ(last_code(), PHYSFS_ERR_FILES_STILL_OPEN);
  EXPECT_EQ(PHYSFS_close(file), 1);
  EXPECT_EQ(PHYSFS_canUnmount(archive.c_str()), 1);
  EXPECT_EQ(PHYSFS_unmount(archive.c_str()), 1);
  EXPECT_EQ(PHYSFS_exists("readme.txt"), 0);
}

TEST_F(interface_test, deinit_closes_open_files) {
  const std::string archive = zip("base.zip");
  ASSERT_EQ(PHYSFS_mount(archive.c_str(), nullptr, 1), 1);
  ASSERT_EQ(PHYSFS_setWriteDir(folder_.name().c_str()), 1);
  ASSERT_NE(PHYSFS_openRead("readme.txt"), nullptr);
  PHYSFS_File* const written = PHYSFS_openWrite("out.txt");
  ASSERT_EQ(PHYSFS_setBuffer(written, 100), 1);
  ASSERT_EQ(PHYSFS_writeBytes(written, "kept", 4), 4);
  EXPECT_EQ(PHYSFS_deinit(), 1);
  EXPECT_EQ(folder_.read("out.txt"), "kept");
  ASSERT_EQ(PHYSFS_init("program"), 1);
}

TEST_F(interface_test, the_write_folder_stays_while_a_file_is_written) {
  ASSERT_EQ(PHYSFS_setWriteDir(folder_.name().c_str()), 1);
  PHYSFS_File* const written = PHYSFS_openWrite("out.txt");
  EXPECT_EQ(PHYSFS_setWriteDir(nullptr), 0);
  EXPECT_EQ(last_code(), PHYSFS_ERR_FILES_STILL_OPEN);
  PHYSFS_close(written);
  EXPECT_EQ(PHYSFS_setWriteDir(nullptr), 1);
  EXPECT_EQ(PHYSFS_getWriteDir(), nullptr);
}

TEST_F(interface_test, a_file_opened_to_append_is_written_at_its_end_and_after_a_seek_there) {
  folder_.write("log.txt", "old text");
  ASSERT_EQ(PHYSFS_setWriteDir(folder_.name().c_str()), 1);
  PHYSFS_File* const file = PHYSFS_openAppend("log.txt");
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(PHYSFS_writeBytes(file, ", more", 6), 6);
  EXPECT_EQ(PHYSFS_seek(file, 0), 1);
  EXPECT_EQ(PHYSFS_writeBytes(file, "new", 3), 3);
  EXPECT_EQ(PHYSFS_close(file), 1);
  EXPECT_EQ(folder_.read("log.txt"), "new text, more");
}

TEST_F(interface_test, a_mount_for_writing_takes_what_is_written_below_its_point) {
  folder_.write("saves/old.txt", "old");
  folder_.write("own/x", "");
  const std::string saves = folder_ / "saves";
  ASSERT_EQ(PHYSFS_mountRW(saves.c_str(), "user/saves", 1), 1);
  EXPECT_EQ(content("user/saves/old.txt"), "old");
  EXPECT_EQ(PHYSFS_openWrite("elsewhere.txt"), nullptr);
  EXPECT_EQ(last_code(), PHYSFS_ERR_NO_WRITE_DIR);
  ASSERT_EQ(PHYSFS_setWriteDir((folder_ / "own").c_str()), 1);
  for (const char* name : {"user/saves/new.txt", "elsewhere.txt"}) {
    PHYSFS_File* const file = PHYSFS_openWrite(name);
    ASSERT_NE(file, nullptr);
    EXPECT_EQ(PHYSFS_writeBytes(file, "new", 3), 3);
    EXPECT_EQ(PHYSFS_canUnmount(saves.c_str()), name[0] == 'u' ? 0 : 1);
    EXPECT_EQ(PHYSFS_close(file), 1);
  }
  EXPECT_EQ(folder_.read("saves/new.txt"), "new");
  EXPECT_EQ(folder_.read("own/elsewhere.txt"), "new");
  EXPECT_EQ(PHYSFS_delete("user/saves/old.txt"), 1);
  EXPECT_EQ(PHYSFS_exists("user/saves/old.txt"), 0);
  EXPECT_EQ(PHYSFS_unmount(saves.c_str()), 1);
}

TEST_F(interface_test, an_archive_that_changes_while_it_is_unmounted_is_parsed_anew) {
  const std::string archive = zip("base.zip", "as it was");
  const auto age = [&](int seconds) {
    std::filesystem::last_write_time(
        archive, std::filesystem::file_time_type::clock::now() - std::chrono::seconds(seconds));
  };
  for (const char* text : {"as it was", "as it was", "as it is.", "longer than it was"}) {
    if (content_of_zip_ != text) zip("base.zip", content_of_zip_ = text);
    age(100);
    ASSERT_EQ(PHYSFS_mount(archive.c_str(), nullptr, 1), 1);
    EXPECT_EQ(content("readme.txt"), text);
    ASSERT_EQ(PHYSFS_unmount(archive.c_str()), 1);
  }
}

TEST_F(interface_test, texts_of_a_mount_outlive_it) {
  const std::string archive = zip("base.zip");
  ASSERT_EQ(PHYSFS_mount(archive.c_str(), "point", 1), 1);
  const char* const real = PHYSFS_getRealDir("point/readme.txt");
  const char* const point = PHYSFS_getMountPoint(archive.c_str());
  ASSERT_EQ(PHYSFS_unmount(archive.c_str()), 1);
  EXPECT_EQ(real, archive);
  EXPECT_STREQ(point, "point/");
}

TEST_F(interface_test, a_root_below_an_archive_can_be_set_while_it_is_mounted) {
  const std::string archive = zip("base.zip");
  ASSERT_EQ(PHYSFS_mount(archive.c_str(), nullptr, 1), 1);
  EXPECT_EQ(PHYSFS_setRoot(archive.c_str(), "/maps"), 1);
  EXPECT_THAT(taken(PHYSFS_enumerateFiles("/")), ElementsAre("one.map"));
  EXPECT_EQ(content("one.map"), "one");
  EXPECT_EQ(PHYSFS_setRoot(archive.c_str(), nullptr), 1);
  EXPECT_EQ(content("maps/one.map"), "one");
}

TEST_F(interface_test, files_made_by_others_are_seen_at_once) {
  ASSERT_EQ(PHYSFS_mount(folder_.name().c_str(), nullptr, 1), 1);
  EXPECT_EQ(PHYSFS_exists("late.txt"), 0);
  folder_.write("late.txt", "late");
  EXPECT_EQ(content("late.txt"), "late");
  folder_.write("late.txt", "longer than before");
  EXPECT_EQ(content("late.txt"), "longer than before");
}

int released = 0;
void release(void* memory) {
  ++released;
  delete[] static_cast<char*>(memory);
}

char* copy_of(const std::string& bytes) {
  char* const copy = new char[bytes.size()];
  std::memcpy(copy, bytes.data(), bytes.size());
  return copy;
}

TEST_F(interface_test, memory_is_released_when_its_archive_is_unmounted) {
  released = 0;
  const std::string bytes = zip_writer().add({.name = "a.txt", .data = "a"}).bytes();
  char* const copy = copy_of(bytes);
  ASSERT_EQ(PHYSFS_mountMemory(copy, bytes.size(), release, "memory.zip", nullptr, 1), 1);
  EXPECT_EQ(content("a.txt"), "a");
  EXPECT_EQ(released, 0);
  EXPECT_EQ(PHYSFS_unmount("memory.zip"), 1);
  EXPECT_EQ(released, 1);
}

TEST_F(interface_test, memory_that_is_no_archive_remains_the_callers) {
  released = 0;
  char no_archive[] = "no archive";
  EXPECT_EQ(PHYSFS_mountMemory(no_archive, sizeof no_archive, release, "memory.zip", nullptr, 1),
            0);
  EXPECT_EQ(last_code(), PHYSFS_ERR_UNSUPPORTED);
  EXPECT_EQ(released, 0);
}

TEST_F(interface_test, an_archive_in_an_archive_is_mounted_by_its_handle) {
  const std::string inner = zip_writer().add({.name = "in.txt", .data = "inside"}).bytes();
  zip_writer().add({.name = "inner.zip", .data = inner}).save(folder_ / "outer.zip");
  const std::string outer = folder_ / "outer.zip";
  ASSERT_EQ(PHYSFS_mount(outer.c_str(), nullptr, 1), 1);
  PHYSFS_File* const file = PHYSFS_openRead("inner.zip");
  ASSERT_EQ(PHYSFS_mountHandle(file, "inner.zip", nullptr, 1), 1);
  EXPECT_EQ(content("in.txt"), "inside");
  EXPECT_EQ(PHYSFS_unmount(outer.c_str()), 0) << "the handle is open";
  EXPECT_EQ(PHYSFS_unmount("inner.zip"), 1);
  EXPECT_EQ(PHYSFS_unmount(outer.c_str()), 1) << "the handle is closed";
}

struct memory_io {
  std::string bytes;
  std::size_t at = 0;
  int destroyed = 0;
};

PHYSFS_Io io_over(memory_io& state) {
  const auto of = [](PHYSFS_Io* io) { return static_cast<memory_io*>(io->opaque); };
  (void)of;
  PHYSFS_Io io{};
  io.opaque = &state;
  io.read = [](PHYSFS_Io* self, void* to, PHYSFS_uint64 bytes) {
    auto& from = *static_cast<memory_io*>(self->opaque);
    const std::size_t count = std::min<std::size_t>(bytes, from.bytes.size() - from.at);
    std::memcpy(to, from.bytes.data() + from.at, count);
    from.at += count;
    return static_cast<PHYSFS_sint64>(count);
  };
  io.seek = [](PHYSFS_Io* self, PHYSFS_uint64 position) {
    auto& from = *static_cast<memory_io*>(self->opaque);
    if (position > from.bytes.size()) return 0;
    from.at = position;
    return 1;
  };
  io.length = [](PHYSFS_Io* self) {
    return static_cast<PHYSFS_sint64>(static_cast<memory_io*>(self->opaque)->bytes.size());
  };
  io.destroy = [](PHYSFS_Io* self) { ++static_cast<memory_io*>(self->opaque)->destroyed; };
  return io;
}

TEST_F(interface_test, an_io_of_the_host_is_destroyed_when_its_archive_is_unmounted) {
  memory_io state;
  state.bytes = zip_writer().add({.name = "a.txt", .data = "a"}).bytes();
  PHYSFS_Io io = io_over(state);
  ASSERT_EQ(PHYSFS_mountIo(&io, "io.zip", nullptr, 1), 1);
  EXPECT_EQ(content("a.txt"), "a");
  EXPECT_EQ(state.destroyed, 0);
  EXPECT_EQ(PHYSFS_unmount("io.zip"), 1);
  EXPECT_EQ(state.destroyed, 1);
}

TEST_F(interface_test, a_wrong_io_remains_the_hosts) {
  memory_io state;
  state.bytes = "no archive";
  PHYSFS_Io io = io_over(state);
  EXPECT_EQ(PHYSFS_mountIo(&io, "io.zip", nullptr, 1), 0);
  EXPECT_EQ(state.destroyed, 0);
  io.version = 7;
  EXPECT_EQ(PHYSFS_mountIo(&io, "io.zip", nullptr, 1), 0);
  EXPECT_EQ(last_code(), PHYSFS_ERR_UNSUPPORTED);
}

TEST_F(interface_test, small_reads_in_any_order_are_those_of_the_file) {
  std::string text;
  for (int i = 0; i < 60'000; ++i) text += static_cast<char>(i * 7 + i / 256);
  folder_.write("loose.bin", text);
  zip_writer()
      .add({.name = "packed.bin", .data = text, .method = overture::zip_deflated})
      .save(folder_ / "z.zip");
  ASSERT_EQ(PHYSFS_mount(folder_.name().c_str(), nullptr, 1), 1);
  ASSERT_EQ(PHYSFS_mount((folder_ / "z.zip").c_str(), nullptr, 1), 1);
  for (const char* name : {"loose.bin", "packed.bin"}) {
    PHYSFS_File* const file = PHYSFS_openRead(name);
    ASSERT_NE(file, nullptr);
    std::uint32_t random = 1;
    std::size_t at = 0;
    for (int i = 0; i < 5000; ++i) {
      random = random * 1664525 + 1013904223;
      if (i % 7 == 0) {
        at = (random >> 8) % text.size();
        ASSERT_EQ(PHYSFS_seek(file, at), 1);
      }
      char room[9000];
      const std::size_t wanted = i % 50 == 0 ? sizeof room : (random >> 16) % 40;
      const std::size_t expected = std::min(wanted, text.size() - at);
      ASSERT_EQ(PHYSFS_tell(file), static_cast<PHYSFS_sint64>(at));
      ASSERT_EQ(PHYSFS_readBytes(file, room, wanted), static_cast<PHYSFS_sint64>(expected));
      ASSERT_EQ(std::string_view(room, expected), text.substr(at, expected));
      at += expected;
      ASSERT_EQ(PHYSFS_eof(file), at == text.size() ? 1 : 0);
    }
    PHYSFS_close(file);
  }
}

int live_blocks = 0;

TEST_F(interface_test, memory_comes_from_the_hosts_functions) {
  EXPECT_EQ(PHYSFS_setAllocator(nullptr), 0) << "too late";
  ASSERT_EQ(PHYSFS_deinit(), 1);
  PHYSFS_Allocator functions{};
  functions.Malloc = [](PHYSFS_uint64 bytes) {
    ++live_blocks;
    return std::malloc(bytes);
  };
  functions.Realloc = [](void* memory, PHYSFS_uint64 bytes) { return std::realloc(memory, bytes); };
  functions.Free = [](void* memory) {
    if (memory) --live_blocks;
    std::free(memory);
  };
  live_blocks = 0;
  ASSERT_EQ(PHYSFS_setAllocator(&functions), 1);
  ASSERT_EQ(PHYSFS_init("program"), 1);
  ASSERT_EQ(PHYSFS_mount(zip("base.zip").c_str(), nullptr, 1), 1);
  EXPECT_EQ(content("readme.txt"), "from the archive");
  EXPECT_GT(live_blocks, 0);
  ASSERT_EQ(PHYSFS_deinit(), 1);
  EXPECT_EQ(live_blocks, 0);
  ASSERT_EQ(PHYSFS_setAllocator(nullptr), 1);
  ASSERT_EQ(PHYSFS_init("program"), 1);
}

TEST_F(interface_test, an_enumeration_may_stop_fail_and_call_back) {
  ASSERT_EQ(PHYSFS_mount(zip("base.zip").c_str(), nullptr, 1), 1);
  int calls = 0;
  const auto stop = [](void* count, const char*, const char*) {
    ++*static_cast<int*>(count);
    return PHYSFS_ENUM_STOP;
  };
  EXPECT_EQ(PHYSFS_enumerate("/", stop, &calls), 1);
  EXPECT_EQ(calls, 1);
  const auto fail = [](void*, const char*, const char*) { return PHYSFS_ENUM_ERROR; };
  EXPECT_EQ(PHYSFS_enumerate("/", fail, nullptr), 0);
  EXPECT_EQ(last_code(), PHYSFS_ERR_APP_CALLBACK);
  const auto unmounts = [](void* name, const char*, const char*) {
    PHYSFS_unmount(static_cast<const char*>(name));
    return PHYSFS_ENUM_OK;
  };
  std::string archive = folder_ / "base.zip";
  EXPECT_EQ(PHYSFS_enumerate("/", unmounts, archive.data()), 1);
  EXPECT_EQ(PHYSFS_exists("readme.txt"), 0);
}

TEST(unicode, text_is_converted_between_encodings) {
  const char* const text = "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80";  // 1 to 4 bytes
  PHYSFS_uint16 utf16[16];
  PHYSFS_utf8ToUtf16(text, utf16, sizeof utf16);
  EXPECT_THAT(std::vector<unsigned>(utf16, utf16 + 6),
              ElementsAre(0x61u, 0xE4u, 0x20ACu, 0xD83Du, 0xDE00u, 0u));
  char back[32];
  PHYSFS_utf8FromUtf16(utf16, back, sizeof back);
  EXPECT_STREQ(back, text);
  PHYSFS_uint32 ucs4[8];
  PHYSFS_utf8ToUcs4(text, ucs4, sizeof ucs4);
  PHYSFS_utf8FromUcs4(ucs4, back, sizeof back);
  EXPECT_STREQ(back, text);
  PHYSFS_uint16 ucs2[8];
  PHYSFS_utf8ToUcs2(text, ucs2, sizeof ucs2);
  PHYSFS_utf8FromUcs2(ucs2, back, sizeof back);
  EXPECT_STREQ(back, "a\xC3\xA4\xE2\x82\xAC?");
  PHYSFS_utf8FromLatin1("\xE4", back, sizeof back);
  EXPECT_STREQ(back, "\xC3\xA4");
}

TEST(unicode, what_does_not_fit_is_cut_between_characters) {
  char room[4];
  const PHYSFS_uint32 text[] = {'a', 0x20AC, 'b', 0};
  PHYSFS_utf8FromUcs4(text, room, sizeof room);
  EXPECT_STREQ(room, "a");
  PHYSFS_utf8FromUcs4(text, room, 0);
}

TEST(unicode, case_is_folded_in_full) {
  EXPECT_EQ(PHYSFS_utf8stricmp("stra\xC3\x9F"
                               "e",
                               "STRASSE"),
            0);
  EXPECT_EQ(PHYSFS_utf8stricmp("a", "B"), -1);
  EXPECT_EQ(PHYSFS_utf8stricmp("ab", "A"), 1);
  const PHYSFS_uint16 left[] = {0x0130, 0};
  const PHYSFS_uint16 right[] = {'i', 0x0307, 0};
  EXPECT_EQ(PHYSFS_utf16stricmp(left, right), 0);
}

TEST(numbers, bytes_are_swapped_where_the_order_differs) {
  EXPECT_EQ(PHYSFS_swapUBE32(0x01020304u), 0x04030201u);
  EXPECT_EQ(PHYSFS_swapULE32(0x01020304u), 0x01020304u);
  EXPECT_EQ(PHYSFS_swapSBE16(0x0102), 0x0201);
  EXPECT_EQ(PHYSFS_swapUBE64(0x0102030405060708u), 0x0807060504030201u);
}

}  // namespace

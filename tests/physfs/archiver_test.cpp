// SPDX-License-Identifier: Zlib
#include <physfs.h>

#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "support/temp_folder.hpp"
#include "support/zip_writer.hpp"

namespace {

using overture::temp_folder;

// A format of the host: "ONE", then the content of its only file, entry.txt. links/to is a link.
struct one_file_archive {
  PHYSFS_Io* io;
};
int open_archives = 0;

void* open_archive(PHYSFS_Io* io, const char*, int for_write, int* claimed) {
  char mark[3];
  if (for_write != 0 || io->read(io, mark, 3) != 3 || std::memcmp(mark, "ONE", 3) != 0) {
    PHYSFS_setErrorCode(PHYSFS_ERR_UNSUPPORTED);
    return nullptr;
  }
  *claimed = 1;
  if (io->length(io) == 3) {
    PHYSFS_setErrorCode(PHYSFS_ERR_CORRUPT);
    return nullptr;
  }
  ++open_archives;
  return new one_file_archive{io};
}

PHYSFS_EnumerateCallbackResult enumerate(void*, const char* folder,
                                         PHYSFS_EnumerateCallback callback, const char* shown,
                                         void* data) {
  const bool is_root = folder[0] == '\0';
  const PHYSFS_EnumerateCallbackResult first = callback(data, shown, is_root ? "entry.txt" : "to");
  return is_root && first == PHYSFS_ENUM_OK ? callback(data, shown, "links") : first;
}

int stat(void* archive, const char* path, PHYSFS_Stat* found) {
  const std::string name(path);
  *found = {0, -1, -1, -1, PHYSFS_FILETYPE_DIRECTORY, 1};
  if (name.empty() || name == "links") return 1;
  found->filetype = name == "links/to" ? PHYSFS_FILETYPE_SYMLINK : PHYSFS_FILETYPE_REGULAR;
  PHYSFS_Io* const io = static_cast<one_file_archive*>(archive)->io;
  found->filesize = io->length(io) - 3;
  if (name == "entry.txt" || name == "links/to") return 1;
  PHYSFS_setErrorCode(PHYSFS_ERR_NOT_FOUND);
  return 0;
}

// The copy of the archive's Io, with positions that count from the entry.
struct entry_io {
  PHYSFS_Io io;
  PHYSFS_Io* whole;
};

PHYSFS_Io* open_read(void* archive, const char* path) {
  PHYSFS_Stat found{};
  if (stat(archive, path, &found) == 0) return nullptr;
  PHYSFS_Io* const io = static_cast<one_file_archive*>(archive)->io;
  auto* const made = new entry_io{{}, io->duplicate(io)};
  made->io.opaque = made;
  made->io.read = [](PHYSFS_Io* self, void* to, PHYSFS_uint64 bytes) {
    PHYSFS_Io* const whole = static_cast<entry_io*>(self->opaque)->whole;
    return whole->read(whole, to, bytes);
  };
  made->io.seek = [](PHYSFS_Io* self, PHYSFS_uint64 position) {
    PHYSFS_Io* const whole = static_cast<entry_io*>(self->opaque)->whole;
    return whole->seek(whole, position + 3);
  };
  made->io.length = [](PHYSFS_Io* self) {
    PHYSFS_Io* const whole = static_cast<entry_io*>(self->opaque)->whole;
    return whole->length(whole) - 3;
  };
  made->io.destroy = [](PHYSFS_Io* self) {
    auto* const ended = static_cast<entry_io*>(self->opaque);
    ended->whole->destroy(ended->whole);
    delete ended;
  };
  made->io.seek(&made->io, 0);
  return &made->io;
}

PHYSFS_Io* refuse_write(void*, const char*) {
  return nullptr;
}
int refuse_change(void*, const char*) {
  return 0;
}

void close_archive(void* archive) {
  auto* const ended = static_cast<one_file_archive*>(archive);
  ended->io->destroy(ended->io);
  delete ended;
  --open_archives;
}

PHYSFS_Archiver one_file_archiver() {
  PHYSFS_Archiver archiver{};
  archiver.info = {"ONE", "one file", "a test", "", 1};
  archiver.openArchive = open_archive;
  archiver.enumerate = enumerate;
  archiver.openRead = open_read;
  archiver.openWrite = archiver.openAppend = refuse_write;
  archiver.remove = archiver.mkdir = refuse_change;
  archiver.stat = stat;
  archiver.closeArchive = close_archive;
  return archiver;
}

class archiver_test : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(PHYSFS_init("program"), 1);
    const PHYSFS_Archiver archiver = one_file_archiver();
    ASSERT_EQ(PHYSFS_registerArchiver(&archiver), 1);
    open_archives = 0;
  }
  void TearDown() override {
    PHYSFS_deinit();
    EXPECT_EQ(open_archives, 0);
  }

  static std::string content(const char* name) {
    PHYSFS_File* const file = PHYSFS_openRead(name);
    if (!file) return "(none)";
    char text[64] = {};
    PHYSFS_readBytes(file, text, 1);
    PHYSFS_readBytes(file, text + 1, sizeof text - 2);
    EXPECT_EQ(PHYSFS_fileLength(file), static_cast<PHYSFS_sint64>(std::strlen(text)));
    PHYSFS_close(file);
    return text;
  }

  temp_folder folder_;
};

TEST_F(archiver_test, an_archive_of_the_hosts_format_is_mounted_from_each_kind_of_storage) {
  const std::string path = folder_.write("a.one", "ONEfrom the disk");
  ASSERT_EQ(PHYSFS_mount(path.c_str(), nullptr, 1), 1);
  EXPECT_EQ(content("entry.txt"), "from the disk");
  EXPECT_EQ(PHYSFS_exists("nowhere"), 0);
  EXPECT_EQ(PHYSFS_unmount(path.c_str()), 1);
  const std::string bytes = "ONEfrom memory";
  ASSERT_EQ(PHYSFS_mountMemory(bytes.data(), bytes.size(), nullptr, "m", nullptr, 1), 1);
  EXPECT_EQ(content("entry.txt"), "from memory") << "whatever the extension";
  EXPECT_EQ(PHYSFS_unmount("m"), 1);
  overture::zip_writer().add({.name = "in.one", .data = "ONEinside"}).save(folder_ / "z.zip");
  ASSERT_EQ(PHYSFS_mount((folder_ / "z.zip").c_str(), nullptr, 1), 1);
  ASSERT_EQ(PHYSFS_mountHandle(PHYSFS_openRead("in.one"), "h.one", "h", 1), 1);
  EXPECT_EQ(content("h/entry.txt"), "inside");
  EXPECT_EQ(PHYSFS_unmount("h.one"), 1);
  EXPECT_EQ(PHYSFS_unmount((folder_ / "z.zip").c_str()), 1) << "the handle is closed";
}

TEST_F(archiver_test, links_are_hidden_unless_permitted) {
  const std::string path = folder_.write("a.one", "ONEtext");
  ASSERT_EQ(PHYSFS_mount(path.c_str(), nullptr, 1), 1);
  EXPECT_EQ(PHYSFS_exists("links/to"), 0);
  EXPECT_EQ(PHYSFS_getLastErrorCode(), PHYSFS_ERR_SYMLINK_FORBIDDEN);
  char** names = PHYSFS_enumerateFiles("links");
  EXPECT_EQ(names[0], nullptr);
  PHYSFS_freeList(static_cast<void*>(names));
  PHYSFS_permitSymbolicLinks(1);
  EXPECT_EQ(PHYSFS_exists("links/to"), 1);
}

TEST_F(archiver_test, an_archive_that_its_archiver_knows_and_cannot_open_fails_with_its_error) {
  const std::string path = folder_.write("a.one", "ONE");
  EXPECT_EQ(PHYSFS_mount(path.c_str(), nullptr, 1), 0);
  EXPECT_EQ(PHYSFS_getLastErrorCode(), PHYSFS_ERR_CORRUPT);
  EXPECT_EQ(PHYSFS_mount(folder_.write("b.one", "TWO").c_str(), nullptr, 1), 0);
  EXPECT_EQ(PHYSFS_getLastErrorCode(), PHYSFS_ERR_UNSUPPORTED);
}

TEST_F(archiver_test, an_archiver_goes_when_nothing_of_it_is_mounted) {
  const PHYSFS_Archiver archiver = one_file_archiver();
  EXPECT_EQ(PHYSFS_registerArchiver(&archiver), 0);
  EXPECT_EQ(PHYSFS_getLastErrorCode(), PHYSFS_ERR_DUPLICATE);
  const std::string path = folder_.write("a.one", "ONEtext");
  ASSERT_EQ(PHYSFS_mount(path.c_str(), nullptr, 1), 1);
  EXPECT_EQ(PHYSFS_deregisterArchiver("one"), 0);
  EXPECT_EQ(PHYSFS_getLastErrorCode(), PHYSFS_ERR_FILES_STILL_OPEN);
  EXPECT_EQ(PHYSFS_unmount(path.c_str()), 1);
  EXPECT_EQ(PHYSFS_deregisterArchiver("one"), 1);
  EXPECT_EQ(PHYSFS_deregisterArchiver("one"), 0);
  EXPECT_EQ(PHYSFS_mount(path.c_str(), nullptr, 1), 0);
}

TEST_F(archiver_test, an_incomplete_archiver_is_refused) {
  PHYSFS_Archiver archiver = one_file_archiver();
  archiver.info.extension = "TWO";
  archiver.stat = nullptr;
  EXPECT_EQ(PHYSFS_registerArchiver(&archiver), 0);
  EXPECT_EQ(PHYSFS_getLastErrorCode(), PHYSFS_ERR_INVALID_ARGUMENT);
  archiver = one_file_archiver();
  archiver.version = 3;
  EXPECT_EQ(PHYSFS_registerArchiver(&archiver), 0);
  EXPECT_EQ(PHYSFS_registerArchiver(nullptr), 0);
}

TEST_F(archiver_test, the_table_of_formats_names_it_and_older_tables_stay) {
  const PHYSFS_ArchiveInfo** const with = PHYSFS_supportedArchiveTypes();
  int count = 0;
  while (with[count]) ++count;
  EXPECT_STREQ(with[count - 1]->extension, "ONE");
  EXPECT_EQ(PHYSFS_deregisterArchiver("ONE"), 1);
  const PHYSFS_ArchiveInfo** const without = PHYSFS_supportedArchiveTypes();
  EXPECT_EQ(without[count - 1], nullptr);
  EXPECT_STREQ(with[0]->extension, "ZIP");
}

}  // namespace

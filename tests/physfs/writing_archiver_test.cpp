// SPDX-License-Identifier: Zlib
//
// Archives that a game's archiver writes, as the write folder and mounted.
#include <physfs.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "support/temp_folder.hpp"

namespace {

using overture::temp_folder;

// A format of the host: "MAP", then for each file its name, a NUL, its length in one byte, and its
// bytes. The names of folders end with '/'. All of it is kept in memory and written when it closes.
struct map_archive {
  PHYSFS_Io* io = nullptr;
  bool writes = false;
  std::map<std::string, std::string> files;
};
int open_archives = 0;
int flushes = 0;

map_archive& of(void* archive) {
  return *static_cast<map_archive*>(archive);
}

void* open_archive(PHYSFS_Io* io, const char*, int for_write, int* claimed) {
  std::string bytes(static_cast<std::size_t>(io->length(io)), '\0');
  if (io->read(io, bytes.data(), bytes.size()) != static_cast<PHYSFS_sint64>(bytes.size()) ||
      (!bytes.starts_with("MAP") && !(bytes.empty() && for_write != 0))) {
    PHYSFS_setErrorCode(PHYSFS_ERR_UNSUPPORTED);
    return nullptr;
  }
  *claimed = 1;
  auto* const made = new map_archive{io, for_write != 0, {}};
  for (std::size_t at = 3; at < bytes.size();) {
    const std::string name = bytes.c_str() + at;
    at += name.size() + 1;
    const auto size = static_cast<unsigned char>(bytes[at]);
    made->files[name] = bytes.substr(at + 1, size);
    at += 1u + size;
  }
  ++open_archives;
  return made;
}

void close_archive(void* archive) {
  PHYSFS_Io* const io = of(archive).io;
  if (of(archive).writes) {
    std::string bytes = "MAP";
    for (const auto& [name, data] : of(archive).files) {
      bytes += name + '\0' + static_cast<char>(data.size()) + data;
    }
    EXPECT_NE(io->seek(io, 0), 0);
    EXPECT_EQ(io->write(io, bytes.data(), bytes.size()), static_cast<PHYSFS_sint64>(bytes.size()));
    EXPECT_EQ(io->tell(io), static_cast<PHYSFS_sint64>(bytes.size()));
    EXPECT_NE(io->flush(io), 0);
  }
  io->destroy(io);
  delete &of(archive);
  --open_archives;
}

int stat(void* archive, const char* path, PHYSFS_Stat* found) {
  const std::string name(path);
  *found = {-1, -1, -1, -1, PHYSFS_FILETYPE_DIRECTORY, 0};
  if (name.empty() || of(archive).files.contains(name + '/')) return 1;
  const auto file = of(archive).files.find(name);
  if (file == of(archive).files.end()) {
    PHYSFS_setErrorCode(PHYSFS_ERR_NOT_FOUND);
    return 0;
  }
  found->filetype = PHYSFS_FILETYPE_REGULAR;
  found->filesize = static_cast<PHYSFS_sint64>(file->second.size());
  return 1;
}

PHYSFS_EnumerateCallbackResult enumerate(void*, const char*, PHYSFS_EnumerateCallback, const char*,
                                         void*) {
  return PHYSFS_ENUM_OK;
}

struct map_file {
  PHYSFS_Io io;
  std::string* data;
  std::size_t at;
};

map_file& file_of(PHYSFS_Io* io) {
  return *static_cast<map_file*>(io->opaque);
}

PHYSFS_sint64 read_file(PHYSFS_Io* io, void* to, PHYSFS_uint64 bytes) {
  map_file& file = file_of(io);
  const std::size_t count = std::min<std::size_t>(bytes, file.data->size() - file.at);
  std::memcpy(to, file.data->data() + file.at, count);
  file.at += count;
  return static_cast<PHYSFS_sint64>(count);
}

PHYSFS_sint64 write_file(PHYSFS_Io* io, const void* from, PHYSFS_uint64 bytes) {
  map_file& file = file_of(io);
  if (file.data->size() + bytes > 100) {
    PHYSFS_setErrorCode(PHYSFS_ERR_NO_SPACE);
    return -1;
  }
  file.data->replace(file.at, bytes, static_cast<const char*>(from), bytes);
  file.at += bytes;
  return static_cast<PHYSFS_sint64>(bytes);
}

PHYSFS_Io* open_file(void* archive, const char* path, bool at_end) {
  std::string& data = of(archive).files[path];
  auto* const made = new map_file{{}, &data, at_end ? data.size() : 0};
  made->io.opaque = made;
  made->io.read = read_file;
  made->io.write = write_file;
  made->io.seek = [](PHYSFS_Io* io, PHYSFS_uint64 position) {
    file_of(io).at = position;
    return 1;
  };
  made->io.tell = [](PHYSFS_Io* io) { return static_cast<PHYSFS_sint64>(file_of(io).at); };
  made->io.length = [](PHYSFS_Io* io) {
    return static_cast<PHYSFS_sint64>(file_of(io).data->size());
  };
  made->io.flush = [](PHYSFS_Io*) { return ++flushes; };
  made->io.destroy = [](PHYSFS_Io* io) { delete &file_of(io); };
  return &made->io;
}

PHYSFS_Archiver map_archiver() {
  PHYSFS_Archiver made{};
  made.info = {"MAP", "a map", "a test", "", 0};
  made.openArchive = open_archive;
  made.enumerate = enumerate;
  made.openRead = [](void* archive, const char* path) -> PHYSFS_Io* {
    PHYSFS_Stat found{};
    return stat(archive, path, &found) != 0 ? open_file(archive, path, false) : nullptr;
  };
  made.openWrite = [](void* archive, const char* path) {
    of(archive).files[path].clear();
    // The library holds no lock: the game's code may call it.
    EXPECT_EQ(PHYSFS_exists("absent"), 0);
    EXPECT_NE(PHYSFS_getWriteDir(), nullptr);
    return open_file(archive, path, false);
  };
  made.openAppend = [](void* archive, const char* path) { return open_file(archive, path, true); };
  made.remove = [](void* archive, const char* path) {
    if (of(archive).files.erase(path) + of(archive).files.erase(std::string(path) + '/') != 0) {
      return 1;
    }
    PHYSFS_setErrorCode(PHYSFS_ERR_NOT_FOUND);
    return 0;
  };
  made.mkdir = [](void* archive, const char* path) {
    of(archive).files[std::string(path) + '/'];
    return 1;
  };
  made.stat = stat;
  made.closeArchive = close_archive;
  return made;
}

class writing_archiver : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(PHYSFS_init("program"), 1);
    const PHYSFS_Archiver archiver = map_archiver();
    ASSERT_EQ(PHYSFS_registerArchiver(&archiver), 1);
    open_archives = flushes = 0;
    saves_ = folder_.write("saves.map", "");
  }
  void TearDown() override {
    EXPECT_EQ(PHYSFS_deinit(), 1);
    EXPECT_EQ(open_archives, 0);
  }

  static void write(PHYSFS_File* file, const std::string& text) {
    ASSERT_NE(file, nullptr);
    EXPECT_EQ(PHYSFS_writeBytes(file, text.data(), text.size()),
              static_cast<PHYSFS_sint64>(text.size()));
    EXPECT_EQ(PHYSFS_close(file), 1);
  }

  temp_folder folder_;
  std::string saves_;
};

TEST_F(writing_archiver, writes_what_is_written_into_the_write_folder) {
  ASSERT_EQ(PHYSFS_setWriteDir(saves_.c_str()), 1);
  EXPECT_STREQ(PHYSFS_getWriteDir(), saves_.c_str());
  write(PHYSFS_openWrite("a.txt"), "first");
  EXPECT_EQ(flushes, 1) << "when a file is closed";
  PHYSFS_File* const file = PHYSFS_openAppend("a.txt");
  EXPECT_EQ(PHYSFS_tell(file), 5);
  EXPECT_EQ(PHYSFS_fileLength(file), 5);
  write(file, " second");
  ASSERT_EQ(PHYSFS_setWriteDir(nullptr), 1);
  EXPECT_EQ(folder_.read("saves.map"), std::string("MAPa.txt\0\x0c", 10) + "first second");
}

TEST_F(writing_archiver, makes_and_removes_folders_and_files) {
  ASSERT_EQ(PHYSFS_setWriteDir(saves_.c_str()), 1);
  EXPECT_EQ(PHYSFS_mkdir("a/b"), 1);
  EXPECT_EQ(PHYSFS_mkdir("a"), 1);
  write(PHYSFS_openWrite("a/b/file"), "x");
  EXPECT_EQ(PHYSFS_mkdir("a/b/file"), 0);
  EXPECT_EQ(PHYSFS_delete("a/b/file"), 1);
  EXPECT_EQ(PHYSFS_delete("a/b/file"), 0);
  EXPECT_EQ(PHYSFS_getLastErrorCode(), PHYSFS_ERR_NOT_FOUND);
  EXPECT_EQ(PHYSFS_delete(""), 0);
  ASSERT_EQ(PHYSFS_setWriteDir(nullptr), 1);
  EXPECT_EQ(folder_.read("saves.map"), std::string("MAPa/\0\0a/b/\0\0", 13));
}

TEST_F(writing_archiver, keeps_what_it_has_and_seeks_in_what_it_writes) {
  folder_.write("saves.map", std::string("MAPold\0\x03"
                                         "abc",
                                         11));
  ASSERT_EQ(PHYSFS_setWriteDir(saves_.c_str()), 1);
  PHYSFS_File* const file = PHYSFS_openAppend("old");
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(PHYSFS_seek(file, 1), 1);
  write(file, "X");
  PHYSFS_File* const full = PHYSFS_openWrite("full");
  EXPECT_EQ(PHYSFS_writeBytes(full, std::string(101, 'x').data(), 101), -1);
  EXPECT_EQ(PHYSFS_getLastErrorCode(), PHYSFS_ERR_NO_SPACE);
  EXPECT_EQ(PHYSFS_setWriteDir(nullptr), 0);
  EXPECT_EQ(PHYSFS_getLastErrorCode(), PHYSFS_ERR_FILES_STILL_OPEN);
  EXPECT_EQ(PHYSFS_deregisterArchiver("MAP"), 0);
  EXPECT_EQ(PHYSFS_close(full), 1);
  EXPECT_EQ(PHYSFS_delete("full"), 1);
  ASSERT_EQ(PHYSFS_setWriteDir(nullptr), 1);
  EXPECT_EQ(folder_.read("saves.map"), std::string("MAPold\0\x03"
                                                   "aXc",
                                                   11));
}

TEST_F(writing_archiver, leaves_nothing_behind_the_end_of_a_shorter_archive) {
  folder_.write("saves.map", std::string("MAPold\0\x03"
                                         "abc",
                                         11));
  ASSERT_EQ(PHYSFS_setWriteDir(saves_.c_str()), 1);
  EXPECT_EQ(PHYSFS_delete("old"), 1);
  ASSERT_EQ(PHYSFS_setWriteDir(nullptr), 1);
  EXPECT_EQ(folder_.read("saves.map"), "MAP");
}

TEST_F(writing_archiver, closes_its_archive_with_the_library) {
  ASSERT_EQ(PHYSFS_setWriteDir(saves_.c_str()), 1);
  PHYSFS_File* const file = PHYSFS_openWrite("open");
  EXPECT_EQ(PHYSFS_writeBytes(file, "text", 4), 4);
  EXPECT_EQ(PHYSFS_deinit(), 1);
  EXPECT_EQ(open_archives, 0);
  EXPECT_EQ(folder_.read("saves.map"), std::string("MAPopen\0\x04text", 13));
  EXPECT_EQ(PHYSFS_init("program"), 1);
}

TEST_F(writing_archiver, refuses_a_file_that_no_archiver_writes_and_keeps_it) {
  folder_.write("other.map", "no such archive");
  ASSERT_EQ(::chmod(folder_.write("text.txt", "text").c_str(), 0600), 0);
  for (const char* const name : {"other.map", "text.txt", "none.map"}) {
    EXPECT_EQ(PHYSFS_setWriteDir((folder_ / name).c_str()), 0) << name;
    EXPECT_NE(PHYSFS_getLastErrorCode(), PHYSFS_ERR_OK);
    EXPECT_EQ(PHYSFS_getWriteDir(), nullptr);
  }
  EXPECT_EQ(folder_.read("other.map"), "no such archive");
  EXPECT_EQ(folder_.read("text.txt"), "text");
}

TEST_F(writing_archiver, serves_a_place_in_the_tree) {
  ASSERT_EQ(PHYSFS_setWriteDir(folder_.name().c_str()), 1);
  ASSERT_EQ(PHYSFS_mountRW(saves_.c_str(), "saves", 1), 1);
  write(PHYSFS_openWrite("saves/one"), "1");
  EXPECT_EQ(PHYSFS_exists("saves/one"), 1);
  PHYSFS_File* const file = PHYSFS_openRead("saves/one");
  char text[4] = {};
  EXPECT_EQ(PHYSFS_readBytes(file, text, 4), 1);
  EXPECT_EQ(PHYSFS_writeBytes(file, "2", 1), -1);
  EXPECT_EQ(PHYSFS_unmount(saves_.c_str()), 0);
  EXPECT_EQ(PHYSFS_close(file), 1);
  EXPECT_EQ(PHYSFS_unmount(saves_.c_str()), 1);
  EXPECT_EQ(folder_.read("saves.map"), std::string("MAPone\0\x01"
                                                   "1",
                                                   9));
  ASSERT_EQ(PHYSFS_mount(saves_.c_str(), nullptr, 1), 1) << "to read it";
  EXPECT_EQ(PHYSFS_exists("one"), 1);
}

}  // namespace

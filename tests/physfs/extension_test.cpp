// SPDX-License-Identifier: Zlib
//
// What is in physfs_overture.h.
#include <physfs_overture.h>

#include <cstring>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "support/platform.hpp"
#include "support/temp_folder.hpp"
#include "support/zip_writer.hpp"

namespace {

using overture::temp_folder;
using overture::zip_deflated;
using overture::zip_writer;

class extension : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(PHYSFS_init("program"), 1); }
  void TearDown() override { EXPECT_TRUE(PHYSFS_isInit() == 0 || PHYSFS_deinit() == 1); }

  [[nodiscard]] const char* folder() const { return name_.c_str(); }
  void mount_folder() { ASSERT_EQ(PHYSFS_mount(folder(), nullptr, 1), 1); }

  temp_folder folder_;
  const std::string name_ = folder_.name();
};

int code() {
  return PHYSFS_getLastErrorCode();
}

std::string text_of(const PHYSFS_overture_Memory& memory) {
  return {static_cast<const char*>(memory.bytes), static_cast<std::size_t>(memory.size)};
}

// What the function gives, which is given back.
std::string whole(int (*function)(const char*, PHYSFS_overture_Memory*), const char* name) {
  PHYSFS_overture_Memory memory{};
  if (function(name, &memory) == 0) {
    EXPECT_EQ(memory.bytes, nullptr);
    return "error " + std::to_string(code());
  }
  std::string text = text_of(memory);
  PHYSFS_overture_giveBack(&memory);
  EXPECT_EQ(memory.bytes, nullptr);
  EXPECT_EQ(memory.size, 0u);
  PHYSFS_overture_giveBack(&memory);
  return text;
}

std::string found(const char* name) {
  char room[256];
  return PHYSFS_overture_findName(name, room, sizeof room) != 0 ? room
                                                                : "error " + std::to_string(code());
}

std::string error(PHYSFS_ErrorCode number) {
  return "error " + std::to_string(number);
}

std::string archive_with(const char* name, const std::string& text) {
  zip_writer writer;
  writer.add({.name = name, .data = text, .method = zip_deflated});
  return writer.bytes();
}

TEST_F(extension, files_are_read_whole_from_folders_and_archives) {
  const std::string large(300 << 10, 'l');
  folder_.write("small.txt", "small");
  folder_.write("empty", "");
  folder_.write("large", large);
  folder_.write("folder/x", "x");
  folder_.write("mod.zip", archive_with("packed.txt", large));
  mount_folder();
  ASSERT_EQ(PHYSFS_mount((folder_ / "mod.zip").c_str(), nullptr, 1), 1);
  for (auto* const function : {PHYSFS_overture_readFile, PHYSFS_overture_mapFile}) {
    EXPECT_EQ(whole(function, "small.txt"), "small");
    EXPECT_EQ(whole(function, "empty"), "");
    EXPECT_EQ(whole(function, "large"), large);
    EXPECT_EQ(whole(function, "packed.txt"), large);
    EXPECT_EQ(whole(function, "none"), error(PHYSFS_ERR_NOT_FOUND));
    EXPECT_EQ(whole(function, "folder"), error(PHYSFS_ERR_NOT_FOUND)) << "the archive has none";
    EXPECT_EQ(whole(function, "../up"), error(PHYSFS_ERR_BAD_FILENAME));
    EXPECT_EQ(function("small.txt", nullptr), 0);
    EXPECT_EQ(code(), PHYSFS_ERR_INVALID_ARGUMENT);
    EXPECT_EQ(function(nullptr, nullptr), 0);
  }
  PHYSFS_overture_giveBack(nullptr);
}

TEST_F(extension, only_large_files_of_folders_are_mapped) {
  folder_.write("small.txt", "small");
  folder_.write("large", std::string(256 << 10, 'l'));
  mount_folder();
  PHYSFS_overture_Memory memory{};
  ASSERT_EQ(PHYSFS_overture_mapFile("large", &memory), 1);
  EXPECT_NE(memory.opaque, nullptr);
  PHYSFS_overture_giveBack(&memory);
  ASSERT_EQ(PHYSFS_overture_mapFile("small.txt", &memory), 1);
  EXPECT_EQ(memory.opaque, nullptr);
  PHYSFS_overture_giveBack(&memory);
  ASSERT_EQ(PHYSFS_overture_readFile("large", &memory), 1);
  EXPECT_EQ(memory.opaque, nullptr);
  PHYSFS_overture_giveBack(&memory);
}

TEST_F(extension, what_was_read_ends_with_a_nul_and_outlives_the_mount) {
  folder_.write("mod.zip", archive_with("text", "some text"));
  const std::string path = folder_ / "mod.zip";
  ASSERT_EQ(PHYSFS_mount(path.c_str(), nullptr, 1), 1);
  PHYSFS_overture_Memory memory{};
  ASSERT_EQ(PHYSFS_overture_readFile("text", &memory), 1);
  EXPECT_EQ(PHYSFS_unmount(path.c_str()), 1) << "no file is open";
  EXPECT_STREQ(static_cast<const char*>(memory.bytes), "some text");
  PHYSFS_overture_giveBack(&memory);
}

TEST_F(extension, a_damaged_file_is_not_read) {
  std::string bytes = archive_with("text", "some text");
  bytes[14] = static_cast<char>(bytes[14] ^ 1);  // of its CRC-32
  const std::size_t central = bytes.find("PK\1\2");
  bytes[central + 16] = static_cast<char>(bytes[central + 16] ^ 1);
  folder_.write("mod.zip", bytes);
  ASSERT_EQ(PHYSFS_mount((folder_ / "mod.zip").c_str(), nullptr, 1), 1);
  EXPECT_EQ(whole(PHYSFS_overture_readFile, "text"), error(PHYSFS_ERR_CORRUPT));
}

TEST_F(extension, an_archive_in_an_archive_is_mounted_and_outlives_it) {
  folder_.write("mod.zip", archive_with("packs/inner.zip", archive_with("deep.txt", "deep")));
  const std::string path = folder_ / "mod.zip";
  ASSERT_EQ(PHYSFS_mount(path.c_str(), nullptr, 1), 1);
  ASSERT_EQ(PHYSFS_overture_mountInside("packs/inner.zip", "inner", 1), 1);
  ASSERT_EQ(PHYSFS_overture_mountInside("packs/inner.zip", "inner", 1), 1) << "it is there";
  EXPECT_EQ(whole(PHYSFS_overture_readFile, "inner/deep.txt"), "deep");
  EXPECT_STREQ(PHYSFS_getRealDir("inner/deep.txt"), "packs/inner.zip");
  PHYSFS_Stat status{};
  EXPECT_EQ(PHYSFS_stat("inner/deep.txt", &status), 1);
  EXPECT_EQ(status.filesize, 4);
  EXPECT_EQ(PHYSFS_unmount(path.c_str()), 1);
  EXPECT_EQ(whole(PHYSFS_overture_readFile, "inner/deep.txt"), "deep");
  EXPECT_EQ(PHYSFS_unmount("packs/inner.zip"), 1);
  EXPECT_EQ(PHYSFS_exists("inner/deep.txt"), 0);
}

TEST_F(extension, what_is_no_archive_or_missing_is_not_mounted_inside) {
  folder_.write("text", "no archive");
  mount_folder();
  EXPECT_EQ(PHYSFS_overture_mountInside("text", nullptr, 1), 0);
  EXPECT_EQ(code(), PHYSFS_ERR_UNSUPPORTED);
  EXPECT_EQ(PHYSFS_overture_mountInside("none", nullptr, 1), 0);
  EXPECT_EQ(code(), PHYSFS_ERR_NOT_FOUND);
  EXPECT_EQ(PHYSFS_overture_mountInside(nullptr, nullptr, 1), 0);
  EXPECT_EQ(code(), PHYSFS_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(PHYSFS_unmount(folder()), 1) << "no file is left open";
}

TEST_F(extension, a_large_archive_is_read_where_it_is) {
  zip_writer writer;
  writer.add({.name = "padding", .data = std::string(65 << 20, '\0')});
  writer.add({.name = "a.txt", .data = "a"});
  writer.save(folder_ / "large.zip");
  folder_.write("large.txt", std::string(65 << 20, '\0'));
  mount_folder();
  ASSERT_EQ(PHYSFS_overture_mountInside("large.zip", nullptr, 1), 1);
  EXPECT_EQ(whole(PHYSFS_overture_readFile, "a.txt"), "a");
  EXPECT_EQ(PHYSFS_unmount(folder()), 0);
  EXPECT_EQ(code(), PHYSFS_ERR_FILES_STILL_OPEN);
  EXPECT_EQ(PHYSFS_unmount("large.zip"), 1);
  EXPECT_EQ(PHYSFS_overture_mountInside("large.txt", nullptr, 1), 0) << "no archive";
  EXPECT_EQ(PHYSFS_unmount(folder()), 1) << "no file is left open";
}

TEST_F(extension, names_in_folders_are_found_without_regard_to_case) {
  if (overture::on_windows) GTEST_SKIP() << overture::needs_case;
  folder_.write("Maps/One.MAP", "1");
  folder_.write("maps/two.map", "2");
  folder_.write(
      "Stra\xc3\x9f"
      "e/\xc3\x84",
      "umlaut");
  mount_folder();
  EXPECT_EQ(found("Maps/One.MAP"), "Maps/One.MAP");
  EXPECT_EQ(found("MAPS//one.map"), "Maps/One.MAP");
  EXPECT_EQ(found("maps/one.map"), "Maps/One.MAP") << "not in the folder of that name";
  EXPECT_EQ(found("MAPS/TWO.MAP"), "maps/two.map");
  EXPECT_EQ(found("MAPS"), "Maps") << "the first by bytes";
  EXPECT_EQ(found("STRASSE/\xc3\xa4"),
            "Stra\xc3\x9f"
            "e/\xc3\x84");
}

TEST_F(extension, names_in_archives_are_found_without_regard_to_case) {
  folder_.write("maps/two.map", "2");
  zip_writer()
      .add({.name = "Data/Sprite.png", .data = "s"})
      .add({.name = "data/other.png", .data = "o"})
      .save(folder_ / "mod.zip");
  mount_folder();
  ASSERT_EQ(PHYSFS_mount((folder_ / "mod.zip").c_str(), "Mod", 1), 1);
  EXPECT_EQ(found("mod/data/SPRITE.PNG"), "Mod/Data/Sprite.png");
  EXPECT_EQ(found("Mod/DATA"), "Mod/Data") << "the first by bytes";
  EXPECT_EQ(found("/"), "");
  EXPECT_EQ(found("maps/three.map"), error(PHYSFS_ERR_NOT_FOUND));
  EXPECT_EQ(found("maps/two.map/more"), error(PHYSFS_ERR_NOT_FOUND));
  EXPECT_EQ(found("maps/../x"), error(PHYSFS_ERR_BAD_FILENAME));
  EXPECT_EQ(found(nullptr), error(PHYSFS_ERR_INVALID_ARGUMENT));
}

TEST_F(extension, a_name_that_is_found_sets_no_error_and_needs_room) {
  zip_writer().add({.name = "Maps/One.MAP", .data = "1"}).save(folder_ / "mod.zip");
  ASSERT_EQ(PHYSFS_mount((folder_ / "mod.zip").c_str(), nullptr, 1), 1);
  char room[13] = {};
  EXPECT_EQ(PHYSFS_overture_findName("maps/one.map", room, 13), 1);
  EXPECT_EQ(code(), PHYSFS_ERR_OK);
  EXPECT_STREQ(room, "Maps/One.MAP");
  EXPECT_EQ(PHYSFS_overture_findName("maps/one.map", room, 12), 0);
  EXPECT_EQ(code(), PHYSFS_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(PHYSFS_overture_findName("maps/one.map", nullptr, 13), 0);
}

TEST_F(extension, files_are_renamed_in_the_write_folder) {
  folder_.write("save.new", "new");
  folder_.write("save", "old");
  folder_.write("folder/x", "x");
  ASSERT_EQ(PHYSFS_overture_rename("save.new", "save"), 0);
  EXPECT_EQ(code(), PHYSFS_ERR_NO_WRITE_DIR);
  ASSERT_EQ(PHYSFS_setWriteDir(folder()), 1);
  EXPECT_EQ(PHYSFS_overture_rename("save.new", "save"), 1);
  EXPECT_EQ(folder_.read("save"), "new");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "save.new"));
  EXPECT_EQ(PHYSFS_overture_rename("folder", "moved"), 1);
  EXPECT_EQ(folder_.read("moved/x"), "x");
  const auto fails = [](const char* from, const char* to) {
    EXPECT_EQ(PHYSFS_overture_rename(from, to), 0);
    return code();
  };
  EXPECT_EQ(fails("none", "save"), PHYSFS_ERR_NOT_FOUND);
  EXPECT_EQ(fails("save", "none/save"), PHYSFS_ERR_NOT_FOUND);
  EXPECT_EQ(fails("save", "/"), PHYSFS_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(fails("save", "../save"), PHYSFS_ERR_BAD_FILENAME);
  EXPECT_EQ(fails(nullptr, "save"), PHYSFS_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(folder_.read("save"), "new");
}

TEST_F(extension, there_are_several_write_folders) {
  const temp_folder saves;
  const temp_folder shots;
  ASSERT_EQ(PHYSFS_setWriteDir(saves.name().c_str()), 1);
  ASSERT_EQ(PHYSFS_mountRW(shots.name().c_str(), "shots", 1), 1);
  for (const char* const name : {"one.sav", "shots/one.png"}) {
    PHYSFS_File* const file = PHYSFS_openWrite(name);
    ASSERT_NE(file, nullptr) << name;
    EXPECT_EQ(PHYSFS_writeBytes(file, "x", 1), 1);
    EXPECT_EQ(PHYSFS_close(file), 1);
  }
  EXPECT_EQ(saves.read("one.sav"), "x");
  EXPECT_EQ(shots.read("one.png"), "x");
  EXPECT_EQ(PHYSFS_overture_rename("shots/one.png", "shots/two.png"), 1);
  EXPECT_EQ(shots.read("two.png"), "x");
  EXPECT_EQ(PHYSFS_overture_rename("shots/two.png", "two.png"), 0);
  EXPECT_EQ(code(), PHYSFS_ERR_UNSUPPORTED);
}

TEST_F(extension, nothing_works_without_initialisation) {
  ASSERT_EQ(PHYSFS_deinit(), 1);
  EXPECT_EQ(whole(PHYSFS_overture_readFile, "x"), error(PHYSFS_ERR_NOT_INITIALIZED));
  EXPECT_EQ(found("x"), error(PHYSFS_ERR_NOT_INITIALIZED));
  EXPECT_EQ(PHYSFS_overture_mountInside("x", nullptr, 1), 0);
  EXPECT_EQ(PHYSFS_overture_rename("x", "y"), 0);
  EXPECT_EQ(code(), PHYSFS_ERR_NOT_INITIALIZED);
}

}  // namespace

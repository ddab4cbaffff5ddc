// SPDX-License-Identifier: Zlib
#include "c_test.hpp"

#include <array>
#include <filesystem>
#include <optional>

#include "support/temp_folder.hpp"
#include "support/zip_writer.hpp"

const char* test_folder = nullptr;

namespace {

std::optional<overture::temp_folder> folder;
std::string folder_path;
thread_local std::array<std::string, 8> rooms;
thread_local std::size_t next_room = 0;

}  // namespace

namespace overture {

c_test_files::c_test_files() {
  folder.emplace();
  folder_path = folder->path().string();
  test_folder = folder_path.c_str();
  zip_writer base;
  base.add({.name = "maps/rome.txt", .data = "rome of the base\n", .method = zip_deflated});
  base.add({.name = "maps/troy.txt", .data = "troy\n"});
  base.add({.name = "readme.txt", .data = "read me\nor not\n"});
  base.save(folder->path() / "base.zip");
  folder->write("mod/maps/rome.txt", "rome of the mod\n");
  folder->write("mod/new.txt", "new\n");
  zip_writer damaged;
  damaged.add({.name = "good.txt", .data = "good\n"});
  damaged.add({.name = "bad.txt", .data = "bad\n", .stated_crc32 = 1});
  damaged.save(folder->path() / "damaged.zip");
  folder->write("loose/bad.txt", "bad\n");
  folder->write("same/maps/rome.txt", "rome of the mod\n");
  folder->write("same/new.txt", "old\n");
  zip_writer odd;
  odd.add({.name = "good.txt", .data = "good\n"});
  odd.add({.name = "C:/drive.txt", .data = ""});
  odd.save(folder->path() / "odd.zip");
  folder->write("longer/bad.txt", "longer than bad\n");
  zip_writer outside;
  outside.add({.name = "../up.txt", .data = "up\n"});
  outside.save(folder->path() / "outside.zip");
  std::filesystem::create_directory(folder->path() / "empty");
}

c_test_files::~c_test_files() {
  folder.reset();
}

}  // namespace overture

const char* in_folder(const char* name) {
  std::string& room = rooms[next_room++ % rooms.size()];
  room = folder_path + "/" + name;
  return room.c_str();
}

void check_failed(const char* file, int line, const char* what, const char* why) {
  ADD_FAILURE_AT(file, line) << what << "\n" << why;
}

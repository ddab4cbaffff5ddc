// SPDX-License-Identifier: Zlib
#include "overture/sdl/storage.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "archives/zip/mounted_zip.hpp"

namespace overture::storage_test {
namespace {

using namespace literals;

struct closes {
  void operator()(SDL_Storage* storage) const { EXPECT_TRUE(SDL_CloseStorage(storage)); }
};

class a_storage : public ::testing::Test {
 protected:
  static zip_writer archive() {
    zip_writer zip;
    zip.add({.name = "lines", .data = long_text, .method = zip_deflated});
    zip.add({.name = "stored", .data = long_text});
    zip.add({.name = "maps/rome.txt", .data = "rome"});
    zip.add({.name = "maps/deep/er.txt", .data = "er"});
    zip.add({.name = "maps/empty"});
    zip.add({.name = "wrong", .data = long_text, .method = zip_deflated, .stated_crc32 = 1});
    return zip;
  }

  struct listing {
    std::vector<std::string> names;
    std::size_t stop_after = SIZE_MAX;
    SDL_EnumerationResult then = SDL_ENUM_CONTINUE;
  };
  static SDL_EnumerationResult SDLCALL note(void* data, const char* folder, const char* name) {
    auto& to = *static_cast<listing*>(data);
    to.names.push_back(std::string(folder) + "|" + name);
    return to.names.size() < to.stop_after ? SDL_ENUM_CONTINUE : to.then;
  }

  mounted tree{archive()};
  std::unique_ptr<SDL_Storage, closes> storage{sdl::open_storage(tree.files)};
};

TEST_F(a_storage, is_ready_and_has_no_space) {
  ASSERT_TRUE(storage);
  EXPECT_TRUE(SDL_StorageReady(storage.get()));
  EXPECT_EQ(SDL_GetStorageSpaceRemaining(storage.get()), 0u);
}

TEST_F(a_storage, reads_files) {
  for (const char* path : {"lines", "stored"}) {
    Uint64 bytes = 0;
    ASSERT_TRUE(SDL_GetStorageFileSize(storage.get(), path, &bytes)) << SDL_GetError();
    ASSERT_EQ(bytes, long_text.size());
    std::string got(bytes, ' ');
    EXPECT_TRUE(SDL_ReadStorageFile(storage.get(), path, got.data(), bytes)) << SDL_GetError();
    EXPECT_EQ(got, long_text);
    got.assign(100, ' ');
    EXPECT_TRUE(SDL_ReadStorageFile(storage.get(), path, got.data(), 100)) << "only its beginning";
    EXPECT_EQ(got, long_text.substr(0, 100));
    got.resize(bytes + 1);
    EXPECT_FALSE(SDL_ReadStorageFile(storage.get(), path, got.data(), bytes + 1)) << "has no more";
  }
}

TEST_F(a_storage, tells_files_and_folders_apart) {
  SDL_PathInfo info;
  ASSERT_TRUE(SDL_GetStoragePathInfo(storage.get(), "maps/rome.txt", &info));
  EXPECT_EQ(info.type, SDL_PATHTYPE_FILE);
  EXPECT_EQ(info.size, 4u);
  ASSERT_TRUE(SDL_GetStoragePathInfo(storage.get(), "maps", &info));
  EXPECT_EQ(info.type, SDL_PATHTYPE_DIRECTORY);
  EXPECT_FALSE(SDL_GetStoragePathInfo(storage.get(), "maps/none", &info));
  EXPECT_NE(std::string(SDL_GetError()).find("maps/none"), std::string::npos) << SDL_GetError();
}

TEST_F(a_storage, lists_folders_in_order) {
  listing root;
  EXPECT_TRUE(SDL_EnumerateStorageDirectory(storage.get(), nullptr, note, &root));
  EXPECT_EQ(root.names, (std::vector<std::string>{"|lines", "|maps", "|stored", "|wrong"}));
  for (const char* path : {"maps", "maps/"}) {
    listing maps;
    EXPECT_TRUE(SDL_EnumerateStorageDirectory(storage.get(), path, note, &maps));
    EXPECT_EQ(maps.names,
              (std::vector<std::string>{"maps/|deep", "maps/|empty", "maps/|rome.txt"}));
  }
  listing none;
  EXPECT_FALSE(SDL_EnumerateStorageDirectory(storage.get(), "none", note, &none));
  EXPECT_FALSE(SDL_EnumerateStorageDirectory(storage.get(), "lines", note, &none));
}

TEST_F(a_storage, stops_listing_when_it_is_told_to) {
  listing success{{}, 1, SDL_ENUM_SUCCESS};
  EXPECT_TRUE(SDL_EnumerateStorageDirectory(storage.get(), "maps", note, &success));
  EXPECT_EQ(success.names.size(), 1u);
  listing failure{{}, 2, SDL_ENUM_FAILURE};
  EXPECT_FALSE(SDL_EnumerateStorageDirectory(storage.get(), "maps", note, &failure));
  EXPECT_EQ(failure.names.size(), 2u);
}

TEST_F(a_storage, finds_by_pattern) {
  int count = 0;
  char** const found = SDL_GlobStorageDirectory(storage.get(), "", "maps/*.txt", 0, &count);
  ASSERT_TRUE(found) << SDL_GetError();
  ASSERT_EQ(count, 1);
  EXPECT_STREQ(found[0], "maps/rome.txt");
  SDL_free(found);
}

TEST_F(a_storage, says_what_is_damaged_or_no_path) {
  std::string got(long_text.size(), ' ');
  EXPECT_FALSE(SDL_ReadStorageFile(storage.get(), "wrong", got.data(), got.size()));
  EXPECT_NE(std::string(SDL_GetError()).find("wrong"), std::string::npos) << SDL_GetError();
  EXPECT_FALSE(SDL_ReadStorageFile(storage.get(), "C:/x", got.data(), 1));
  EXPECT_FALSE(SDL_ReadStorageFile(storage.get(), "maps", got.data(), 0));
  EXPECT_TRUE(SDL_ReadStorageFile(storage.get(), "maps/empty", got.data(), 0)) << SDL_GetError();
}

TEST_F(a_storage, refuses_to_write) {
  EXPECT_FALSE(SDL_WriteStorageFile(storage.get(), "new", "x", 1));
  EXPECT_FALSE(SDL_RemoveStoragePath(storage.get(), "lines"));
  EXPECT_FALSE(SDL_CreateStorageDirectory(storage.get(), "folder"));
}

TEST_F(a_storage, of_which_a_mount_goes_has_its_files_no_more) {
  tree.files.thaw();
  ASSERT_TRUE(tree.files.unmount(*tree.outcome));
  Uint64 bytes = 0;
  EXPECT_FALSE(SDL_GetStorageFileSize(storage.get(), "lines", &bytes));
}

}  // namespace
}  // namespace overture::storage_test

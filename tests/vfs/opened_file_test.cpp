// SPDX-License-Identifier: Zlib
#include "overture/vfs/opened_file.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/fake_os.hpp"
#include "support/seven_zip_writer.hpp"
#include "support/tar_writer.hpp"
#include "vfs/game.hpp"

namespace overture::opened_file_test {
namespace {

using namespace literals;

TEST_F(game, says_that_a_folder_is_no_file) {
  file_system folded({.ignore_case = true});
  ASSERT_TRUE(folded.mount((folder / "dlc").c_str()));
  for (const bool frozen : {false, true}) {
    if (frozen) {
      ASSERT_TRUE(folded.freeze());
    }
    for (const asset_path& path : {"maps"_path, "Maps"_path, asset_path{}}) {
      const error why = folded.open(path).error();
      EXPECT_EQ(why.code, errc::not_a_file) << path.text << frozen;
      EXPECT_STREQ(why.reason, "a folder, not a file");
    }
    EXPECT_EQ(folded.map("maps"_path).error().code, errc::not_a_file);
    EXPECT_EQ(folded.open("maps/nothing"_path).error().code, errc::not_found);
  }
}

TEST_F(game, opens_a_file_where_another_mount_has_a_folder) {
  mount_all(files);
  EXPECT_TRUE(files.open("maps"_path));
  ASSERT_TRUE(files.freeze());
  EXPECT_TRUE(files.open("maps"_path));
}

TEST_F(game, keeps_hundreds_of_loose_files_open_from_many_threads) {
  mount_all(files);
  ASSERT_TRUE(files.freeze());
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      std::vector<opened_file> open;
      for (int n = 0; n < 200; ++n) {
        result<opened_file> file = files.open("maps/paris.txt"_path);
        if (!file) ++wrong;
        if (file) open.push_back(std::move(*file));
      }
      std::set<source_id> ids_seen;
      for (const opened_file& file : open) ids_seen.insert(file.place().source);
      if (ids_seen.size() != 200) ++wrong;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

// --- Mapping -------------------------------------------------------------------------------------

// What map() gives of a file, or why not.
std::string mapped(file_system& files, std::string_view path) {
  const result<mapped_file> made = files.map({path, {hash64(path)}});
  if (!made && made.error().code != errc::unsupported) return to_string(made.error().code);
  if (!made) return std::string("because ") + made.error().reason;
  return {reinterpret_cast<const char*>(made->span().data()), made->size()};
}

std::string mapped_of_archive(const std::string& bytes, std::string_view path,
                              const mount_options& options = {}) {
  file_system files;
  EXPECT_TRUE(files.mount_memory("archive", std::as_bytes(std::span(bytes)), options));
  return mapped(files, path);
}

TEST(a_mapped_file, of_a_zip_is_stored_in_it) {
  zip_writer zip;
  zip.add({.name = "stored", .data = "as it is", .local_extra_bytes = 500});
  zip.add({.name = "empty"});
  zip.add({.name = "deflated", .data = "packed", .method = zip_deflated});
  zip.add({.name = "secret", .data = "stored", .password = "word"});
  const std::string bytes = zip.bytes();
  EXPECT_EQ(mapped_of_archive(bytes, "stored"), "as it is");
  EXPECT_EQ(mapped_of_archive(bytes, "empty"), "");
  EXPECT_EQ(mapped_of_archive(bytes, "deflated"), "because the file is compressed");
  EXPECT_EQ(mapped_of_archive(bytes, "secret", {.password = "word"}),
            "because the file is encrypted");
  EXPECT_EQ(mapped_of_archive(bytes, "secret"), "password");
  EXPECT_EQ(mapped_of_archive(bytes, "none"), "not_found");
}

TEST(a_mapped_file, of_a_7z_is_in_a_stored_block) {
  seven_zip_writer archive;
  archive.add({.files = {{"a", "aaaa"}, {"b", "bbbb"}}});
  archive.add({.method = seven_zip_method::copy, .files = {{"c", "cccc"}, {"d", "stored"}}});
  archive.add({.files = {{"e", "eeee"}}});
  archive.empty_files = {"f"};
  const std::string bytes = archive.bytes();
  EXPECT_EQ(mapped_of_archive(bytes, "c"), "cccc");
  EXPECT_EQ(mapped_of_archive(bytes, "d"), "stored");
  EXPECT_EQ(mapped_of_archive(bytes, "f"), "");
  for (const char* path : {"a", "b", "e"}) {
    EXPECT_EQ(mapped_of_archive(bytes, path),
              "because the file is in a block that is unpacked as a whole");
  }
}

TEST(a_mapped_file, of_a_tar_is_in_one_that_is_not_packed) {
  const std::string tar = write_tar({{.name = "a", .data = "in a tar"}});
  EXPECT_EQ(mapped_of_archive(tar, "a"), "in a tar");
  EXPECT_EQ(mapped_of_archive(pack_gzip(tar), "a"), "because the tar is packed as a whole");
}

// The loose files of a folder, and what the system says of mapping them.
struct a_mount_on_disk : ::testing::Test {
  a_mount_on_disk() {
    zip_writer zip;
    zip.add({.name = "stored", .data = "as it is"});
    os.add_file("/folder/loose", "loose bytes");
    os.add_file("/folder/nothing", "");
    os.add_file("/test.zip", zip.bytes());
  }
  test::fake_os os;
  file_system files{{.os = &os}};
};

TEST_F(a_mount_on_disk, maps_its_files_if_they_do_not_change) {
  ASSERT_TRUE(files.mount("/folder", {.immutable_source = true}));
  ASSERT_TRUE(files.mount("/test.zip", {.immutable_source = true}));
  EXPECT_EQ(mapped(files, "loose"), "loose bytes");
  EXPECT_EQ(mapped(files, "nothing"), "");
  EXPECT_EQ(mapped(files, "stored"), "as it is");
}

TEST_F(a_mount_on_disk, says_that_it_may_change) {
  ASSERT_TRUE(files.mount("/folder"));
  ASSERT_TRUE(files.mount("/test.zip"));
  for (const char* path : {"loose", "stored"}) {
    EXPECT_NE(mapped(files, path).find("immutable_source"), std::string::npos) << path;
  }
}

TEST_F(a_mount_on_disk, says_that_the_system_cannot_map) {
  os.fail_call(test::os_call::map, 0, EACCES, 2);
  ASSERT_TRUE(files.mount("/folder", {.immutable_source = true}));
  ASSERT_TRUE(files.mount("/test.zip", {.immutable_source = true}));
  EXPECT_EQ(mapped(files, "loose"), "because the system cannot map the file");
  EXPECT_EQ(files.map("stored"_path).error().os_error, EACCES);
  EXPECT_EQ(mapped(files, "stored"), "because the system cannot map the archive");
  EXPECT_EQ(mapped(files, "loose"), "loose bytes") << "the next time it can";
}

TEST_F(a_mount_on_disk, keeps_what_is_mapped_when_it_is_unmounted) {
  const result<mount_id> folder = files.mount("/folder", {.immutable_source = true});
  const result<mount_id> archive = files.mount("/test.zip", {.immutable_source = true});
  ASSERT_TRUE(folder && archive);
  {
    result<mapped_file> loose = files.map("loose"_path);
    const result<mapped_file> stored = files.map("stored"_path);
    ASSERT_TRUE(loose && stored);
    const std::byte* const where = loose->span().data();
    ASSERT_TRUE(files.unmount(*folder));
    ASSERT_TRUE(files.unmount(*archive));
    const mapped_file moved = *std::move(loose);
    EXPECT_EQ(moved.span().data(), where);
    EXPECT_EQ(os.open_mappings(), 2u);
  }
  EXPECT_EQ(os.open_mappings(), 0u);
  EXPECT_EQ(os.open_handles(), 0u);
}

}  // namespace
}  // namespace overture::opened_file_test

// SPDX-License-Identifier: Zlib
//
// ZIP archives with encrypted entries.
#include "archives/zip/zip_decrypter.hpp"

#include <cstdlib>

#include "archives/archive_checks.hpp"
#include "archives/physfs_peer.hpp"
#include "support/platform.hpp"
#include "support/zip_writer.hpp"

namespace overture::zip_decrypter_test {
namespace {

const std::string text(2000, 't');
using namespace literals;

const mount_options with_password{.password = "sesame"};

zip_writer secret_zip() {
  zip_writer zip;
  zip.add({.name = "open", .data = "open to all"});
  zip.add({.name = "stored", .data = "a secret", .password = "sesame"});
  zip.add({.name = "deflated", .data = text, .method = zip_deflated, .password = "sesame"});
  zip.add({.name = "zstd", .data = text, .method = zip_zstd, .password = "sesame"});
  zip.add({.name = "described", .data = "d", .sizes_in_descriptor = true, .password = "sesame"});
  zip.add({.name = "empty", .data = "", .password = "sesame"});
  zip.add({.name = "link", .data = "stored", .mode = zip_mode_link});
  return zip;
}
const contents_map secret_contents{
    {"open", "open to all"}, {"stored", "a secret"}, {"deflated", text},  {"zstd", text},
    {"described", "d"},      {"empty", ""},          {"link", "a secret"}};

TEST(encrypted_zip, is_read_with_its_password) {
  EXPECT_EQ(load_archive(secret_zip().bytes(), "a.zip", with_password), secret_contents);
}

TEST(encrypted_zip, without_a_password_has_its_other_files) {
  contents_map expected;
  for (const auto& [path, content] : secret_contents) {
    expected[path] = path == "open" ? content : "error: password";
  }
  EXPECT_EQ(load_archive(secret_zip().bytes(), "a.zip"), expected);
}

TEST(encrypted_zip, reports_a_wrong_password) {
  const contents_map contents =
      load_archive(secret_zip().bytes(), "a.zip", {.password = "simsalabim"});
  EXPECT_EQ(contents.at("open"), "open to all");
  // A wrong password passes the one-byte check in 1 of 256 cases; the checksum then reveals it.
  EXPECT_TRUE(is_error(contents.at("stored"))) << contents.at("stored");
  EXPECT_TRUE(is_error(contents.at("deflated")));
}

TEST(encrypted_zip, cannot_tell_a_wrong_password_from_damage) {
  const std::string bytes = secret_zip().bytes();
  memory_file_os os(bytes);
  file_system files({.os = &os});
  ASSERT_TRUE(files.mount("a.zip", {.password = "simsalabim"}));
  buffer_pool buffers;
  int with_password_code = 0;
  for (const asset_path path : {"deflated"_path, "zstd"_path}) {
    const result<blob> read = files.read_all(path, buffers);
    ASSERT_FALSE(read);
    EXPECT_STREQ(read.error().reason, "wrong password, or the file is damaged");
    with_password_code += read.error().code == errc::password ? 1 : 0;
  }
  EXPECT_GT(with_password_code, 0);
}

TEST(encrypted_zip, names_the_file_in_an_error) {
  const std::string bytes = secret_zip().bytes();
  memory_file_os os(bytes);
  file_system files({.os = &os});
  ASSERT_TRUE(files.mount("a.zip"));
  const result<opened_file> opened = files.open("stored"_path);
  ASSERT_FALSE(opened);
  EXPECT_EQ(explained(files, opened.error()),
            "stored in a.zip: the file is encrypted; mount it with a password");
}

TEST(encrypted_zip, can_be_mounted_from_one_of_its_folders) {
  zip_writer zip;
  zip.add({.name = "data/a", .data = "a", .password = "sesame"});
  zip.add({.name = "data/b", .data = "b", .password = "sesame"});
  EXPECT_EQ(load_archive(zip.bytes(), "a.zip", {.at = "x", .from = "data", .password = "sesame"}),
            (contents_map{{"x/a", "a"}, {"x/b", "b"}}));
}

TEST(encrypted_zip, with_strong_encryption_is_not_supported) {
  zip_writer zip;
  zip.add({.name = "strong", .data = "x", .flags = 1u << 6 | 1u});
  zip.add({.name = "aes", .data = "x", .flags = 1u, .stated_method = 99});
  EXPECT_EQ(load_archive(zip.bytes(), "a.zip", with_password),
            (contents_map{{"aes", "error: unsupported"}, {"strong", "error: unsupported"}}));
}

TEST(encrypted_zip, that_lies_is_corrupt) {
  const auto load_one = [](zip_entry entry) {
    entry.name = "liar";
    zip_writer zip;
    zip.add(std::move(entry));
    zip.add({.name = "honest", .data = "honest", .password = "sesame"});
    const contents_map contents = load_archive(zip.bytes(), "a.zip", with_password);
    EXPECT_EQ(contents.at("honest"), "honest");
    return contents.at("liar");
  };
  EXPECT_EQ(load_one({.data = "short", .flags = 1}), "error: corrupt") << "no room for the header";
  EXPECT_EQ(load_one({.data = "abc", .password = "sesame", .stated_bytes = 4}), "error: corrupt");
  EXPECT_EQ(
      load_one({.data = text, .method = zip_deflated, .password = "sesame", .stated_bytes = 4000}),
      "error: corrupt");
  EXPECT_EQ(
      load_one(
          {.data = text, .method = zip_deflated, .password = "sesame", .stated_bytes = 1u << 30}),
      "error: corrupt")
      << "more than the method can make";
  EXPECT_EQ(load_one({.data = "abc", .password = "sesame", .stated_crc32 = 0x77777777}),
            "error: password");
}

TEST(encrypted_zip, reports_an_entry_too_large_to_be_unpacked_whole) {
  std::string noise;  // enough packed data for the size to be plausible
  for (std::uint32_t i = 0, random = 1; i < 1'200'000; ++i) {
    random = random * 1664525 + 1013904223;
    noise += static_cast<char>(random >> 24);
  }
  zip_writer zip;
  zip.add({.name = "a",
           .data = noise,
           .method = zip_deflated,
           .password = "sesame",
           .stated_bytes = limits::block_bytes_max + 1});
  const std::string bytes = zip.bytes();
  memory_file_os os(bytes);
  file_system files({.os = &os});
  ASSERT_TRUE(files.mount("a.zip", with_password));
  const result<opened_file> opened = files.open("a"_path);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, errc::limit);
  EXPECT_NE(std::string_view(opened.error().reason).find("split it"), std::string_view::npos)
      << opened.error().reason;
}

TEST(encrypted_zip, damaged_or_truncated_gives_right_files_or_errors) {
  const std::string bytes = secret_zip().bytes();
  check_cut(bytes, "a.zip", 200, right_or_error(secret_contents), with_password);
  // Damage to a name gives another path with the same content; damage to the type turns the link
  // into a file.
  const content_check any_path = [](const std::string&, const std::string& content) {
    if (is_error(content) || content == "stored") return true;
    for (const auto& [path, right] : secret_contents) {
      if (right == content) return true;
    }
    return false;
  };
  check_damaged(bytes, "a.zip", 1, any_path, with_password);
}

TEST(encrypted_zip, on_a_bad_disk_or_without_memory_reports_it) {
  zip_writer zip;
  zip.add({.name = "deflated", .data = text, .method = zip_deflated, .password = "sesame"});
  const content_check right = right_or_error({{"deflated", text}});
  check_bad_disk(zip.bytes(), "a.zip", right, with_password);
  check_no_memory(zip.bytes(), "a.zip", right, with_password);
}

TEST(encrypted_zip, made_by_zip_is_read) {
  if (on_windows) GTEST_SKIP() << needs_programs;
  const temp_folder folder;
  const std::string content(100'000, 'c');
  folder.write("a.txt", content);
  folder.write("b.txt", "b");
  const std::string command =
      "cd '" + folder.path().string() + "' && zip -q -P sesame out.zip a.txt b.txt 2>/dev/null";
  if (std::system("command -v zip >/dev/null") != 0) GTEST_SKIP() << "zip is not installed";
  ASSERT_EQ(std::system(command.c_str()), 0);
  file_system files;
  ASSERT_TRUE(files.mount((folder / "out.zip").c_str(), with_password));
  ASSERT_TRUE(files.freeze());
  EXPECT_EQ(load_all(files), (contents_map{{"a.txt", content}, {"b.txt", "b"}}));
}

}  // namespace
}  // namespace overture::zip_decrypter_test

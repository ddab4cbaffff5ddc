// SPDX-License-Identifier: Zlib
//
// tar archives, made by our own writer; tests/cli compares with those of GNU tar.
#include "archives/archive_checks.hpp"
#include "overture/sync/memory_ledger.hpp"
#include "support/tar_writer.hpp"

namespace overture::tar_test {
namespace {

const std::string long_name = "folder/" + std::string(150, 'n') + "/" + std::string(150, 'm');

std::vector<tar_entry> varied() {
  return {{.name = "./", .type = '5'},
          {.name = "./a.txt", .data = "hello", .mode = 0755, .time = 1'600'000'000},
          {.name = "empty"},
          {.name = "maps/", .type = '5'},
          {.name = "rome.txt", .data = std::string(5000, 'r'), .prefix = "maps/deep"},
          {.name = "maps/old", .data = "old", .type = '\0', .magic = std::string(8, '\0')},
          {.name = "././@LongLink", .data = long_name + std::string(1, '\0'), .type = 'L'},
          {.name = "cut", .data = "long"},
          {.name = "pax", .data = pax_record("path", "pax/" + long_name), .type = 'x'},
          {.name = "cut", .data = "pax"},
          {.name = "maps/hard", .type = '1', .link = "./a.txt"},
          {.name = "maps/soft", .type = '2', .link = "../a.txt"},
          {.name = "linked", .type = '2', .link = "maps/deep"}};
}
const contents_map varied_contents{
    {"a.txt", "hello"},     {"empty", ""},          {"maps/deep/rome.txt", std::string(5000, 'r')},
    {"maps/old", "old"},    {long_name, "long"},    {"pax/" + long_name, "pax"},
    {"maps/hard", "hello"}, {"maps/soft", "hello"}, {"linked/rome.txt", std::string(5000, 'r')}};

TEST(tar, has_its_files_under_any_name) {
  for (const char* name : {"test.tar", "test.bin"}) {
    EXPECT_EQ(load_archive(write_tar(varied()), name), varied_contents);
    EXPECT_EQ(load_archive(write_tar(varied(), false), name), varied_contents) << "without an end";
  }
}

TEST(tar, has_its_files_when_it_is_packed) {
  const std::string tar = write_tar(varied());
  EXPECT_EQ(load_archive(pack_gzip(tar), "test.tar.gz"), varied_contents);
  EXPECT_EQ(load_archive(pack_gzip(tar), "test.bin"), varied_contents);
  EXPECT_EQ(load_archive(pack_xz(tar), "test.txz"), varied_contents);
  EXPECT_EQ(load_archive(pack_xz(tar.substr(0, 3000)) + pack_xz(tar.substr(3000)), "test.txz"),
            varied_contents)
      << "in two streams";
  EXPECT_EQ(load_archive(pack_zstd(tar), "test.tar.zst"), varied_contents);
  const std::string bzip2(
      "\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\xb6\xad\x0d\x63\x00\x00\x6d\x7b\x80\xc9\x80\x00\x02"
      "\x40\x01\x77\x80\x00\x08\x62\x44\x9e\x40\x08\x08\x20\x00\x54\x34\x82\x64\x69\x84\xcd\x4d\x34"
      "\xcd\x04\x92\x26\x86\x9a\x34\x0c\x9a\x07\xdd\xc4\x72\x10\x75\x72\x10\x89\x5a\x78\x9a\xca\x38"
      "\x20\x43\x03\x14\x9b\xc4\xf6\x11\xcb\x90\x5d\x4e\x07\x57\x39\x8b\x16\xb7\xc9\x8f\xc5\x34\x89"
      "\xa4\x84\x48\x88\x0d\x8b\xb9\x22\x9c\x28\x48\x5b\x56\x86\xb1\x80",
      108);
  EXPECT_EQ(load_archive(bzip2, "test.tar.bz2"), (contents_map{{"a.txt", "hello"}}));
}

TEST(tar, of_the_seventh_unix_is_known_by_its_name) {
  const std::string tar = write_tar({{.name = "a", .data = "a", .magic = std::string(8, '\0')}});
  EXPECT_EQ(load_archive(tar, "test.tar"), (contents_map{{"a", "a"}}));
  EXPECT_EQ(load_archive(tar, "test.bin"), failed_mount(errc::unsupported));
}

TEST(tar, knows_when_its_files_were_modified_and_which_are_executable) {
  const std::string tar = write_tar(varied());
  memory_file_os os(tar);
  file_system files({.os = &os});
  ASSERT_TRUE(files.mount("test.tar"));
  const result<file_stat> stat = files.stat(asset_path{"a.txt", {hash64("a.txt")}});
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->mtime_ns, 1'600'000'000'000'000'000);
  EXPECT_TRUE(stat->executable);
}

TEST(tar, skips_what_is_no_file_and_names_that_lead_out) {
  const std::string tar =
      write_tar({{.name = "device", .type = '3'},
                 {.name = "pipe", .type = '6'},
                 {.name = "volume", .type = 'V'},
                 {.name = "pax", .data = pax_record("comment", "x"), .type = 'g'},
                 {.name = "../out", .data = "out"},
                 {.name = "/etc/in", .data = "in"},
                 {.name = "up", .type = '1', .link = "../secret"},
                 {.name = "unknown", .data = "u", .type = 'Z'}});
  EXPECT_EQ(load_archive(tar, "test.tar"), (contents_map{{"etc/in", "in"}, {"unknown", "u"}}));
}

TEST(tar, has_the_last_file_of_a_name) {
  EXPECT_EQ(load_archive(write_tar({{.name = "a", .data = "first"}, {.name = "a", .data = "last"}}),
                         "test.tar"),
            (contents_map{{"a", "last"}}));
}

TEST(tar, that_is_only_named_so_is_none) {
  EXPECT_EQ(load_archive("no archive", "test.tar"), failed_mount(errc::unsupported));
  EXPECT_EQ(load_archive(std::string(2000, '\0'), "test.tar"), failed_mount(errc::unsupported));
  EXPECT_EQ(load_archive(pack_gzip("no archive"), "test.tar.gz"), failed_mount(errc::unsupported));
  EXPECT_EQ(load_archive("BZh is no archive", "test.bz2"), failed_mount(errc::unsupported));
}

TEST(hostile_tar, reports_sparse_files_and_other_volumes) {
  const std::string tar =
      write_tar({{.name = "sparse", .data = "x", .type = 'S'},
                 {.name = "pax", .data = pax_record("GNU.sparse.name", "other"), .type = 'x'},
                 {.name = "cut", .data = "x"},
                 {.name = "rest", .data = "x", .type = 'M'},
                 {.name = "a", .data = "a"}});
  EXPECT_EQ(load_archive(tar, "test.tar"), (contents_map{{"sparse", "error: unsupported"},
                                                         {"other", "error: unsupported"},
                                                         {"lost: rest", "error: corrupt"},
                                                         {"a", "a"}}));
}

TEST(hostile_tar, with_a_broken_header_says_that_files_are_missing) {
  const contents_map missing{{"a", "a"}, {"lost: ", "error: corrupt"}};
  EXPECT_EQ(
      load_archive(write_tar({{.name = "a", .data = "a"}, {.name = "b", .wrong_checksum = true}}),
                   "test.tar"),
      missing);
  EXPECT_EQ(load_archive(write_tar({{.name = "a", .data = "a"}, {.name = "b", .stated_size = "x"}}),
                         "test.tar"),
            missing);
  const tar_entry huge{.name = "x", .type = 'L', .stated_size = "77777777777"};
  EXPECT_EQ(load_archive(write_tar({{.name = "a", .data = "a"}, huge}), "test.tar"), missing);
  const tar_entry pax{.name = "x", .data = "99 path=b\n", .type = 'x'};
  EXPECT_EQ(load_archive(write_tar({{.name = "a", .data = "a"}, pax, {.name = "b"}}), "test.tar"),
            (contents_map{{"a", "a"}, {"lost: b", "error: corrupt"}}));
}

TEST(hostile_tar, reports_a_file_outside_the_archive_and_loads_the_others) {
  std::string tar =
      write_tar({{.name = "a", .data = "a"}, {.name = "b", .data = std::string(900, 'b')}});
  tar.resize(512 * 3 + 100);
  const contents_map right{{"a", "a"}, {"b", "error: corrupt"}};
  EXPECT_EQ(load_archive(tar, "test.tar"), right);
  EXPECT_EQ(load_archive(pack_zstd(tar), "test.tar"), right);
  const std::string far(std::string("\x80\0\0\0\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 12));
  EXPECT_EQ(load_archive(write_tar({{.name = "a", .stated_size = far}}), "test.tar"),
            (contents_map{{"a", "error: corrupt"}}));
}

TEST(hostile_tar, that_unpacks_to_too_much_is_refused_with_what_to_do) {
  const auto reason_of = [](const std::string& bytes, std::uint64_t budget, bool allow_bombs) {
    memory_file_os os(bytes);
    memory_ledger ledger(budget);
    file_system files({.os = &os, .ledger = &ledger});
    const result<mount_id> mounted = files.mount("test.tar.zst", {.allow_bombs = allow_bombs});
    return mounted ? std::string("ok") : std::string(mounted.error().reason);
  };
  constexpr std::uint64_t mib = 1u << 20;
  const std::string large =
      pack_zstd(write_tar({{.name = "a", .data = std::string(70 * mib, 'a')}}));
  EXPECT_NE(reason_of(large, 256 * mib, false).find("as a decompression bomb does"),
            std::string::npos);
  EXPECT_EQ(reason_of(large, 256 * mib, true), "ok");
  EXPECT_EQ(
      reason_of(large, 64 * mib, true),
      "the packed archive unpacks to more than the memory budget; unpack it first, or allow more");
}

TEST(hostile_tar, with_a_damaged_packed_part_gives_no_wrong_bytes) {
  const std::string tar = write_tar(varied());
  std::string gzip = pack_gzip(tar);
  gzip[gzip.find("hello")] = 'j';
  const contents_map contents = load_archive(gzip, "test.tar.gz");
  EXPECT_EQ(contents.at("a.txt"), "error: corrupt");
  check_damaged(pack_xz(tar), "test.tar.xz", 7, right_or_error(varied_contents));
  check_cut(pack_zstd(tar), "test.tar.zst", 40, right_or_error(varied_contents));
}

bool any_content(const std::string&, const std::string&) {
  return true;
}

TEST(hostile_tar, truncated_or_damaged_anywhere_does_no_harm) {
  const std::string tar = write_tar(varied());
  check_cut(tar, "test.tar", 60, right_or_error(varied_contents));
  check_damaged(tar, "test.tar", 13, any_content);
  check_damaged(pack_gzip(tar), "test.tgz", 31, any_content);
}

TEST(hostile_tar, on_a_bad_disk_or_without_memory_reports_it) {
  const std::string tar = write_tar(varied());
  check_bad_disk(tar, "test.tar", right_or_error(varied_contents));
  check_no_memory(tar, "test.tar", right_or_error(varied_contents));
  for (const std::string& packed : {pack_gzip(tar), pack_xz(tar), pack_zstd(tar)}) {
    check_bad_disk(packed, "test.tgz", right_or_error(varied_contents));
    check_no_memory(packed, "test.tgz", right_or_error(varied_contents));
  }
}

}  // namespace
}  // namespace overture::tar_test

// SPDX-License-Identifier: Zlib
//
// tar archives, made by our own writer; tests/cli compares with those of GNU tar.
#include "archives/archive_checks.hpp"
#include "overture/sync/memory_ledger.hpp"
#include "support/tar_writer.hpp"

namespace overture::tar_test {
namespace {

using namespace std::string_literals;

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
  EXPECT_EQ(load_archive(pack_zstd(tar), "test.tar.zst"), varied_contents);
  EXPECT_EQ(load_archive(pack_bzip2(tar), "test.tar.bz2"), varied_contents);
}

struct tar_packer {
  const char* name;
  std::string (*pack)(const std::string& data);
};
constexpr tar_packer packers[] = {
    {"gzip", pack_gzip}, {"xz", pack_xz}, {"zstd", pack_zstd}, {"BZip2", pack_bzip2}};

std::string packed_in_parts(const tar_packer& with, const std::string& tar, std::size_t each) {
  std::string packed;
  for (std::size_t at = 0; at < tar.size(); at += each) packed += with.pack(tar.substr(at, each));
  return packed;
}

TEST(tar, has_its_files_when_it_is_packed_in_parts) {
  const std::string tar = write_tar(varied());
  for (const tar_packer& each : packers) {
    for (const std::size_t size : {std::size_t{3000}, std::size_t{512}, std::size_t{7}}) {
      EXPECT_EQ(load_archive(packed_in_parts(each, tar, size), "test.bin"), varied_contents)
          << each.name << " in parts of " << size;
    }
    const std::string empty = each.pack("");
    EXPECT_EQ(load_archive(empty + each.pack(tar) + empty + empty, "test.bin"), varied_contents)
        << each.name;
  }
}

// As tar archives that follow each other: the second one lies behind the end of the first.
TEST(tar, packed_in_parts_ends_with_the_first_archive) {
  const std::string first = write_tar({{.name = "a", .data = "a"}});
  const std::string second = write_tar({{.name = "b", .data = "b"}});
  for (const tar_packer& each : packers) {
    EXPECT_EQ(load_archive(each.pack(first) + each.pack(second), "test.bin"),
              (contents_map{{"a", "a"}}))
        << each.name;
  }
}

// pzstd writes one in front of each other frame, with its size.
TEST(tar, packed_by_zstd_may_have_frames_to_be_skipped) {
  const std::string tar = write_tar(varied());
  const std::string skipped("\x50\x2A\x4D\x18\4\0\0\0size", 12);
  EXPECT_EQ(load_archive(skipped + pack_zstd(tar.substr(0, 900)) + skipped +
                             pack_zstd(tar.substr(900)) + skipped,
                         "test.bin"),
            varied_contents);
}

struct mounted_tar {
  contents_map contents;
  std::vector<std::string> skipped;
  friend bool operator==(const mounted_tar&, const mounted_tar&) = default;
};

mounted_tar mount_tar(const std::string& bytes) {
  memory_file_os os(bytes);
  file_system files({.os = &os});
  EXPECT_TRUE(files.mount("test.bin"));
  mounted_tar seen;
  for (std::size_t i = 0; i < files.skipped_count(); ++i) {
    seen.skipped.push_back(std::string(files.skipped(i).name) + ": " + files.skipped(i).reason);
  }
  EXPECT_TRUE(files.freeze());
  seen.contents = load_all(files);
  return seen;
}

TEST(tar, that_is_packed_tells_what_follows_it) {
  const std::string tar = write_tar({{.name = "a", .data = "a"}});
  const contents_map files{{"a", "a"}};
  for (const tar_packer& each : packers) {
    const std::string packed = each.pack(tar);
    for (const std::string& end :
         {std::string(), std::string(1, '\0'), std::string(70'000, '\0')}) {
      EXPECT_EQ(mount_tar(packed + end), (mounted_tar{files, {}})) << each.name << end.size();
      for (const std::string& rest : {"x"s, "BZhello"s, "\x1F\x8B"s, std::string(70'000, 'x')}) {
        EXPECT_EQ(mount_tar(packed + end + rest),
                  (mounted_tar{files, {"data after the end: not part of the compressed archive"}}))
            << each.name << end.size();
      }
    }
  }
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

TEST(hostile_tar, gives_what_lies_in_front_of_a_damaged_member) {
  const std::string tar = write_tar(
      {{.name = "a", .data = std::string(600, 'a')}, {.name = "b", .data = std::string(600, 'b')}});
  std::string second = pack_gzip(tar.substr(2000));
  second[second.size() - 8] ^= 1;  // its checksum
  const contents_map right{{"a", std::string(600, 'a')}, {"b", "error: corrupt"}};
  EXPECT_EQ(load_archive(pack_gzip(tar.substr(0, 2000)) + second, "test.bin"), right);
  EXPECT_EQ(load_archive(pack_gzip(tar.substr(0, 2000)) + second + pack_gzip(""), "test.bin"),
            right)
      << "in the middle";
}

TEST(hostile_tar, that_ends_within_a_later_part_is_truncated) {
  const std::string tar = write_tar(varied());
  for (const tar_packer& each : packers) {
    const std::string packed = packed_in_parts(each, tar, 4000);
    const std::string last = each.pack(tar.substr(tar.size() / 4000 * 4000));
    for (std::size_t left = 6; left < last.size(); ++left) {
      const std::string cut = packed.substr(0, packed.size() - last.size() + left);
      EXPECT_EQ(load_archive(cut, "test.tgz"), failed_mount(errc::corrupt))
          << each.name << " with " << left << " of " << last.size();
    }
  }
}

TEST(hostile_tar, with_a_damaged_packed_part_gives_no_wrong_bytes) {
  const std::string tar = write_tar(varied());
  std::string gzip = pack_gzip(tar);
  gzip[gzip.find("hello")] = 'j';
  const contents_map contents = load_archive(gzip, "test.tar.gz");
  EXPECT_EQ(contents.at("a.txt"), "error: corrupt");
  check_damaged(pack_xz(tar), "test.tar.xz", 7, right_or_error(varied_contents));
  for (const tar_packer& each : packers) {
    const std::string packed = packed_in_parts(each, tar, 5000);
    check_cut(packed, "test.tgz", 40, right_or_error(varied_contents));
  }
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
  for (const tar_packer& each : packers) {
    const std::string packed = packed_in_parts(each, tar, 5000);
    check_bad_disk(packed, "test.tgz", right_or_error(varied_contents));
    check_no_memory(packed, "test.tgz", right_or_error(varied_contents));
  }
}

}  // namespace
}  // namespace overture::tar_test

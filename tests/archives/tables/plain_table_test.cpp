// SPDX-License-Identifier: Zlib
//
// The same tests for all formats that build on plain_table.
#include "archives/archive_checks.hpp"
#include "archives/physfs_peer.hpp"
#include "support/table_writer.hpp"

namespace overture::plain_table_test {
namespace {

const std::vector<table_file> three_files{
    {.name = "A.TXT", .data = "the first"},
    {.name = "EMPTY.X", .data = ""},
    {.name = "B.TXT", .data = "the second, and longer"},
};
const contents_map three_contents{
    {"A.TXT", "the first"}, {"EMPTY.X", ""}, {"B.TXT", "the second, and longer"}};

// There are no checksums, so a damaged file may have any content, but not more than the archive.
bool anything(const std::string&, const std::string&) {
  return true;
}

class plain_table : public ::testing::TestWithParam<table_kind> {
 protected:
  [[nodiscard]] std::string write(const std::vector<table_file>& files,
                                  std::optional<std::uint32_t> count = {},
                                  bool second = false) const {
    return write_table(GetParam().format, files, count, second);
  }
  [[nodiscard]] contents_map load(const std::string& bytes) const {
    return load_archive(bytes, name.c_str());
  }

  const std::string name = std::string("test.") + GetParam().extension;
};

INSTANTIATE_TEST_SUITE_P(formats, plain_table, ::testing::ValuesIn(table_kinds()),
                         [](const auto& one) { return std::string(one.param.name); });

TEST_P(plain_table, has_its_files) {
  EXPECT_EQ(load(write(three_files)), three_contents);
  EXPECT_EQ(load(write(three_files, {}, true)), three_contents) << "the format's second version";
}

TEST_P(plain_table, is_recognised_by_its_content) {
  const std::string bytes = write(three_files);
  for (const char* other : {"test", "test.zip", "test.dat", "test.PAK", "TEST.Lfd", ".pak", ""}) {
    memory_file_os os(bytes);
    file_system files({.os = &os});
    const result<mount_id> mount = files.mount(other);
    ASSERT_TRUE(mount) << other << ": " << mount.error().reason;
    EXPECT_EQ(files.mount_of(*mount).format, GetParam().format) << other;
    EXPECT_STREQ(to_string(files.mount_of(*mount).format), GetParam().name);
  }
}

TEST_P(plain_table, is_not_taken_for_a_zip_if_its_last_file_is_one) {
  const std::string nothing_zipped("PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22);
  const contents_map contents = load(write({{.name = "IN.ZIP", .data = nothing_zipped}}));
  EXPECT_EQ(contents, (contents_map{{"IN.ZIP", nothing_zipped}}));
}

TEST_P(plain_table, has_no_path_that_leads_outside_the_mount) {
  for (const char* bad : {"..", "../B", "A/..", ".", "C:/B"}) {
    if (std::string_view(bad).size() > GetParam().name_bytes) continue;
    const std::string bytes = write({{.name = "A.TXT", .data = "a"}, {.name = bad, .data = "bad"}});
    memory_file_os os(bytes);
    file_system files({.os = &os});
    const result<mount_id> mount = files.mount(name.c_str());
    ASSERT_TRUE(mount) << bad << ": " << mount.error().reason;
    ASSERT_TRUE(files.freeze());
    for (const auto& [path, content] : load_all(files)) {
      EXPECT_EQ(path_flaw(path), nullptr) << path;
      EXPECT_TRUE(content == "a" || GetParam().format == mount_format::lfd) << bad;
    }
  }
}

TEST_P(plain_table, has_the_last_of_several_files_with_one_name) {
  const contents_map contents = load(write({{.name = "A.TXT", .data = "first"},
                                            {.name = "B.TXT", .data = "b"},
                                            {.name = "A.TXT", .data = "second"}}));
  EXPECT_EQ(contents, (contents_map{{"A.TXT", "second"}, {"B.TXT", "b"}}));
}

TEST_P(plain_table, reports_the_file_outside_the_archive_and_loads_the_others) {
  for (const std::uint32_t bytes : {1000u, 0x7FFFFFFFu, UINT32_MAX}) {
    const contents_map contents =
        load(write({{.name = "A.TXT", .data = "a"},
                    {.name = "LIAR.X", .data = "liar", .stated_bytes = bytes}}));
    EXPECT_EQ(contents, (contents_map{{"A.TXT", "a"}, {"LIAR.X", "error: corrupt"}})) << bytes;
  }
  if (!GetParam().has_offsets) return;
  for (const std::uint32_t offset : {10'000u, 0x7FFFFFFFu, UINT32_MAX}) {
    const contents_map contents =
        load(write({{.name = "LIAR.X", .data = "liar", .stated_offset = offset},
                    {.name = "A.TXT", .data = "a"}}));
    EXPECT_EQ(contents, (contents_map{{"A.TXT", "a"}, {"LIAR.X", "error: corrupt"}})) << offset;
  }
}

TEST_P(plain_table, allows_two_files_to_share_bytes) {
  if (!GetParam().has_offsets) return;  // the format has no offsets
  const std::size_t data = write(three_files).find("the second");
  const contents_map contents = load(write({{.name = "A.TXT", .data = "the first"},
                                            {.name = "EMPTY.X",
                                             .data = "",
                                             .stated_bytes = 3,
                                             .stated_offset = static_cast<std::uint32_t>(data)},
                                            {.name = "B.TXT", .data = "the second, and longer"}}));
  EXPECT_EQ(contents.at("EMPTY.X"), "the");
  EXPECT_EQ(contents.at("B.TXT"), "the second, and longer");
}

TEST_P(plain_table, refuses_a_false_count_without_allocating_memory_for_it) {
  if (!GetParam().has_count) return;  // the format has no count
  const bool unmarked =
      GetParam().format == mount_format::slb || GetParam().format == mount_format::pod;
  for (const std::uint32_t count : {1000u, 0x03FFFFFFu, UINT32_MAX}) {
    const std::string bytes = write(three_files, count);
    EXPECT_EQ(load(bytes), failed_mount(unmarked ? errc::unsupported : errc::corrupt)) << count;
    EXPECT_LT(mounting_takes(bytes, name.c_str()), 200'000u);
  }
}

TEST_P(plain_table, uses_memory_in_proportion_to_its_entries) {
  std::vector<table_file> many;
  for (int i = 0; i < 2000; ++i) many.push_back({.name = std::to_string(i), .data = "x"});
  const std::string bytes = write(many);
  EXPECT_EQ(load(bytes).size(), 2000u);
  EXPECT_LT(mounting_takes(bytes, name.c_str()), 2000 * 512 + bytes.size() + 100'000);
}

TEST_P(plain_table, truncated_gives_files_or_errors) {
  for (const bool second : {false, true}) {
    const std::string whole = write(three_files, {}, second);
    check_cut(whole, name.c_str(), whole.size(), right_or_error(three_contents));
  }
}

// But for a chain that is cut exactly between two files.
TEST_P(plain_table, truncated_never_looks_whole) {
  for (const bool second : {false, true}) {
    const std::string whole = write(three_files, {}, second);
    std::size_t looking_whole = 0;
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const contents_map found = load(whole.substr(0, size));
      const bool damage = std::any_of(found.begin(), found.end(),
                                      [](const auto& file) { return is_error(file.second); });
      if (!damage) ++looking_whole;
    }
    EXPECT_LE(looking_whole, three_files.size());
  }
}

TEST_P(plain_table, truncated_at_every_fiftieth_of_a_large_archive_gives_files_or_errors) {
  std::vector<table_file> many;
  contents_map right;
  for (int i = 0; i < 100; ++i) {
    many.push_back({.name = std::to_string(i) + ".X", .data = std::string(300, 'x')});
    right[many.back().name] = many.back().data;
  }
  const std::string whole = write(many);
  ASSERT_EQ(load(whole), right);
  check_cut(whole, name.c_str(), 50, right_or_error(right));
}

TEST_P(plain_table, damaged_anywhere_does_no_harm) {
  for (const bool second : {false, true}) {
    check_damaged(write(three_files, {}, second), name.c_str(), 1, anything);
  }
}

TEST_P(plain_table, reports_a_bad_disk) {
  check_bad_disk(write(three_files), name.c_str(), right_or_error(three_contents));
}

TEST_P(plain_table, reports_lack_of_memory) {
  check_no_memory(write(three_files), name.c_str(), right_or_error(three_contents));
}

TEST_P(plain_table, has_what_physfs_finds_in_it) {
  if (!has_physfs) GTEST_SKIP() << "there is no PhysicsFS for this system";
  if (!GetParam().known_to_physfs) return;  // PhysicsFS 3.0 does not support the format
  std::vector<table_file> many = three_files;
  for (std::size_t i = 0; i < 50; ++i) {
    many.push_back({.name = std::to_string(i * 977), .data = std::string(i * i, 'x')});
  }
  many.push_back({.name = "A.TXT", .data = "once more"});
  const std::string bytes = write(many);
  const contents_map contents = load(bytes);
  EXPECT_EQ(contents.size(), 53u);
  EXPECT_EQ(contents, load_with_physfs(bytes, name));
}

// --- Single formats ------------------------------------------------------------------------------

TEST(plain_tables, with_folders_have_them_in_the_tree) {
  const std::vector<table_file> nested{{.name = "DIR/SUB/A.TXT", .data = "a"}};
  for (const mount_format format : {mount_format::pak, mount_format::vdf, mount_format::slb,
                                    mount_format::pod, mount_format::lab}) {
    EXPECT_EQ(load_archive(write_table(format, nested), "test"),
              (contents_map{{"DIR/SUB/A.TXT", "a"}}))
        << to_string(format);
  }
  EXPECT_EQ(load_archive(write_table(mount_format::gob, nested, {}, true), "test"),
            (contents_map{{"DIR/SUB/A.TXT", "a"}}));
}

TEST(plain_tables, wad_replaces_a_backslash_with_a_caret) {
  EXPECT_EQ(load_archive(write_table(mount_format::wad, {{.name = "VILE\\1", .data = "v"}}), "w"),
            (contents_map{{"VILE^1", "v"}}));
}

TEST(plain_tables, lfd_without_a_map_needs_its_extension) {
  const std::string bytes = write_table(mount_format::lfd, three_files, {}, true);
  EXPECT_EQ(load_archive(bytes, "a.LFD"), three_contents);
  EXPECT_EQ(load_archive(bytes, "a.dat"), failed_mount(errc::unsupported));
}

TEST(plain_tables, of_an_unknown_version_are_unsupported) {
  const auto changed = [](mount_format format, std::size_t at, bool second) {
    std::string bytes = write_table(format, three_files, {}, second);
    bytes[at] = 0x77;
    return load_archive(bytes, "test");
  };
  EXPECT_EQ(changed(mount_format::vdf, 256 + 16 + 20, false), failed_mount(errc::unsupported));
  EXPECT_EQ(changed(mount_format::lab, 4, false), failed_mount(errc::unsupported));
  EXPECT_EQ(changed(mount_format::gob, 4, true), failed_mount(errc::unsupported));
}

}  // namespace
}  // namespace overture::plain_table_test

// SPDX-License-Identifier: Zlib
//
// ROFS archives (Resident Evil 3). PhysicsFS 3.0 does not support them, so the description of the
// format is all there is to compare with.
#include "archives/archive_checks.hpp"
#include "archives/tables/rofs_block.hpp"
#include "support/rofs_writer.hpp"

namespace overture::rofs_test {
namespace {

const std::string long_text = [] {
  std::string text;
  for (int i = 0; text.size() < 100'000; ++i) text += "line " + std::to_string(i * i) + "\n";
  return text;
}();

const std::vector<rofs_file> four_files{{.name = "A.TXT", .data = "hello"},
                                        {.name = "LONG.TXT", .data = long_text},
                                        {.name = "PLAIN.TXT", .data = long_text, .packed = false},
                                        {.name = "EMPTY"}};
const contents_map four_contents{{"DATA/PSX/A.TXT", "hello"},
                                 {"DATA/PSX/LONG.TXT", long_text},
                                 {"DATA/PSX/PLAIN.TXT", long_text},
                                 {"DATA/PSX/EMPTY", ""}};

bool anything(const std::string&, const std::string&) {
  return true;
}

TEST(rofs, has_its_files) {
  EXPECT_EQ(load_archive(write_rofs(four_files), "rofs1.dat"), four_contents);
  EXPECT_EQ(load_archive(write_rofs(four_files), "other"), four_contents);
  EXPECT_EQ(load_archive(write_rofs({}), "rofs1.dat"), contents_map{});
}

TEST(rofs, of_the_test_writer_is_really_packed) {
  EXPECT_LT(write_rofs({four_files[1]}).size(), long_text.size() * 3 / 4);
}

TEST(rofs, has_files_of_whole_blocks) {
  for (const std::size_t bytes :
       {archives_detail::rofs_block_bytes - 1, archives_detail::rofs_block_bytes,
        archives_detail::rofs_block_bytes + 1, 2 * archives_detail::rofs_block_bytes}) {
    const std::string data = long_text.substr(0, bytes);
    EXPECT_EQ(load_archive(write_rofs({{.name = "A", .data = data}}), "a.dat"),
              (contents_map{{"DATA/PSX/A", data}}));
  }
}

// Computed by hand from the description: two steps of the generator give the mask and the span.
TEST(rofs, is_scrambled_as_described) {
  std::uint32_t key = 1;
  key = key * 0x5D588B65 + 0x8000000B;
  const auto mask = static_cast<std::uint8_t>(key >> 24);
  std::byte bytes[3] = {};
  archives_detail::scramble_rofs(1, bytes);
  EXPECT_EQ(bytes[0], std::byte{mask});
  EXPECT_EQ(bytes[2], std::byte{mask});
}

TEST(rofs, copies_from_the_window_before_anything_was_written) {
  // Copy 3 bytes from position 0x410, where the window has 0x41: bit 1, 12 bits of position, 4 of
  // length.
  std::byte packed[] = {std::byte{0b1010'0000}, std::byte{0b1000'0000}, std::byte{0b1000'0000}};
  archives_detail::rofs_block block;
  block.packed = true;
  block.key = 5;
  archives_detail::scramble_rofs(5, packed);
  std::byte made[3];
  ASSERT_TRUE(archives_detail::unpack_rofs_block(block, packed, made));
  EXPECT_EQ(to_text(made), "AAA");
}

TEST(hostile_rofs, that_lies_about_a_file_fails_for_that_file_only) {
  const auto load_liar = [](rofs_file liar) {
    liar.name = "LIAR";
    liar.data = "a short one";
    const contents_map contents =
        load_archive(write_rofs({{.name = "A", .data = "a"}, liar}), "a.dat");
    EXPECT_EQ(contents.at("DATA/PSX/A"), "a");
    return contents.at("DATA/PSX/LIAR");
  };
  EXPECT_EQ(load_liar({.stated_bytes = 12}), "error: corrupt");
  EXPECT_EQ(load_liar({.stated_bytes = 1000}), "error: corrupt") << "more than so few bytes make";
  EXPECT_EQ(load_liar({.stated_bytes = UINT32_MAX}), "error: corrupt");
  EXPECT_EQ(load_liar({.stated_offset = UINT32_MAX}), "error: corrupt");
  EXPECT_EQ(load_liar({.stated_offset = 1000}), "error: corrupt");
  EXPECT_EQ(load_liar({.stated_blocks = UINT16_MAX}), "error: corrupt");
  EXPECT_EQ(load_liar({.stated_blocks = 0}), "error: corrupt");
}

TEST(hostile_rofs, that_lies_about_its_count_allocates_no_memory_for_it) {
  for (const std::uint32_t count : {1000u, UINT32_MAX}) {
    const std::string bytes = write_rofs({{.name = "A", .data = "a"}}, count);
    (void)load_archive(bytes, "a.dat");
    EXPECT_LT(mounting_takes(bytes, "a.dat"), 200'000u);
  }
}

TEST(hostile_rofs, truncated_or_damaged_does_no_harm) {
  const std::string whole = write_rofs(four_files);
  check_cut(whole, "a.dat", 50, right_or_error(four_contents));
  const std::string small = write_rofs({{.name = "A", .data = "hello hello hello hello"},
                                        {.name = "B", .data = "plain", .packed = false}});
  check_cut(small, "a.dat", small.size(), anything);
  check_damaged(small, "a.dat", 1, anything);
}

TEST(hostile_rofs, has_no_path_that_leads_outside_the_mount) {
  const contents_map contents = load_archive(
      write_rofs({{.name = "../../UP", .data = "x"}, {.name = "OK", .data = "ok"}}), "a.dat");
  EXPECT_EQ(contents, (contents_map{{"DATA/PSX/OK", "ok"}}));
}

TEST(hostile_rofs, on_a_bad_disk_or_without_memory_reports_it) {
  const std::string bytes = write_rofs({{.name = "A", .data = "hello"}});
  const content_check right = right_or_error({{"DATA/PSX/A", "hello"}});
  check_bad_disk(bytes, "a.dat", right);
  check_no_memory(bytes, "a.dat", right);
}

}  // namespace
}  // namespace overture::rofs_test

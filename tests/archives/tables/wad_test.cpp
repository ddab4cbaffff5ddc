// SPDX-License-Identifier: Zlib
//
// The maps of a WAD. plain_table_test.cpp tests what all tables share.
#include <deque>

#include "archives/archive_checks.hpp"
#include "support/table_writer.hpp"

namespace overture::wad_test {
namespace {

contents_map load_wad(const std::vector<table_file>& lumps, const mount_options& options = {}) {
  return load_archive(write_table(mount_format::wad, lumps), "test.wad", options);
}

const std::vector<table_file> two_maps{{.name = "PLAYPAL", .data = "colours"},
                                       {.name = "MAP01"},
                                       {.name = "THINGS", .data = "things 1"},
                                       {.name = "LINEDEFS", .data = "lines 1"},
                                       {.name = "MAP02"},
                                       {.name = "THINGS", .data = "things 2"},
                                       {.name = "BLOCKMAP", .data = "blocks"},
                                       {.name = "DEMO1", .data = "demo"}};

TEST(wad, has_the_lumps_of_each_map_and_the_last_under_its_plain_name) {
  EXPECT_EQ(load_wad(two_maps), (contents_map{{"PLAYPAL", "colours"},
                                              {"MAP01", ""},
                                              {"maps/MAP01/THINGS", "things 1"},
                                              {"maps/MAP01/LINEDEFS", "lines 1"},
                                              {"LINEDEFS", "lines 1"},
                                              {"MAP02", ""},
                                              {"maps/MAP02/THINGS", "things 2"},
                                              {"maps/MAP02/BLOCKMAP", "blocks"},
                                              {"THINGS", "things 2"},
                                              {"BLOCKMAP", "blocks"},
                                              {"DEMO1", "demo"}}));
}

TEST(wad, ends_a_map_at_the_first_lump_that_is_of_no_map) {
  const contents_map contents =
      load_wad({{.name = "E1M1"}, {.name = "THINGS"}, {.name = "FLAT"}, {.name = "NODES"}});
  EXPECT_EQ(
      contents,
      (contents_map{
          {"E1M1", ""}, {"maps/E1M1/THINGS", ""}, {"THINGS", ""}, {"FLAT", ""}, {"NODES", ""}}));
}

TEST(wad, has_all_of_a_text_map_up_to_its_end) {
  const contents_map contents = load_wad({{.name = "TOWN"},
                                          {.name = "TEXTMAP", .data = "t"},
                                          {.name = "MINE", .data = "m"},
                                          {.name = "ENDMAP"},
                                          {.name = "NODES", .data = "n"}});
  EXPECT_EQ(contents, (contents_map{{"TOWN", ""},
                                    {"maps/TOWN/TEXTMAP", "t"},
                                    {"TEXTMAP", "t"},
                                    {"maps/TOWN/MINE", "m"},
                                    {"MINE", "m"},
                                    {"maps/TOWN/ENDMAP", ""},
                                    {"ENDMAP", ""},
                                    {"NODES", "n"}}));
}

TEST(wad, has_no_map_without_a_name) {
  EXPECT_EQ(load_wad({{.name = "THINGS", .data = "t"}, {.name = "NODES", .data = "n"}}),
            (contents_map{{"THINGS", "t"}, {"NODES", "n"}}));
}

TEST(wad, replaces_backslashes_in_maps_too) {
  EXPECT_EQ(load_wad({{.name = "A\\B"}, {.name = "TEXTMAP", .data = "t"}, {.name = "C\\D"}}),
            (contents_map{{"A^B", ""},
                          {"maps/A^B/TEXTMAP", "t"},
                          {"TEXTMAP", "t"},
                          {"maps/A^B/C^D", ""},
                          {"C^D", ""}}));
}

std::vector<std::string> skipped_of(const std::vector<table_file>& lumps) {
  const std::string bytes = write_table(mount_format::wad, lumps);
  memory_file_os os(bytes);
  file_system files({.os = &os});
  EXPECT_TRUE(files.mount("test.wad"));
  std::vector<std::string> names;
  for (std::size_t i = 0; i < files.skipped_count(); ++i) {
    names.emplace_back(files.skipped(i).name);
  }
  return names;
}

TEST(wad, skips_only_what_no_path_reaches) {
  EXPECT_EQ(skipped_of(two_maps), std::vector<std::string>{});
  std::vector<table_file> lumps = two_maps;
  lumps.push_back({.name = "DEMO1", .data = "another"});
  lumps.push_back({.name = "MAP01"});
  lumps.push_back({.name = "THINGS", .data = "things 1, again"});
  EXPECT_EQ(skipped_of(lumps), (std::vector<std::string>{"DEMO1", "MAP01", "maps/MAP01/THINGS"}));
}

// --- Files with two paths ------------------------------------------------------------------------

struct wad_at {
  std::vector<table_file> lumps;
  const char* at = "g";
};

struct mounted_wads {
  std::deque<std::string> texts;
  std::deque<memory_file_os> systems;
  file_system files;

  explicit mounted_wads(const std::vector<wad_at>& wads) {
    for (const wad_at& wad : wads) {
      texts.push_back(write_table(mount_format::wad, wad.lumps));
      systems.emplace_back(texts.back());
      EXPECT_TRUE(files.mount("test.wad", {.at = wad.at, .os = &systems.back()}));
    }
    EXPECT_TRUE(files.freeze());
  }
  std::string same(const char* path) {
    const std::string_view text(path);
    const result<entry_index> found = files.find({text, {hash64(text)}});
    if (!found) return "not found";
    return std::string(files.entry(files.same_file(*found)).path);
  }
};

TEST(wad, tells_that_two_paths_are_one_file) {
  mounted_wads wads({{two_maps}});
  EXPECT_EQ(wads.same("g/THINGS"), "g/maps/MAP02/THINGS");
  EXPECT_EQ(wads.same("g/LINEDEFS"), "g/maps/MAP01/LINEDEFS");
  EXPECT_EQ(wads.same("g/maps/MAP02/THINGS"), "g/maps/MAP02/THINGS");
  EXPECT_EQ(wads.same("g/maps/MAP01/THINGS"), "g/maps/MAP01/THINGS");
  EXPECT_EQ(wads.same("g/DEMO1"), "g/DEMO1");
}

TEST(wad, has_one_path_for_a_lump_whose_other_belongs_to_another_mount) {
  const std::vector<table_file> things{{.name = "THINGS", .data = "a mod's"}};
  mounted_wads plain({{two_maps}, {things}});
  EXPECT_EQ(plain.same("g/THINGS"), "g/THINGS");
  EXPECT_EQ(plain.same("g/maps/MAP02/THINGS"), "g/maps/MAP02/THINGS");
  mounted_wads map({{two_maps}, {things, "g/maps/MAP02"}});
  EXPECT_EQ(map.same("g/THINGS"), "g/THINGS");
  EXPECT_EQ(map.same("g/maps/MAP02/THINGS"), "g/maps/MAP02/THINGS");
}

}  // namespace
}  // namespace overture::wad_test

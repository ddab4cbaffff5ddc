// SPDX-License-Identifier: Zlib
//
// ISO 9660 images, made by our own writer and by genisoimage.
#include <cstdlib>

#include "archives/archive_checks.hpp"
#include "archives/physfs_peer.hpp"
#include "support/iso_writer.hpp"
#include "support/platform.hpp"

namespace overture::iso_test {
namespace {

const std::string text(5000, 't');

iso_tree varied() {
  iso_tree root;
  root.files = {
      {.name = "A.TXT;1", .data = "hello"}, {.name = "EMPTY;1"}, {.name = "B.;1", .data = text}};
  root.folders = {{.name = "MAPS",
                   .files = {{.name = "ROME.TXT;1", .data = "rome"}},
                   .folders = {{.name = "DEEP", .files = {{.name = "D.D;1", .data = "deep"}}}}},
                  {.name = "NONE"}};
  return root;
}
const contents_map varied_contents{{"A.TXT", "hello"},
                                   {"EMPTY", ""},
                                   {"B", text},
                                   {"MAPS/ROME.TXT", "rome"},
                                   {"MAPS/DEEP/D.D", "deep"}};

bool anything(const std::string&, const std::string&) {
  return true;
}

TEST(iso, has_its_files) {
  for (const bool joliet : {false, true}) {
    EXPECT_EQ(load_archive(write_iso(varied(), joliet), "test.iso"), varied_contents);
    EXPECT_EQ(load_archive(write_iso(varied(), joliet), "test.bin"), varied_contents);
  }
}

TEST(iso, has_what_physfs_finds_in_it) {
  if (!has_physfs) GTEST_SKIP() << "there is no PhysicsFS for this system";
  EXPECT_EQ(load_with_physfs(write_iso(varied()), "test.iso"), varied_contents);
}

TEST(iso, has_all_of_many_files_in_one_folder) {
  iso_tree root;
  for (int i = 0; i < 300; ++i) {
    root.files.push_back({.name = "FILE" + std::to_string(i) + ".X;1", .data = std::to_string(i)});
  }
  const contents_map contents = load_archive(write_iso(root), "test.iso");
  EXPECT_EQ(contents.size(), 300u);
  EXPECT_EQ(contents.at("FILE299.X"), "299");
}

TEST(iso, has_files_in_adjacent_extents) {
  iso_tree root;
  root.files = {{.name = "BIG;1", .data = std::string(2048, 'a'), .flags = 0x80},
                {.name = "BIG;1", .data = "b"},
                {.name = "TORN;1", .data = "a", .flags = 0x80},
                {.name = "TORN;1", .data = "b"},
                {.name = "GAPS;1", .data = "a", .gap = 1},
                {.name = "MAC;1", .data = "resources", .flags = 0x04}};
  EXPECT_EQ(
      load_archive(write_iso(root), "test.iso"),
      (contents_map{
          {"BIG", std::string(2048, 'a') + "b"}, {"TORN", "ab"}, {"GAPS", "error: unsupported"}}));
}

TEST(iso, has_files_whose_extents_are_apart_and_in_any_order) {
  iso_tree root;
  root.files = {{.name = "A;1", .data = "first"},
                {.name = "TORN;1", .data = std::string(2048, 'a'), .flags = 0x80},
                {.name = "TORN;1", .data = "", .flags = 0x80},
                {.name = "TORN;1", .data = "b", .flags = 0x80},
                {.name = "TORN;1", .data = "", .stated_sector = 18, .stated_bytes = 5},
                {.name = "OUT;1", .data = "a", .flags = 0x80},
                {.name = "OUT;1", .data = "", .stated_sector = 5000, .stated_bytes = 5},
                {.name = "Z;1", .data = "last"}};
  EXPECT_EQ(load_archive(write_iso(root), "test.iso"),
            (contents_map{{"A", "first"},
                          {"TORN", std::string(2048, 'a') + "bfirst"},
                          {"OUT", "error: corrupt"},
                          {"Z", "last"}}));
}

TEST(hostile_iso, with_a_file_that_lacks_an_extent_says_so) {
  iso_tree root;
  root.files = {{.name = "CUT;1", .data = std::string(2048, 'a'), .flags = 0x80},
                {.name = "D;1", .data = "d"},
                {.name = "LAST;1", .data = "a", .flags = 0x80}};
  root.folders = {{.name = "SUB", .files = {{.name = "S;1", .data = "s"}}}};
  EXPECT_EQ(load_archive(write_iso(root), "test.iso"),
            (contents_map{{"D", "d"},
                          {"SUB/S", "s"},
                          {"lost: CUT", "error: corrupt"},
                          {"lost: LAST", "error: corrupt"}}));
}

// --- Rock Ridge ----------------------------------------------------------------------------------

std::string noise(std::size_t bytes) {
  std::string made;
  for (std::uint32_t state = 1; made.size() < bytes; state = state * 1103515245 + 12345) {
    made += static_cast<char>(state >> 16);
  }
  return made;
}
const std::string packed_text = noise(700'000) + std::string(40'000, '\0') + "end";

// Files are at sectors 18, 19 ... in the order in which they are listed here.
iso_tree posix_tree() {
  iso_tree root;
  root.self_use = rock_ridge_begin();
  root.files = {
      {.name = "A_LONG.TXT;1", .data = "long", .use = rock_ridge_name("a long Name.txt")},
      {.name = "SHORT.;1", .data = "short", .use = rock_ridge_mode(0100444)},
      {.name = "LINK.;1", .use = rock_ridge_name("link") + rock_ridge_link("maps/rome.txt")},
      {.name = "ALL.;1", .use = rock_ridge_name("all") + rock_ridge_link("./maps/../maps")},
      {.name = "PACKED.;1",
       .data = write_zisofs(packed_text),
       .use = rock_ridge_name("packed") +
              rock_ridge_packed(static_cast<std::uint32_t>(packed_text.size()))}};
  root.folders = {
      {.name = "MAPS",
       .files = {{.name = "ROME.TXT;1", .data = "rome", .use = rock_ridge_name("rome.txt")}},
       .use = rock_ridge_name("maps")}};
  return root;
}
const contents_map posix_contents{{"a long Name.txt", "long"}, {"SHORT", "short"},
                                  {"maps/rome.txt", "rome"},   {"link", "rome"},
                                  {"all/rome.txt", "rome"},    {"packed", packed_text}};

TEST(iso, has_the_names_links_and_packed_files_of_rock_ridge) {
  EXPECT_EQ(load_archive(write_iso(posix_tree()), "test.iso"), posix_contents);
}

TEST(iso, prefers_rock_ridge_to_joliet) {
  EXPECT_EQ(load_archive(write_iso(posix_tree(), true), "test.iso"), posix_contents);
  iso_tree plain = posix_tree();
  plain.self_use = "";
  EXPECT_TRUE(load_archive(write_iso(plain, true), "test.iso").contains("A_LONG.TXT"));
}

TEST(iso, joins_a_name_in_parts_and_in_a_continuation) {
  const std::string rest = rock_ridge_name("c") + susp_field("ST", "") + rock_ridge_name("d");
  iso_tree root;
  root.self_use = rock_ridge_begin();
  root.files = {{.name = "AREA.;1", .data = "12345" + rest},
                {.name = "B.;1",
                 .data = "b",
                 .use = rock_ridge_name("a", 1) + rock_ridge_name("b", 1) +
                        rock_ridge_continued(18, 5, static_cast<std::uint32_t>(rest.size()))}};
  EXPECT_EQ(load_archive(write_iso(root), "test.iso"),
            (contents_map{{"AREA", "12345" + rest}, {"abc", "b"}}));
}

TEST(iso, puts_moved_folders_where_they_belong) {
  iso_tree root;
  root.self_use = rock_ridge_begin();
  root.files = {{.name = "A.;1", .data = "a"},
                {.name = "DEEP.;1", .use = rock_ridge_name("deep") + rock_ridge_child(20)}};
  root.folders = {{.name = "RR_MOVED",
                   .folders = {{.name = "DEEP",
                                .files = {{.name = "D.;1", .data = "d"}},
                                .use = susp_field("RE", "")}}}};
  EXPECT_EQ(load_archive(write_iso(root), "test.iso"), (contents_map{{"A", "a"}, {"deep/D", "d"}}));
}

std::vector<std::string> skipped_in(const iso_tree& root) {
  const std::string bytes = write_iso(root);
  memory_file_os os(bytes);
  file_system files({.os = &os});
  EXPECT_TRUE(files.mount("test.iso"));
  std::vector<std::string> names;
  for (std::size_t i = 0; i < files.skipped_count(); ++i) {
    names.push_back(std::string(files.skipped(i).name) + ": " + files.skipped(i).reason);
  }
  return names;
}

TEST(iso, skips_links_that_lead_nowhere_devices_and_names_with_backslashes) {
  iso_tree root;
  root.self_use = rock_ridge_begin();
  root.files = {{.name = "A.;1", .use = rock_ridge_name("gone") + rock_ridge_link("nothing")},
                {.name = "B.;1", .use = rock_ridge_name("out") + rock_ridge_link("/etc/passwd")},
                {.name = "C.;1", .use = rock_ridge_name("up") + rock_ridge_link("../x")},
                {.name = "D.;1", .use = rock_ridge_name("round") + rock_ridge_link("round")},
                {.name = "E.;1", .use = rock_ridge_name("tty") + rock_ridge_mode(0020666)},
                {.name = "F.;1", .data = "f", .use = rock_ridge_name("a\\b")},
                {.name = "G.;1", .data = "g", .use = rock_ridge_continued(90000, 0, 10)},
                {.name = "H.;1", .data = "h"}};
  const std::vector<std::string> skipped = skipped_in(root);
  ASSERT_EQ(skipped.size(), 6u) << ::testing::PrintToString(skipped);
  EXPECT_TRUE(skipped[0].starts_with("a\\b: "));
  EXPECT_EQ(skipped[1], "gone: the link's target is not in the archive");
  EXPECT_EQ(skipped[2], "out: the link leads outside the mount");
  EXPECT_EQ(skipped[3], "round: the link forms a loop or leads through more than 40 others");
  EXPECT_EQ(skipped[4], "tty: not a regular file");
  EXPECT_EQ(skipped[5], "up: the link leads outside the mount");
}

// What follows such a record may begin with a zero, as the end of a sector does. (A longer one has
// the whole next record in its system use area, which may have any content.)
TEST(hostile_iso, with_a_wrong_length_of_a_record_says_that_files_are_missing) {
  iso_tree root;
  root.files = {{.name = "A;1", .data = "a"}, {.name = "B;1", .data = "b"}};
  const std::string whole = write_iso(root);
  const std::string name("\3A;1", 4);
  const std::size_t at = whole.find(name) - 32;  // the length of the record
  for (int length = 1; length < 2 * whole[at]; ++length) {
    std::string bytes = whole;
    if (bytes[at] == static_cast<char>(length)) continue;
    bytes[at] = static_cast<char>(length);
    EXPECT_TRUE(load_archive(bytes, "test.iso").contains("lost: ")) << length;
  }
}

TEST(hostile_iso, with_a_broken_record_says_that_files_are_missing) {
  iso_tree root;
  root.self_use = rock_ridge_begin();
  root.files = {{.name = "G.;1", .data = "g", .use = rock_ridge_continued(90000, 0, 10)},
                {.name = "H.;1", .data = "h"}};
  EXPECT_EQ(load_archive(write_iso(root), "test.iso"),
            (contents_map{{"H", "h"}, {"lost: ", "error: corrupt"}}));
}

contents_map load_packed(const std::string& data, const std::string& field) {
  iso_tree root;
  root.self_use = rock_ridge_begin();
  root.files = {{.name = "A.;1", .data = data, .use = field}};
  return load_archive(write_iso(root), "test.iso");
}

TEST(iso, never_gives_the_packed_bytes_of_a_file) {
  const std::string data = write_zisofs("hello");
  EXPECT_EQ(load_packed(data, rock_ridge_packed(5)), (contents_map{{"A", "hello"}}));
  EXPECT_EQ(load_packed("", rock_ridge_packed(0)), (contents_map{{"A", ""}}));
  EXPECT_EQ(load_packed(write_zisofs(""), rock_ridge_packed(0)), (contents_map{{"A", ""}}));
  const contents_map unsupported{{"A", "error: unsupported"}};
  EXPECT_EQ(load_packed(data, rock_ridge_packed(5, "PZ")), unsupported);
  EXPECT_EQ(load_packed(data, rock_ridge_packed(5, "pz", 30)), unsupported);
  const contents_map corrupt{{"A", "error: corrupt"}};
  EXPECT_EQ(load_packed(data, rock_ridge_packed(6)), corrupt);
  EXPECT_EQ(load_packed(data, rock_ridge_packed(UINT32_MAX)), corrupt);
  EXPECT_EQ(load_packed("never packed, but as long as that", rock_ridge_packed(5)), corrupt);
  for (const std::size_t at : {16u, 20u, 24u}) {
    std::string broken = data;
    broken[at + 3] = '\x7F';
    EXPECT_EQ(load_packed(broken, rock_ridge_packed(5)), corrupt) << at;
  }
}

using namespace literals;

TEST(iso, knows_when_its_files_were_modified) {
  iso_tree root;
  root.files = {{.name = "NEW", .data = "n", .date = {117, 7, 14, 4, 40, 0, 8}},
                {.name = "OLD", .data = "o"}};
  const std::string image = write_iso(root);
  file_system files;
  ASSERT_TRUE(files.mount_memory("test.iso", std::as_bytes(std::span(image))));
  EXPECT_EQ(files.stat("NEW"_path)->mtime_ns, 1'500'000'000'000'000'000);
  EXPECT_EQ(files.stat("OLD"_path)->mtime_ns, 0);
}

TEST(iso, knows_which_files_are_executable) {
  iso_tree root;
  root.self_use = rock_ridge_begin();
  root.files = {{.name = "RUN", .data = "r", .use = rock_ridge_mode(0100755)},
                {.name = "READ", .data = "r", .use = rock_ridge_mode(0100644)}};
  const std::string image = write_iso(root);
  file_system files;
  ASSERT_TRUE(files.mount_memory("test.iso", std::as_bytes(std::span(image))));
  EXPECT_TRUE(files.stat("RUN"_path)->executable);
  EXPECT_FALSE(files.stat("READ"_path)->executable);
}

// --- Hostile images ------------------------------------------------------------------------------

TEST(hostile_iso, reports_the_file_outside_the_image_and_loads_the_others) {
  for (const std::uint32_t lie : {1000u, 0x7FFFFFFFu, UINT32_MAX}) {
    iso_tree root;
    root.files = {{.name = "A", .data = "a"},
                  {.name = "FAR", .data = "x", .stated_sector = lie},
                  {.name = "LONG", .data = "x", .stated_bytes = lie * 1000u | 0xFFFFF}};
    EXPECT_EQ(load_archive(write_iso(root), "test.iso"),
              (contents_map{{"A", "a"}, {"FAR", "error: corrupt"}, {"LONG", "error: corrupt"}}));
  }
}

TEST(hostile_iso, with_folders_outside_the_image_has_the_others) {
  iso_tree root = varied();
  root.folders.push_back({.name = "FAR", .stated_sector = 5000});
  root.folders.push_back({.name = "LONG", .stated_bytes = UINT32_MAX});
  contents_map found = load_archive(write_iso(root), "test.iso");
  EXPECT_EQ(found.extract("lost: FAR").mapped(), "error: corrupt");
  EXPECT_EQ(found.extract("lost: LONG").mapped(), "error: corrupt");
  EXPECT_EQ(found, varied_contents);
}

TEST(hostile_iso, with_a_folder_that_contains_itself_is_listed_in_finite_time) {
  // The root comes after the descriptors and the one file.
  iso_tree root;
  root.files = {{.name = "A", .data = "a"}};
  root.folders = {{.name = "SELF", .stated_sector = 20}};
  EXPECT_EQ(load_archive(write_iso(root), "test.iso"),
            (contents_map{{"A", "a"}, {"lost: SELF", "error: corrupt"}}));
}

// Two folders that list each other twice would unfold to 2^128 folders.
TEST(hostile_iso, with_overlapping_folders_is_corrupt) {
  iso_tree root;
  iso_tree* at = &root;
  for (int depth = 0; depth < 20; ++depth) {
    at->folders.push_back({.name = "A"});
    at->folders.push_back({.name = "B"});
    at = &at->folders[0];
  }
  // Each B is the A beside it: A was written just before.
  const auto share = [](auto& self, iso_tree& folder, std::uint32_t sector) -> std::uint32_t {
    if (folder.folders.empty()) return sector;
    const std::uint32_t after = self(self, folder.folders[0], sector);
    folder.folders[1].stated_sector = after;
    return after + 2;
  };
  share(share, root, 18);
  const std::string bytes = write_iso(root);
  const contents_map contents = load_archive(bytes, "test.iso");
  EXPECT_TRUE(contents == failed_mount(errc::corrupt) || contents.empty());
}

TEST(hostile_iso, has_no_path_that_leads_outside_the_mount) {
  iso_tree root;
  root.files = {{.name = "..", .data = "x"}, {.name = "A/B", .data = "x"},
                {.name = "/", .data = "x"},  {.name = "A\\B", .data = "x"},
                {.name = ";1", .data = "x"}, {.name = "OK", .data = "ok"}};
  root.folders = {{.name = "..", .files = {{.name = "UP", .data = "x"}}}};
  for (const bool joliet : {false, true}) {
    for (const auto& [path, content] : load_archive(write_iso(root, joliet), "test.iso")) {
      EXPECT_EQ(path_flaw(path), nullptr) << path;
      EXPECT_TRUE(content == "ok" || path == ";1") << path;
    }
  }
}

TEST(hostile_iso, with_another_sector_size_is_not_supported) {
  std::string bytes = write_iso(varied());
  bytes[16 * 2048 + 129] = 2;
  EXPECT_EQ(load_archive(bytes, "test.iso"), failed_mount(errc::unsupported));
}

TEST(hostile_iso, with_continuations_that_overlap_is_corrupt) {
  iso_tree root;
  root.self_use = rock_ridge_begin();
  for (int i = 0; i < 60; ++i) {
    root.files.push_back({.name = "A" + std::to_string(i) + ".;1",
                          .data = "a",
                          .use = rock_ridge_continued(18, 0, 2048)});
  }
  const std::string one = write_iso(root);
  EXPECT_EQ(load_archive(one, "test.iso").size(), 60u);
  // Each goes on in itself.
  root.files[0].data = rock_ridge_continued(18, 0, 2048);
  EXPECT_EQ(load_archive(write_iso(root), "test.iso"), failed_mount(errc::corrupt));
}

TEST(hostile_iso, truncated_gives_files_or_errors) {
  for (const bool joliet : {false, true}) {
    check_cut(write_iso(varied(), joliet), "test.iso", 50, right_or_error(varied_contents));
  }
}

TEST(hostile_iso, with_rock_ridge_damaged_anywhere_does_no_harm) {
  iso_tree root = posix_tree();
  root.files.back() = {.name = "PACKED.;1",
                       .data = write_zisofs("packed"),
                       .use = rock_ridge_name("packed") + rock_ridge_packed(6)};
  const std::string bytes = write_iso(root);
  check_damaged(bytes, "test.iso", 31, anything);
  check_cut(bytes, "test.iso", 50, anything);
  check_bad_disk(bytes, "test.iso", anything);
  check_no_memory(bytes, "test.iso", anything);
}

TEST(hostile_iso, damaged_anywhere_does_no_harm) {
  check_damaged(write_iso(varied(), true), "test.iso", 61, anything);
}

TEST(hostile_iso, on_a_bad_disk_or_without_memory_reports_it) {
  check_bad_disk(write_iso(varied(), true), "test.iso", right_or_error(varied_contents));
  check_no_memory(write_iso(varied(), true), "test.iso", right_or_error(varied_contents));
}

// --- Images by other programs --------------------------------------------------------------------

TEST(iso, made_by_genisoimage_is_read) {
  if (on_windows) GTEST_SKIP() << needs_programs;
  const temp_folder folder;
  folder.write("in/a long name with spaces.txt", text);
  folder.write("in/maps/\xC3\xA4.txt", "umlaut");
  folder.write("in/maps/empty", "");
  const contents_map right{
      {"a long name with spaces.txt", text}, {"maps/\xC3\xA4.txt", "umlaut"}, {"maps/empty", ""}};
  const std::string inside = "cd '" + folder.path().string() + "' && LC_ALL=C.UTF-8 ";
  const auto make = [&](const std::string& options, const std::string& name) {
    return std::system((inside + "genisoimage -quiet -input-charset utf-8 " + options + " -o " +
                        name + " in >/dev/null 2>&1")
                           .c_str()) == 0;
  };
  if (std::system("command -v genisoimage >/dev/null") != 0) {
    GTEST_SKIP() << "genisoimage is not installed";
  }
  ASSERT_TRUE(make("-J -r", "joliet.iso"));
  const auto load_file = [&](const std::string& name) {
    file_system files;
    EXPECT_TRUE(files.mount((folder / name).c_str()));
    EXPECT_TRUE(files.freeze());
    return load_all(files);
  };
  EXPECT_EQ(load_file("joliet.iso"), right);
  // PhysicsFS 3.0 takes a folder's first record, which refers to itself, for a loop, so there is
  // nothing to compare with.
  ASSERT_TRUE(make("", "plain.iso"));
  const contents_map plain = load_file("plain.iso");
  EXPECT_EQ(plain.size(), 3u);
  EXPECT_EQ(plain.at("A_LONG_N.TXT"), text);
  EXPECT_EQ(plain.at("MAPS/EMPTY"), "");
}

}  // namespace
}  // namespace overture::iso_test

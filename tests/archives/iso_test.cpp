// ISO 9660 images, made by our own writer and by genisoimage.
#include <cstdlib>

#include "archives/archive_checks.hpp"
#include "archives/physfs_peer.hpp"
#include "support/iso_writer.hpp"

namespace overture {
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
  EXPECT_EQ(load_archive(write_iso(root), "test.iso"),
            (contents_map{{"BIG", std::string(2048, 'a') + "b"}}));
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
  EXPECT_EQ(load_archive(write_iso(root), "test.iso"), varied_contents);
}

TEST(hostile_iso, with_a_folder_that_contains_itself_is_listed_in_finite_time) {
  // The root comes after the descriptors and the one file.
  iso_tree root;
  root.files = {{.name = "A", .data = "a"}};
  root.folders = {{.name = "SELF", .stated_sector = 20}};
  EXPECT_EQ(load_archive(write_iso(root), "test.iso"), (contents_map{{"A", "a"}}));
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

TEST(hostile_iso, truncated_gives_files_or_errors) {
  for (const bool joliet : {false, true}) {
    check_cut(write_iso(varied(), joliet), "test.iso", 50, right_or_error(varied_contents));
  }
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
}  // namespace overture

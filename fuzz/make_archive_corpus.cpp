// Writes seeds for the archive fuzzers into a folder (fuzz/corpus): small archives with one feature
// each.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "support/iso_writer.hpp"
#include "support/rofs_writer.hpp"
#include "support/seven_zip_writer.hpp"
#include "support/table_writer.hpp"
#include "support/zip_writer.hpp"

namespace {

using overture::zip_writer;

const std::string text = "one line and another line and one more line and another line\n";

zip_writer plain() {
  zip_writer zip;
  zip.add({.name = "a.txt", .data = "hello"});
  zip.add({.name = "maps/b.txt", .data = text, .method = overture::zip_deflated});
  return zip;
}

zip_writer zip64() {
  zip_writer zip;
  zip.zip64 = true;
  zip.add({.name = "a", .data = text, .method = overture::zip_deflated, .zip64 = true});
  zip.end64_extra_bytes = 8;
  return zip;
}

zip_writer links() {
  zip_writer zip = plain();
  zip.add({.name = "link", .data = "maps/b.txt", .mode = overture::zip_mode_link});
  zip.add({.name = "maps/up", .data = "../link", .mode = overture::zip_mode_link});
  zip.add({.name = "loop", .data = "loop", .mode = overture::zip_mode_link});
  return zip;
}

zip_writer linked_folders() {
  zip_writer zip = plain();
  zip.add({.name = "levels", .data = "maps", .mode = overture::zip_mode_link});
  zip.add({.name = "maps/all", .data = "../more", .mode = overture::zip_mode_link});
  zip.add({.name = "more/c", .data = "c"});
  zip.add({.name = "more/back", .data = "../levels/all", .mode = overture::zip_mode_link});
  zip.add({.name = "here", .data = ".", .mode = overture::zip_mode_link});
  return zip;
}

zip_writer odd() {
  zip_writer zip = plain();
  zip.prefix = "#!/bin/sh\n";
  zip.comment = "PK\5\6 a comment";
  zip.add({.name = "a.txt", .data = "again", .sizes_in_descriptor = true});
  zip.add({.name = "win\\dows", .data = "w", .made_on = 0, .local_extra_bytes = 100});
  zip.add({.name = "../up", .data = "x", .central_extra_bytes = 8});
  zip.add({.name = "folder/", .mode = overture::zip_mode_folder});
  zip.add({.name = "secret", .data = "x", .flags = 1});
  return zip;
}

zip_writer names_too_long() {
  zip_writer zip = plain();
  std::string longest;  // too long below a folder
  for (int i = 0; i < 20; ++i) longest += std::string(203, 'n') + '/';
  zip.add({.name = longest + "0123456789"});
  std::string deep;
  for (int i = 0; i < 130; ++i) deep += "d/";
  zip.add({.name = deep + "e"});
  return zip;
}

zip_writer overlapping() {
  zip_writer zip = plain();
  zip.add({.name = "c", .data = "c", .stated_offset = 10});
  zip.add({.name = "d", .data = "d", .stated_packed_bytes = 30});
  return zip;
}

zip_writer packed_otherwise() {
  zip_writer zip = plain();
  zip.add({.name = "zstd", .data = text, .method = overture::zip_zstd});
  zip.add({.name = "stored", .data = text, .password = "password"});
  zip.add({.name = "deflated",
           .data = text,
           .method = overture::zip_deflated,
           .sizes_in_descriptor = true,
           .password = "password"});
  return zip;
}

void save(const std::filesystem::path& path, const std::string& bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary).write(bytes.data(), std::ssize(bytes));
}

void save_tables(const std::filesystem::path& folder) {
  for (const overture::table_kind& kind : overture::table_kinds()) {
    for (const bool second : {false, true}) {
      const std::vector<overture::table_file> files{
          {.name = "A.TXT", .data = "hello"}, {.name = "E"}, {.name = "B.X", .data = text}};
      const std::string bytes = overture::write_table(kind.format, files, {}, second);
      if (second && bytes == overture::write_table(kind.format, files)) continue;
      save(folder / kind.name / (second ? "second" : "first"), bytes);
    }
  }
}

void save_seven_zips(const std::filesystem::path& folder) {
  using overture::seven_zip_method;
  overture::seven_zip_writer plain;
  plain.add({.files = {{"a.txt", "hello"}, {"maps/b.txt", text}}});
  plain.empty_files = {"empty"};
  plain.folders = {"maps"};
  save(folder / "lzma.7z", plain.bytes());
  plain.packed_header = true;
  save(folder / "packed_header.7z", plain.bytes());
  overture::seven_zip_writer others;
  others.add({.method = seven_zip_method::lzma2,
              .filter = overture::seven_zip_filter::x86,
              .files = {{"c", text}}});
  others.add({.method = seven_zip_method::copy, .files = {{"d", "d"}, {"e", text}}});
  others.add({.method = seven_zip_method::aes, .files = {{"f", "f"}}});
  save(folder / "methods.7z", others.bytes());
  overture::seven_zip_writer filters;
  for (const auto method : {seven_zip_method::copy, seven_zip_method::lzma}) {
    filters.add({.method = method,
                 .filter = overture::seven_zip_filter::delta,
                 .files = {{"g", "g"}, {"h", text}}});
  }
  filters.add({.method = seven_zip_method::copy,
               .filter = overture::seven_zip_filter::x86,
               .files = {{"i", "\xE8 i i"}}});
  save(folder / "filters.7z", filters.bytes());
}

void save_isos(const std::filesystem::path& folder) {
  overture::iso_tree root;
  root.files = {{.name = "A.TXT;1", .data = "hello"},
                {.name = "BIG;1", .data = "a", .flags = 0x80}};
  root.folders = {{.name = "MAPS", .files = {{.name = "B.;1", .data = text}}}};
  constexpr std::size_t front_bytes = 32768;  // see iso.cpp
  save(folder / "plain", overture::write_iso(root).substr(front_bytes));
  save(folder / "joliet", overture::write_iso(root, true).substr(front_bytes));

  using namespace overture;
  iso_tree posix;
  posix.self_use = rock_ridge_begin();
  posix.files = {{.name = "A.;1", .data = rock_ridge_name("b"), .use = rock_ridge_mode(0100444)},
                 {.name = "B.;1", .use = rock_ridge_name("link") + rock_ridge_link("maps/../A")},
                 {.name = "C.;1", .data = write_zisofs("hello"), .use = rock_ridge_packed(5)},
                 {.name = "D.;1", .use = rock_ridge_name("a", 1) + rock_ridge_continued(18, 0, 6)},
                 {.name = "E.;1", .use = rock_ridge_child(20)}};
  posix.folders = {{.name = "MOVED", .use = susp_field("RE", "")},
                   {.name = "MAPS", .use = rock_ridge_name("maps")}};
  save(folder / "rock_ridge", write_iso(posix).substr(front_bytes));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: make_archive_corpus FOLDER\n", stderr);
    return 2;
  }
  const std::filesystem::path folder(argv[1]);
  const std::filesystem::path zips = folder / "zip";
  std::filesystem::create_directories(zips);
  zip_writer{}.save(zips / "empty.zip");
  plain().save(zips / "plain.zip");
  zip64().save(zips / "zip64.zip");
  links().save(zips / "links.zip");
  linked_folders().save(zips / "linked_folders.zip");
  odd().save(zips / "odd.zip");
  names_too_long().save(zips / "names_too_long.zip");
  overlapping().save(zips / "overlapping.zip");
  packed_otherwise().save(zips / "packed.zip");
  save_tables(folder);
  save(folder / "rofs" / "plain",
       overture::write_rofs(
           {{.name = "A", .data = text}, {.name = "B", .data = text, .packed = false}}));
  save_seven_zips(folder / "seven_zip");
  save_isos(folder / "iso");
}

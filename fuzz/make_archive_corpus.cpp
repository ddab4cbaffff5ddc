// SPDX-License-Identifier: Zlib
//
// Writes seeds for the archive fuzzers into a folder (fuzz/corpus): small archives with one feature
// each.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "support/iso_writer.hpp"
#include "support/rofs_writer.hpp"
#include "support/seven_zip_writer.hpp"
#include "support/table_writer.hpp"
#include "support/tar_writer.hpp"
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

zip_writer names_of_others() {
  zip_writer zip;
  zip.add({.name = "./a//b.txt", .data = "dots"});
  zip.add({.name = "gr\x81n/\x83\x5C", .data = "not UTF-8"});
  zip.add({.name = "??", .data = "unicode", .local_name = "", .unicode_name = "\xE4\xB8\x83"});
  zip.add({.name = "folder", .mode = 0, .made_on = 0, .dos_attributes = 0x10});
  zip.add({.name = "folder/pipe", .data = "p", .mode = overture::zip_mode_fifo});
  zip.add({.name = "maps/link", .data = "..\\folder\\pipe", .mode = overture::zip_mode_link});
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
      // Without its map an LFD is recognised by names that have an extension.
      const bool named = second && kind.format == overture::mount_format::lfd;
      const std::vector<overture::table_file> files{{.name = "A.TXT", .data = "hello"},
                                                    {.name = named ? "E.Y" : "E"},
                                                    {.name = "B.X", .data = text}};
      const std::string bytes = overture::write_table(kind.format, files, {}, second);
      if (second && bytes == overture::write_table(kind.format, files)) continue;
      save(folder / kind.name / (second ? "second" : "first"), bytes);
    }
  }
}

// Blocks that need more than LZMA and a filter.
overture::seven_zip_writer with_chains() {
  std::string words;
  for (int i = 0; i < 4; ++i) words += "one two three four five six seven eight nine ten ";
  const std::string bzip2(
      "BZh11AY&SY\x03\xCE\\;\0\0E\x91\x80@\0\x03\xE1\x9F\xC0 "
      "\0pS\0\0\x15T\xD3\xD4y&G\xA9&H4Ad\r\x18"
      "\x1F\x1D\t(\x82\x8FH\x1E\x90l\xC9\x93"
      "e\x10$\xD1\x92\xCC\x12Yd\f\x18"
      "8\xEC\x92\x8D\x9C\x9F\x8B"
      "\xB9\"\x9C(H\x01\xE7.\x1D\x80",
      86);
  const std::string deflate(
      "\xCD\xCB\xC1\r\0 "
      "\b\x04\xC1V\xAE\xB9S\xF8@\"\x88\x96\xAFv\xE1s\x93Y7\"\x97#e\x90h>\x07\x9A\x16\x11"
      "\xBA\x11,\x1A\xA8]\x12\xA6\x0F\xDE\xF4\xFF\x86\x03",
      50);
  overture::seven_zip_writer archive;
  archive.add({.files = {{"bzip2", words}},
               .raw = {{.coders = std::string("\x01\x03\x04\x02\x02", 5),
                        .streams = {bzip2},
                        .sizes = {words.size()}}}});
  archive.add({.files = {{"deflate", words}},
               .raw = {{.coders = std::string("\x01\x03\x04\x01\x08", 5),
                        .streams = {deflate},
                        .sizes = {words.size()}}}});
  // Swap of what was decrypted with a key of two rounds, which gives nonsense.
  archive.add(
      {.files = {{"aes", std::string(16, 'a')}},
       .raw = {{.coders = std::string("\x02\x24\x06\xF1\x07\x01\x01\x01\x03\x02\x03\x04\x01\0", 14),
                .streams = {std::string(16, 'x')},
                .sizes = {16, 16}}}});
  archive.add({.files = {{"bcj2", "ab"}},
               .raw = {{.coders = std::string("\x01\x14\x03\x03\x01\x1B\x04\x01\0\x01\x02\x03", 12),
                        .streams = {"ab\xE8", "\x01\x02\x03\x04", "", std::string(5, '\0')},
                        .sizes = {3}}}});
  return archive;
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
  save(folder / "chains.7z", with_chains().bytes());
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
  iso_tree extents;
  extents.files = {{.name = "A.;1", .data = "one", .flags = 0x80},
                   {.name = "A.;1", .data = "two", .flags = 0x80},
                   {.name = "A.;1", .data = "three"}};
  save(folder / "extents", write_iso(extents).substr(front_bytes));

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

void save_tars(const std::filesystem::path& folder) {
  using namespace overture;
  const std::string plain = write_tar({{.name = "./a.txt", .data = "hello"},
                                       {.name = "maps/", .type = '5'},
                                       {.name = "b", .data = text, .prefix = "maps"},
                                       {.name = "hard", .type = '1', .link = "a.txt"},
                                       {.name = "maps/soft", .type = '2', .link = "../a.txt"}});
  const std::string records = pax_record("path", "c") + pax_record("linkpath", "a.txt") +
                              pax_record("size", "1") + pax_record("GNU.sparse.name", "d");
  save(folder / "plain", plain);
  save(folder / "long", write_tar({{.name = "L", .data = "long/name", .type = 'L'},
                                   {.name = "K", .data = "long/name", .type = 'K'},
                                   {.name = "cut", .type = '2', .link = "cut"},
                                   {.name = "x", .data = records, .type = 'x'},
                                   {.name = "cut", .data = "c"}}));
  save(folder / "gzip", pack_gzip(plain));
  save(folder / "xz", pack_xz(plain));
  save(folder / "zstd", pack_zstd(plain));
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
  names_of_others().save(zips / "names_of_others.zip");
  overlapping().save(zips / "overlapping.zip");
  packed_otherwise().save(zips / "packed.zip");
  save_tables(folder);
  save(folder / "rofs" / "plain",
       overture::write_rofs(
           {{.name = "A", .data = text}, {.name = "B", .data = text, .packed = false}}));
  save_seven_zips(folder / "seven_zip");
  save_isos(folder / "iso");
  save_tars(folder / "tar");
}

// Writes the seeds of the ZIP fuzzer into a folder (corpus/zip): small archives that have one
// feature each.
#include <cstdio>
#include <filesystem>

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

zip_writer odd() {
  zip_writer zip = plain();
  zip.prefix = "#!/bin/sh\n";
  zip.comment = "PK\5\6 a comment";
  zip.add({.name = "a.txt", .data = "again", .sizes_behind = true});
  zip.add({.name = "win\\dows", .data = "w", .made_on = 0, .local_extra_bytes = 100});
  zip.add({.name = "../up", .data = "x", .central_extra_bytes = 8});
  zip.add({.name = "folder/", .mode = overture::zip_mode_folder});
  zip.add({.name = "secret", .data = "x", .flags = 1});
  return zip;
}

zip_writer overlapping() {
  zip_writer zip = plain();
  zip.add({.name = "c", .data = "c", .stated_offset = 10});
  zip.add({.name = "d", .data = "d", .stated_packed_bytes = 30});
  return zip;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: make_zip_corpus FOLDER\n", stderr);
    return 2;
  }
  const std::filesystem::path folder(argv[1]);
  std::filesystem::create_directories(folder);
  zip_writer{}.save(folder / "empty.zip");
  plain().save(folder / "plain.zip");
  zip64().save(folder / "zip64.zip");
  links().save(folder / "links.zip");
  odd().save(folder / "odd.zip");
  overlapping().save(folder / "overlapping.zip");
}

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temp_folder.hpp"
#include "support/zip_writer.hpp"
#include "vfs/tree_reader.hpp"

namespace overture {
namespace {

using namespace literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

const std::string long_text = [] {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "line " + std::to_string(i * i) + "\n";
  return text;
}();

class zip_mount : public ::testing::Test {
 protected:
  result<mount_id> mount(const zip_writer& zip, const mount_options& options = {}) {
    zip.save(folder / "test.zip");
    return files.mount((folder / "test.zip").c_str(), options);
  }
  std::map<std::string, std::string> contents() {
    EXPECT_TRUE(files.freeze());
    return load_all(files);
  }

  temp_folder folder;
  file_system files;
};

TEST_F(zip_mount, loads_stored_and_deflated_entries) {
  zip_writer zip;
  zip.add({.name = "maps/rome.txt", .data = long_text, .method = zip_deflated});
  zip.add({.name = "a.txt", .data = "hello"});
  zip.add({.name = "empty", .data = ""});
  zip.add({.name = "empty.deflated", .data = "", .method = zip_deflated});
  ASSERT_TRUE(mount(zip));
  EXPECT_THAT(contents(),
              ElementsAre(Pair("a.txt", "hello"), Pair("empty", ""), Pair("empty.deflated", ""),
                          Pair("maps/rome.txt", long_text)));
  EXPECT_EQ(files.mount_at(0).entries, 4u);
  EXPECT_EQ(files.mount_at(0).format, mount_format::zip);
}

TEST_F(zip_mount, puts_the_archive_where_the_host_wants_it) {
  zip_writer zip;
  zip.add({.name = "a.txt", .data = "hello"});
  ASSERT_TRUE(mount(zip, {.at = "/dlc//rome/"}));
  EXPECT_THAT(contents(), ElementsAre(Pair("dlc/rome/a.txt", "hello")));
  EXPECT_EQ(files.mount_at(0).at, "dlc/rome");
}

}  // namespace
}  // namespace overture

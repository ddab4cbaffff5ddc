// SPDX-License-Identifier: Zlib
#include "report/model/undecoded.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/temp_folder.hpp"

namespace overture::report_detail::undecoded_test {
namespace {

std::string of(const std::string& text) {
  return what_is(std::as_bytes(std::span(text)));
}

TEST(an_undecoded_type, is_named_by_its_decoder_or_its_first_bytes) {
  EXPECT_EQ(what_is("font"), "font");
  EXPECT_EQ(what_is("qt"), "compiled Qt data");
  EXPECT_EQ(what_is("png"), "");
  EXPECT_EQ(of("PK\3\4..."), "archive");
  EXPECT_EQ(of(std::string("\0\0\0 ftypisom", 12)), "video");
  EXPECT_EQ(of(std::string(257, 'x') + "ustar"), "archive");
  EXPECT_EQ(of("text"), "");
  EXPECT_EQ(of(""), "");
}

TEST(an_undecoded_type, is_looked_at_in_a_file_of_it) {
  temp_folder folder;
  folder.write("a.dat", "\x1A\x45\xDF\xA3 and more");
  folder.write("b.txt", "text");
  file_system files;
  ASSERT_TRUE(files.mount(folder.path()));
  ASSERT_TRUE(files.freeze());
  load_report what;
  what.types = {{.extension = "dat", .example = 0},
                {.extension = "txt", .decoded_bytes = 4, .example = 1},
                {.extension = "none"}};
  name_undecoded(what, files);
  EXPECT_EQ(what.types[0].what, "video");
  EXPECT_EQ(what.types[1].what, "");
  EXPECT_EQ(what.types[2].what, "");
}

}  // namespace
}  // namespace overture::report_detail::undecoded_test

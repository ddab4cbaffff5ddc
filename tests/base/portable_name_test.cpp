// SPDX-License-Identifier: Zlib
#include "overture/base/portable_name.hpp"

#include <gtest/gtest.h>

#include <string>

namespace overture::portable_name_test {
namespace {

std::string flaw(std::string_view path) {
  const char* const found = portable_name_flaw(path);
  return found ? found : "";
}

TEST(portable_name, has_no_flaw_in_usual_names) {
  for (const char* const path : {"",
                                 "maps/rome.txt",
                                 "a",
                                 ".hidden",
                                 "a.b.c",
                                 "a b/c d",
                                 "\xE9\x9F\xB3.ogg",
                                 "console.txt",
                                 "null",
                                 "auxiliary",
                                 "maps/prnt",
                                 "com",
                                 "com10",
                                 "comx",
                                 "lpt",
                                 "a.con",
                                 "txt.nul",
                                 " con",
                                 "com/1",
                                 "\xC2\xB9",
                                 "com\xC2\xBC"}) {
    EXPECT_EQ(flaw(path), "") << path;
  }
}

TEST(portable_name, is_no_device_of_windows_in_any_folder_with_any_extension) {
  for (const char* const path :
       {"con", "NUL", "Aux.txt", "maps/prn", "nul/readme", "com1", "LPT9.dat", "a/b/COM0.x.y",
        "nul ", "con .txt", "conin$", "CONOUT$", "com\xC2\xB9", "lpt\xC2\xB3.cfg"}) {
    EXPECT_EQ(flaw(path), "the name of a device on Windows") << path;
  }
}

TEST(portable_name, ends_with_no_dot_and_no_space) {
  EXPECT_EQ(flaw("maps./a"), "the name ends with a dot, which Windows removes");
  EXPECT_EQ(flaw("maps/a "), "the name ends with a space, which Windows removes");
}

TEST(portable_name, has_no_character_that_windows_refuses) {
  EXPECT_EQ(flaw("maps/a:b"), "a colon in the name, which Windows takes for a stream or a drive");
  for (const char* const path : {"a\nb", "maps\x01/b", "\x1f"}) {
    EXPECT_EQ(flaw(path), "a control character in the name, which Windows does not allow");
  }
  for (const char* const path : {"a<b", "a>b", "a\"b", "a|b", "what?", "a/*"}) {
    EXPECT_EQ(flaw(path), "a character in the name that Windows does not allow") << path;
  }
}

}  // namespace
}  // namespace overture::portable_name_test

#include "base/device_name.hpp"

#include <gtest/gtest.h>

namespace overture {
using namespace base_detail;

namespace {

TEST(device_names, are_found_in_any_folder_with_any_extension) {
  for (const char* name :
       {"con", "NUL", "Aux.txt", "maps/prn", "nul/readme", "com1", "LPT9.dat", "a/b/COM0.x.y",
        "nul ", "con .txt", "conin$", "CONOUT$", "com\xC2\xB9", "lpt\xC2\xB3.cfg", "nul:stream"}) {
    EXPECT_TRUE(names_a_device(name)) << name;
  }
}

TEST(device_names, are_not_part_of_other_names) {
  for (const char* name :
       {"", "console.txt", "null", "auxiliary", "maps/prnt", "com", "com10", "comx", "lpt", "a.con",
        "txt.nul", " con", "com/1", "\xC2\xB9", "com\xC2\xBC"}) {
    EXPECT_FALSE(names_a_device(name)) << name;
  }
}

}  // namespace
}  // namespace overture

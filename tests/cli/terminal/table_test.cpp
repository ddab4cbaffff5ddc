// SPDX-License-Identifier: Zlib
#include "terminal/table.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "terminal/display.hpp"

namespace overture::cli::table_test {
namespace {

table mounts() {
  table rows({{"files"},
              {"size"},
              {"failed"},
              {"kind", table::align::left},
              {"mount", table::align::left}});
  rows.add({{"1,234"}, {"29.4 MiB"}, {"0"}, {"zip"}, {"/usr...name.pk3/long/name.pk3"}});
  rows.add({{"2"}, {"17 B"}, {"1"}, {"folder"}, {"mods"}});
  return rows;
}

text_style of_width(unsigned width) {
  text_style style;
  style.width = width;
  return style;
}

TEST(table, cuts_its_last_column_to_the_width) {
  EXPECT_EQ(mounts().render(of_width(50)),
            "  files      size  failed  kind    mount\n"
            "  1,234  29.4 MiB       0  zip     /usr...name.pk3\n"
            "      2      17 B       1  folder  mods\n");
}

TEST(table, becomes_a_few_lines_for_each_row_where_the_width_is_too_small) {
  EXPECT_EQ(mounts().render(of_width(40)),
            "  /usr...name.pk3/long/name.pk3\n"
            "    files 1,234  size 29.4 MiB  failed 0\n"
            "    kind zip\n"
            "  mods\n"
            "    files 2  size 17 B  failed 1\n"
            "    kind folder\n");
}

TEST(table, stays_within_any_width_that_its_words_allow) {
  for (const unsigned width : {20u, 30u, 40u, 44u, 45u, 46u, 50u, 60u, 80u}) {
    std::istringstream lines(mounts().render(of_width(width)));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(display_width(line), width) << line;
    }
  }
}

}  // namespace
}  // namespace overture::cli::table_test

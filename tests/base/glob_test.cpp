// SPDX-License-Identifier: Zlib
#include "overture/base/glob.hpp"

#include <gtest/gtest.h>

#include <string>

namespace overture::glob_test {
namespace {

struct glob_case {
  const char* pattern;
  const char* path;
  bool matches;
};

class glob : public testing::TestWithParam<glob_case> {};

TEST_P(glob, matches_as_stated) {
  EXPECT_EQ(matches_glob(GetParam().pattern, GetParam().path), GetParam().matches)
      << GetParam().pattern << " " << GetParam().path;
}

INSTANTIATE_TEST_SUITE_P(
    without_slash, glob,
    testing::Values(glob_case{"a.txt", "a.txt", true}, glob_case{"a.txt", "docs/a.txt", true},
                    glob_case{"a.txt", "ba.txt", false}, glob_case{"*.bak", "maps/one.bak", true},
                    glob_case{"*.bak", "one.bak/two", true}, glob_case{"?.txt", "x/a.txt", true},
                    glob_case{"?.txt", "x/ab.txt", false}, glob_case{"a*b*c", "aXbbYc", true},
                    glob_case{"a*b*c", "aXbbY", false}, glob_case{"*", "x/y", true},
                    glob_case{"", "a", false}, glob_case{"", "", false}));
INSTANTIATE_TEST_SUITE_P(
    with_slash, glob,
    testing::Values(glob_case{"maps/*", "maps/one", true}, glob_case{"maps/*", "maps/a/one", true},
                    glob_case{"maps/*", "old/maps/one", false}, glob_case{"a/?", "a//", false},
                    glob_case{"maps/**", "maps/a/one", true}, glob_case{"**/one", "one", true},
                    glob_case{"**/one", "a/b/one", true}, glob_case{"**/one", "a/done", false},
                    glob_case{"a/**/z", "a/z", true}, glob_case{"a/**/z", "a/b/c/z", true},
                    glob_case{"a/**/z", "a/bz", false}, glob_case{"a/**z", "a/b/cz", true},
                    glob_case{"**/x/*.t", "a/x/b/x/c.t", true}, glob_case{"*/b", "a/b", true},
                    glob_case{"*/b", "a/c/b", false}));

INSTANTIATE_TEST_SUITE_P(
    of_folders, glob,
    testing::Values(glob_case{"docs", "docs/a/b", true}, glob_case{"docs", "x/docs/b", true},
                    glob_case{"docs", "xdocs/b", false}, glob_case{"docs/", "docs/b", true},
                    glob_case{"docs/", "x/docs/b", true}, glob_case{"docs/", "x/docs", false},
                    glob_case{"/docs", "docs/b", true}, glob_case{"/docs", "x/docs/b", false},
                    glob_case{"/a.bak", "a.bak", true}, glob_case{"/a.bak", "x/a.bak", false},
                    glob_case{"x/docs/", "x/docs/b", true}, glob_case{"x/docs/", "x/docs", false},
                    glob_case{"x/docs", "x/docs2/b", false}, glob_case{"/", "a", false},
                    glob_case{"//", "a", false}));
INSTANTIATE_TEST_SUITE_P(escaped, glob,
                         testing::Values(glob_case{"\\*", "*", true}, glob_case{"\\*", "a", false},
                                         glob_case{"a\\?", "a?", true},
                                         glob_case{"a\\?", "ab", false},
                                         glob_case{"*\\*b", "aa*b", true},
                                         glob_case{"a\\", "a\\", true}));

TEST(glob_time, grows_with_the_product_of_the_lengths_at_most) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "a*";
  EXPECT_FALSE(matches_glob(pattern + "b", std::string(10'000, 'a')));
  EXPECT_FALSE(matches_glob("**" + pattern + "/b", std::string(2'000, 'a')));
}

}  // namespace
}  // namespace overture::glob_test

// SPDX-License-Identifier: Zlib
#include "c_test.hpp"

C_TEST(c_load, every_file_is_handed_over_and_failures_are_listed)
C_TEST(c_load, a_file_that_has_failed_is_not_busy)
C_TEST(c_load, warnings_are_listed)
C_TEST(c_load, patterns_choose_the_files)
C_TEST(c_load, no_patterns_are_all_files)
C_TEST(c_load, a_cancelled_load_ends)
C_TEST(c_load, null_and_misuse_are_invalid)
C_TEST(c_load, keeps_the_tree_frozen_until_it_is_freed)

// SPDX-License-Identifier: Zlib
#include "c_test.hpp"

C_TEST(c_check, damaged_files_are_named_with_their_mount)
C_TEST(c_check, parts_that_cannot_be_read_are_problems)
C_TEST(c_check, what_cannot_be_mounted_is_an_error)
C_TEST(c_check, trees_are_compared_file_by_file)
C_TEST(c_check, a_file_that_cannot_be_compared_says_why)
C_TEST(c_check, files_are_not_read_if_sizes_or_checksums_decide)

// SPDX-License-Identifier: Zlib
#include "c_test.hpp"

C_TEST(c_vfs, later_mounts_win)
C_TEST(c_vfs, options_of_a_tree_are_followed)
C_TEST(c_vfs, a_mount_takes_its_options_and_says_when_it_has_ended)
C_TEST(c_vfs, an_archive_may_be_in_memory)
C_TEST(c_vfs, a_frozen_tree_does_not_change)
C_TEST(c_vfs, names_that_cannot_be_in_the_tree_are_listed)
C_TEST(c_vfs, parts_that_cannot_be_read_are_listed_first)
C_TEST(c_vfs, files_and_folders_are_described)
C_TEST(c_vfs, folders_are_listed_and_walked_in_order)
C_TEST(c_vfs, a_file_is_read_in_pieces_at_any_place)
C_TEST(c_vfs, a_damaged_file_is_an_error_that_names_it)
C_TEST(c_vfs, files_are_written_where_that_is_allowed)
C_TEST(c_vfs, threads_read_while_others_mount)
C_TEST(c_vfs, null_in_place_of_a_tree_is_invalid)
C_TEST(c_vfs, null_in_place_of_an_argument_is_invalid)

// SPDX-License-Identifier: Zlib
#include "c_test.hpp"

C_TEST(c_watch, files_that_are_written_and_removed_are_told_and_in_the_tree)
C_TEST(c_watch, a_store_loads_again_what_has_changed)
C_TEST(c_watch, what_cannot_be_watched_is_refused)
C_TEST(c_watch, null_is_invalid)

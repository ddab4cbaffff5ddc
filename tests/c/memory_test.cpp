// SPDX-License-Identifier: Zlib
#include "c_test.hpp"

C_TEST(c_memory, of_the_program_is_used_by_what_it_was_given_to)
C_TEST(c_memory, of_the_program_stays_until_the_last_files_are_gone)
C_TEST(c_memory, of_the_program_has_images_and_sounds)
C_TEST(c_memory, of_the_program_may_be_refused)
C_TEST(c_memory, needs_both_functions_and_a_size)

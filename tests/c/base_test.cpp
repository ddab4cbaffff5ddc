// SPDX-License-Identifier: Zlib
#include "c_test.hpp"

C_TEST(c_base, codes_have_names)
C_TEST(c_base, the_version_is_that_of_the_header)
C_TEST(c_base, there_is_a_processor_and_a_clock)
C_TEST(c_base, no_bytes_are_empty_and_can_be_freed)
C_TEST(c_base, an_error_names_what_it_is_about)
C_TEST(c_base, an_error_gives_its_reason_also_for_a_path_that_fills_it)
C_TEST(c_base, an_error_may_be_null_or_without_a_size)
C_TEST(c_base, an_error_of_an_earlier_size_is_not_overrun)
C_TEST(c_base, options_need_a_size)
C_TEST(c_base, options_of_a_later_version_work_while_they_are_zero)
C_TEST(c_base, results_of_a_later_version_are_filled_with_zeros)

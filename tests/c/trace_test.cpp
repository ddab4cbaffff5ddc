// SPDX-License-Identifier: Zlib
#include "c_test.hpp"

C_TEST(c_trace, what_threads_did_is_in_the_json)
C_TEST(c_trace, files_and_assets_have_their_names_in_the_json)
C_TEST(c_trace, a_timeline_that_cannot_be_written_says_so)
C_TEST(c_trace, null_and_misuse_are_invalid)

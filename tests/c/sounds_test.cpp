// SPDX-License-Identifier: Zlib
#include "c_test.hpp"

C_TEST(c_sounds, a_song_is_decoded_while_it_is_read)
C_TEST(c_sounds, a_song_goes_back_to_where_its_loop_begins)
C_TEST(c_sounds, what_is_no_song_is_refused_with_its_path)
C_TEST(c_sounds, null_and_misuse_are_invalid)

// SPDX-License-Identifier: Zlib
#include "c_test.hpp"

C_TEST(c_sync, a_raised_barricade_blocks_until_it_is_lowered)
C_TEST(c_sync, a_barricade_may_begin_lowered_and_be_raised_again)
C_TEST(c_sync, null_is_invalid)

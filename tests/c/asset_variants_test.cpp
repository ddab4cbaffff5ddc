// SPDX-License-Identifier: Zlib
#include "c_test.hpp"

C_TEST(c_asset_variants, settings_make_an_asset_of_its_own)
C_TEST(c_asset_variants, parts_are_made_of_one_value_of_their_file)
C_TEST(c_asset_variants, values_come_in_stages)

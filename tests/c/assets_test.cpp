// SPDX-License-Identifier: Zlib
#include "c_test.hpp"

C_TEST(c_assets, one_file_is_decoded_on_the_calling_thread)
C_TEST(c_assets, bytes_are_decoded_by_their_content_or_name)
C_TEST(c_assets, an_asset_is_ready_after_what_it_needs)
C_TEST(c_assets, a_wait_for_an_asset_ends_when_its_time_has_run_out)
C_TEST(c_assets, a_store_has_as_many_types_as_it_says)
C_TEST(c_assets, a_loader_that_is_busy_fails_its_asset)
C_TEST(c_assets, a_structure_of_a_wrong_size_is_told_from_one_without)
C_TEST(c_assets, null_and_misuse_are_invalid)

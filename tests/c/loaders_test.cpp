// SPDX-License-Identifier: Zlib
#include "c_test.hpp"

C_TEST(c_loaders, a_text_and_its_bytes_are_loaded)
C_TEST(c_loaders, an_image_has_mips_and_settings_of_its_own)
C_TEST(c_loaders, an_image_with_settings_that_are_none_is_invalid)
C_TEST(c_loaders, alignments_are_powers_of_two)
C_TEST(c_loaders, a_texture_has_its_levels_and_keys)
C_TEST(c_loaders, sounds_and_models_are_decoded)
C_TEST(c_loaders, a_program_may_add_an_upload)
C_TEST(c_loaders, what_is_of_another_kind_fails_with_a_reason)
C_TEST(c_loaders, null_and_misuse_are_invalid)

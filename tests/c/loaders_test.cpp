// SPDX-License-Identifier: Zlib
#include "c_test.hpp"

C_TEST(c_loaders, a_text_and_its_bytes_are_loaded)
C_TEST(c_loaders, an_image_has_mips_and_settings_of_its_own)
C_TEST(c_loaders, an_image_with_settings_that_are_none_is_invalid)
C_TEST(c_loaders, alignments_are_powers_of_two)
C_TEST(c_loaders, a_texture_has_its_levels_and_keys)
C_TEST(c_loaders, sounds_and_models_are_decoded)
C_TEST(c_loaders, a_program_may_add_an_upload)
C_TEST(c_loaders, pixels_go_to_memory_of_the_program)
C_TEST(c_loaders, textures_are_released_and_other_kinds_stay)
C_TEST(c_loaders, a_value_keeps_a_pointer_of_the_program)
C_TEST(c_loaders, a_value_is_made_without_a_store)
C_TEST(c_loaders, a_ready_made_loader_has_a_placeholder)
C_TEST(c_loaders, a_value_that_cannot_be_made_says_why)
C_TEST(c_loaders, a_value_has_the_warning_of_its_file)
C_TEST(c_loaders, what_is_of_another_kind_fails_with_a_reason)
C_TEST(c_loaders, null_and_misuse_are_invalid)

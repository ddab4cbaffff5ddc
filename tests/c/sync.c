/* SPDX-License-Identifier: Zlib */
#include "c_test.h"

static void lower(void* barricade) {
  overture_barricade_lower((overture_barricade*)barricade);
}

C_CASE(c_sync, a_raised_barricade_blocks_until_it_is_lowered) {
  overture_barricade door;
  overture_pool* pool = NULL;
  overture_error why = {.size = sizeof why};
  CHECK(overture_barricade_init(&door, false) == OVERTURE_OK);
  CHECK(!overture_barricade_is_lowered(&door));
  CHECK(overture_barricade_wait_for(&door, 1) == OVERTURE_BUSY);
  CHECK_OK(overture_pool_make(NULL, &pool, &why));
  CHECK_OK(overture_pool_submit(pool, lower, &door, NULL, NULL, &why));
  CHECK(overture_barricade_wait(&door) == OVERTURE_OK);
  CHECK(overture_barricade_is_lowered(&door));
  CHECK_OK(overture_pool_free(pool, &why));
}

C_CASE(c_sync, a_barricade_may_begin_lowered_and_be_raised_again) {
  overture_barricade door;
  CHECK(overture_barricade_init(&door, true) == OVERTURE_OK);
  CHECK(overture_barricade_wait(&door) == OVERTURE_OK);
  CHECK(overture_barricade_wait_for(&door, 0) == OVERTURE_OK);
  CHECK(overture_barricade_raise(&door) == OVERTURE_OK);
  CHECK(overture_barricade_wait_for(&door, 0) == OVERTURE_BUSY);
  CHECK(overture_barricade_lower(&door) == OVERTURE_OK);
  CHECK(overture_barricade_wait_for(&door, UINT64_MAX) == OVERTURE_OK);
}

C_CASE(c_sync, null_is_invalid) {
  CHECK_INVALID(overture_barricade_init(NULL, true));
  CHECK(!overture_barricade_is_lowered(NULL));
  CHECK_INVALID(overture_barricade_lower(NULL));
  CHECK_INVALID(overture_barricade_raise(NULL));
  CHECK_INVALID(overture_barricade_wait(NULL));
  CHECK_INVALID(overture_barricade_wait_for(NULL, 1));
}

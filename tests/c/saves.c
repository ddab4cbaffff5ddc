/* SPDX-License-Identifier: Zlib */
#include <stdio.h>
#include <string.h>

#include "c_test.h"

C_CASE(c_saves, what_is_written_is_read_back) {
  overture_bytes* bytes = NULL;
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_save_write(in_folder("slot1.save"), "gold 7", 6, &why));
  CHECK_OK(overture_save_read(in_folder("slot1.save"), &bytes, &why));
  CHECK(same_text(bytes, "gold 7"));
  overture_bytes_free(bytes);
  CHECK_OK(overture_save_write(in_folder("slot1.save"), NULL, 0, &why));
  CHECK_OK(overture_save_read(in_folder("slot1.save"), &bytes, &why));
  CHECK(overture_bytes_size(bytes) == 0);
  overture_bytes_free(bytes);
}

/* Changes one byte of a file. */
static void damage(const char* path, long at) {
  FILE* file = fopen(path, "r+b");
  int byte = 0;
  CHECK(file != NULL);
  if (file == NULL) return;
  fseek(file, at, SEEK_SET);
  byte = fgetc(file);
  fseek(file, at, SEEK_SET);
  fputc(byte ^ 1, file);
  fclose(file);
}

C_CASE(c_saves, every_damaged_byte_is_noticed) {
  overture_bytes* bytes = NULL;
  overture_error why = {.size = sizeof why};
  for (long at = 0; at < 46; ++at) {
    CHECK_OK(overture_save_write(in_folder("slot1.save"), "gold 7", 6, &why));
    damage(in_folder("slot1.save"), at);
    CHECK(overture_save_read(in_folder("slot1.save"), &bytes, &why) != OVERTURE_OK);
    CHECK(bytes == NULL);
    CHECK(strstr(why.text, "slot1.save: ") != NULL);
  }
}

C_CASE(c_saves, a_save_that_cannot_be_written_leaves_the_old_one) {
  overture_bytes* bytes = NULL;
  overture_error why = {.size = sizeof why};
  CHECK(overture_save_write(in_folder("absent/slot1.save"), "x", 1, &why) == OVERTURE_NOT_FOUND);
  CHECK(overture_save_write(in_folder("empty"), "x", 1, &why) == OVERTURE_NOT_A_FILE);
  CHECK(overture_save_read(in_folder("empty"), &bytes, &why) == OVERTURE_NOT_A_FILE);
  CHECK(overture_save_read(in_folder("absent.save"), &bytes, &why) == OVERTURE_NOT_FOUND);
  CHECK(overture_save_read(in_folder("mod/new.txt"), &bytes, &why) == OVERTURE_CORRUPT);
}

C_CASE(c_saves, null_is_invalid) {
  overture_bytes* bytes = NULL;
  overture_error why = {.size = sizeof why};
  CHECK_INVALID(overture_save_write(NULL, "x", 1, &why));
  CHECK_INVALID(overture_save_write(in_folder("slot1.save"), NULL, 1, &why));
  CHECK_INVALID(overture_save_read(NULL, &bytes, &why));
  CHECK_INVALID(overture_save_read(in_folder("slot1.save"), NULL, &why));
}

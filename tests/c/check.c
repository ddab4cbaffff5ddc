/* SPDX-License-Identifier: Zlib */
#include <stdio.h>
#include <string.h>

#include "c_test.h"

static void note(void* context, size_t mount, const char* path, const overture_error* why) {
  char* text = (char*)context;
  CHECK(why->text[0] != '\0');
  sprintf(text + strlen(text), "%d %s %s\n", (int)mount, path, overture_code_name(why->code));
}

C_CASE(c_check, damaged_files_are_named_with_their_mount) {
  const char* paths[] = {in_folder("base.zip"), in_folder("mod"), in_folder("damaged.zip")};
  char problems[512] = "";
  overture_check_summary sum = {.size = sizeof sum};
  overture_check_options options = {.size = sizeof options, .threads = 2};
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_check(paths, 3, &options, note, problems, &sum, &why));
  CHECK(strcmp(problems, "2 bad.txt corrupt\n") == 0);
  CHECK(sum.problems == 1);
  CHECK(sum.files == 6); /* the one that the mod hides too */
  CHECK_OK(overture_check(paths, 2, NULL, NULL, NULL, NULL, &why));
  CHECK_OK(overture_check(NULL, 0, NULL, NULL, NULL, &sum, &why));
  CHECK(sum.files == 0);
}

C_CASE(c_check, parts_that_cannot_be_read_are_problems) {
  const char* paths[] = {in_folder("mod"), in_folder("outside.zip")};
  char problems[512] = "";
  overture_check_summary sum = {.size = sizeof sum};
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_check(paths, 2, NULL, note, problems, &sum, &why));
  CHECK(strcmp(problems, "1  unsupported\n") == 0);
  CHECK(sum.problems == 1);
  CHECK(sum.files == 2);
}

C_CASE(c_check, what_cannot_be_mounted_is_an_error) {
  const char* paths[] = {in_folder("mod/new.txt"), NULL};
  overture_check_summary sum = {.size = sizeof sum};
  overture_check_options many = {.size = sizeof many, .threads = 1000000};
  overture_check_summary unsized = {.files = 0};
  overture_error why = {.size = sizeof why};
  CHECK(overture_check(paths, 1, NULL, note, NULL, &sum, &why) == OVERTURE_UNSUPPORTED);
  CHECK(strstr(why.text, "new.txt: ") != NULL);
  CHECK_INVALID(overture_check(&paths[1], 1, NULL, note, NULL, &sum, &why));
  CHECK_INVALID(overture_check(NULL, 1, NULL, note, NULL, &sum, &why));
  CHECK_INVALID(overture_check(NULL, 0, NULL, note, NULL, &unsized, &why));
  CHECK(overture_check(NULL, 0, &many, note, NULL, &sum, &why) == OVERTURE_LIMIT);
}

static overture_files* tree_of(const char* name) {
  overture_files* files = NULL;
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_files_make(NULL, &files, &why));
  CHECK_OK(overture_files_mount(files, in_folder(name), NULL, NULL, &why));
  return files;
}

typedef struct differences {
  char text[512];
  int left;
} differences;

static bool add(void* context, const char* path, int32_t kind, const overture_error* why) {
  static const char* const names[] = {"", "left", "right", "changed", "same", "unreadable"};
  differences* all = (differences*)context;
  CHECK((why != NULL) == (kind == OVERTURE_DIFF_UNREADABLE));
  sprintf(all->text + strlen(all->text), "%s %s\n", names[kind], path);
  return --all->left != 0;
}

C_CASE(c_check, trees_are_compared_file_by_file) {
  overture_files* base = tree_of("base.zip");
  overture_files* mod = tree_of("mod");
  overture_files* same = tree_of("same");
  differences all = {"", 0};
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_diff(base, mod, add, &all, &why));
  CHECK(strcmp(all.text,
               "changed maps/rome.txt\nleft maps/troy.txt\nleft readme.txt\n"
               "right new.txt\n") == 0);
  memset(&all, 0, sizeof all);
  CHECK_OK(overture_diff(mod, same, add, &all, &why)); /* loose files, byte by byte */
  CHECK(strcmp(all.text, "same maps/rome.txt\nchanged new.txt\n") == 0);
  memset(&all, 0, sizeof all);
  CHECK_OK(overture_diff(base, base, add, &all, &why)); /* by checksum */
  CHECK(strcmp(all.text, "same maps/rome.txt\nsame maps/troy.txt\nsame readme.txt\n") == 0);
  memset(&all, 0, sizeof all);
  all.left = 1;
  CHECK_OK(overture_diff(base, mod, add, &all, &why));
  CHECK(strcmp(all.text, "changed maps/rome.txt\n") == 0);
  CHECK_INVALID(overture_diff(NULL, mod, add, &all, &why));
  CHECK_INVALID(overture_diff(base, NULL, add, &all, &why));
  CHECK_INVALID(overture_diff(base, mod, NULL, &all, &why));
  CHECK_OK(overture_files_free(base, &why));
  CHECK_OK(overture_files_free(mod, &why));
  CHECK_OK(overture_files_free(same, &why));
}

C_CASE(c_check, a_file_that_cannot_be_compared_says_why) {
  overture_files* damaged = tree_of("damaged.zip");
  overture_files* loose = tree_of("loose");
  differences all = {"", 0};
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_diff(damaged, loose, add, &all, &why));
  CHECK(strcmp(all.text, "unreadable bad.txt\nleft good.txt\n") == 0);
  CHECK_OK(overture_files_free(damaged, &why));
  CHECK_OK(overture_files_free(loose, &why));
}

C_CASE(c_check, files_are_not_read_if_sizes_or_checksums_decide) {
  overture_files* damaged = tree_of("damaged.zip");
  overture_files* longer = tree_of("longer");
  differences all = {"", 0};
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_diff(damaged, damaged, add, &all, &why));
  CHECK(strcmp(all.text, "same bad.txt\nsame good.txt\n") == 0);
  memset(&all, 0, sizeof all);
  CHECK_OK(overture_diff(damaged, longer, add, &all, &why));
  CHECK(strcmp(all.text, "changed bad.txt\nleft good.txt\n") == 0);
  CHECK_OK(overture_files_free(damaged, &why));
  CHECK_OK(overture_files_free(longer, &why));
}

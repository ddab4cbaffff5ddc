/* SPDX-License-Identifier: Zlib */
#include <string.h>

#include "c_test.h"

C_CASE(c_vfs, later_mounts_win) {
  test_game game = make_game();
  overture_bytes* bytes = NULL;
  overture_error why = {.size = sizeof why};
  CHECK(overture_files_mount_count(game.files) == 2);
  CHECK_OK(overture_files_read(game.files, "maps/rome.txt", &bytes, &why));
  CHECK(same_text(bytes, "rome of the mod\n"));
  overture_bytes_free(bytes);
  CHECK_OK(overture_files_read(game.files, "/maps//troy.txt", &bytes, &why));
  CHECK(same_text(bytes, "troy\n"));
  overture_bytes_free(bytes);
  free_game(&game);
}

C_CASE(c_vfs, options_of_a_tree_are_followed) {
  overture_files* files = NULL;
  overture_bytes* bytes = NULL;
  overture_error why = {.size = sizeof why};
  overture_files_config config = {.size = sizeof config, .ignore_case = true, .first_wins = true};
  CHECK_OK(overture_files_make(&config, &files, &why));
  CHECK_OK(overture_files_mount(files, in_folder("base.zip"), NULL, NULL, &why));
  CHECK_OK(overture_files_mount(files, in_folder("mod"), NULL, NULL, &why));
  CHECK_OK(overture_files_read(files, "Maps/ROME.txt", &bytes, &why));
  CHECK(same_text(bytes, "rome of the base\n"));
  overture_bytes_free(bytes);
  CHECK_OK(overture_files_free(files, &why));
}

static void count(void* context) {
  ++*(int*)context;
}

C_CASE(c_vfs, a_mount_takes_its_options_and_says_when_it_has_ended) {
  overture_files* files = NULL;
  overture_file* open = NULL;
  overture_mount mount = 0;
  int released = 0;
  overture_error why = {.size = sizeof why};
  overture_mount_options options = {.size = sizeof options,
                                    .at = "/dlc/rome/",
                                    .from = "maps/",
                                    .immutable_source = true,
                                    .released = count,
                                    .context = &released};
  CHECK_OK(overture_files_make(NULL, &files, &why));
  CHECK(overture_files_mount(files, in_folder("absent"), &options, &mount, &why) ==
        OVERTURE_NOT_FOUND);
  CHECK(mount == OVERTURE_NO_MOUNT);
  CHECK(released == 0);
  CHECK_OK(overture_files_mount(files, in_folder("base.zip"), &options, &mount, &why));
  CHECK(overture_files_exists(files, "dlc/rome/troy.txt"));
  CHECK(!overture_files_exists(files, "readme.txt"));
  CHECK_OK(overture_file_open(files, "dlc/rome/troy.txt", &open, &why));
  CHECK_OK(overture_files_unmount(files, mount, &why));
  CHECK(released == 0);
  CHECK_OK(overture_file_free(open, &why));
  CHECK(released == 1);
  CHECK(overture_files_unmount(files, mount, &why) == OVERTURE_NOT_FOUND);
  CHECK_OK(overture_files_free(files, &why));
}

static void expect_rome(overture_files* files, const char* text) {
  overture_bytes* rome = NULL;
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_files_read(files, "maps/rome.txt", &rome, &why));
  CHECK(same_text(rome, text));
  overture_bytes_free(rome);
}

C_CASE(c_vfs, a_mount_has_its_place_among_the_others) {
  overture_files* files = NULL;
  overture_mount mounts[3];
  overture_mount_options options = {.size = sizeof options};
  overture_mount_info info = {.size = sizeof info};
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_files_make(NULL, &files, &why));
  CHECK_OK(overture_files_mount(files, in_folder("base.zip"), NULL, &mounts[0], &why));
  options.loses_to = &mounts[0];
  CHECK_OK(overture_files_mount(files, in_folder("mod"), &options, &mounts[1], &why));
  expect_rome(files, "rome of the base\n");
  CHECK_OK(overture_files_mount_at(files, 0, &info, &why));
  CHECK(info.id == mounts[1]); /* the weakest */
  options.wins_over = &mounts[0];
  CHECK_INVALID(overture_files_mount(files, in_folder("same"), &options, NULL, &why));
  options.loses_to = NULL;
  CHECK_OK(overture_files_mount(files, in_folder("same"), &options, &mounts[2], &why));
  expect_rome(files, "rome of the mod\n");
  CHECK_OK(overture_files_unmount(files, mounts[0], &why));
  CHECK(overture_files_mount(files, in_folder("same"), &options, NULL, &why) == OVERTURE_NOT_FOUND);
  CHECK_OK(overture_files_free(files, &why));
}

static void count_end(void* context) {
  ++*(int*)context;
}

C_CASE(c_vfs, mounts_are_exchanged_in_one_step) {
  overture_files* files = NULL;
  int ended = 0;
  const overture_mount_options tells = {
      .size = sizeof tells, .released = count_end, .context = &ended};
  overture_mount mounts[2];
  overture_mount_request in[2] = {{.size = sizeof in[0], .path = in_folder("mod")},
                                  {.size = sizeof in[0], .path = in_folder("absent")}};
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_files_make(NULL, &files, &why));
  CHECK_OK(overture_files_mount(files, in_folder("base.zip"), NULL, &mounts[0], &why));
  in[0].options = &tells;
  CHECK(overture_files_remount(files, mounts, 1, in, 2, mounts, &why) == OVERTURE_NOT_FOUND);
  CHECK(strstr(why.text, "absent: ") != NULL);
  expect_rome(files, "rome of the base\n"); /* nothing has changed */
  CHECK(ended == 0);
  in[1].path = in_folder("loose");
  CHECK_OK(overture_files_remount(files, mounts, 1, in, 2, mounts, &why));
  expect_rome(files, "rome of the mod\n");
  CHECK(overture_files_mount_count(files) == 2);
  CHECK_OK(overture_files_remount(files, mounts, 2, NULL, 0, NULL, &why));
  CHECK(overture_files_mount_count(files) == 0);
  CHECK(ended == 1);
  CHECK_OK(overture_files_remount(files, NULL, 0, in, 1, NULL, &why));
  CHECK(overture_files_mount_count(files) == 1);

  in[0].path = NULL;
  CHECK_INVALID(overture_files_remount(NULL, NULL, 0, NULL, 0, NULL, &why));
  CHECK_INVALID(overture_files_remount(files, NULL, 1, NULL, 0, NULL, &why));
  CHECK_INVALID(overture_files_remount(files, NULL, 0, NULL, 1, NULL, &why));
  CHECK_INVALID(overture_files_remount(files, NULL, 0, in, 1, NULL, &why));
  in[0].path = in_folder("absent");
  CHECK(overture_files_remount(files, NULL, 0, in, 1, NULL, &why) == OVERTURE_NOT_FOUND);
  CHECK(strstr(why.text, "absent: ") != NULL);
  in[1].size = 0;
  CHECK_INVALID(overture_files_remount(files, NULL, 0, in, 2, NULL, &why));
  CHECK(overture_files_remount(files, NULL, 0, in, 5000, NULL, &why) == OVERTURE_LIMIT);
  CHECK_OK(overture_files_free(files, &why));
  CHECK(ended == 2);
}

C_CASE(c_vfs, an_archive_may_be_in_memory) {
  test_game game = make_game();
  overture_files* inner = NULL;
  overture_bytes* archive = NULL;
  overture_bytes* bytes = NULL;
  overture_mount mount = 0;
  overture_mount_info info = {.size = sizeof info};
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_files_mount(game.files, test_folder, NULL, NULL, &why));
  CHECK_OK(overture_files_read(game.files, "base.zip", &archive, &why));
  CHECK_OK(overture_files_make(NULL, &inner, &why));
  CHECK_OK(overture_files_mount_memory(inner, "inner.zip", overture_bytes_data(archive),
                                       overture_bytes_size(archive), NULL, &mount, &why));
  CHECK_OK(overture_files_mount_at(inner, 0, &info, &why));
  CHECK(info.id == mount);
  CHECK(info.entries == 3);
  CHECK(strcmp(info.path, "inner.zip") == 0);
  CHECK(strcmp(info.format, "zip") == 0);
  CHECK(overture_files_mount_at(inner, 1, &info, &why) == OVERTURE_NOT_FOUND);
  CHECK_OK(overture_files_read(inner, "readme.txt", &bytes, &why));
  CHECK(same_text(bytes, "read me\nor not\n"));
  CHECK_OK(overture_files_free(inner, &why));
  CHECK(same_text(bytes, "read me\nor not\n")); /* bytes outlive their tree */
  overture_bytes_free(bytes);
  overture_bytes_free(archive);
  free_game(&game);
}

C_CASE(c_vfs, a_frozen_tree_does_not_change) {
  test_game game = make_game();
  overture_error why = {.size = sizeof why};
  CHECK(!overture_files_is_frozen(game.files));
  CHECK_OK(overture_files_freeze(game.files, &why));
  CHECK(overture_files_is_frozen(game.files));
  CHECK(overture_files_mount(game.files, in_folder("empty"), NULL, NULL, &why) == OVERTURE_FROZEN);
  CHECK(overture_files_unmount(game.files, 0, &why) == OVERTURE_FROZEN);
  CHECK_OK(overture_files_thaw(game.files, &why));
  CHECK(!overture_files_is_frozen(game.files));
  CHECK_OK(overture_files_mount(game.files, in_folder("empty"), NULL, NULL, &why));
  free_game(&game);
}

C_CASE(c_vfs, names_that_cannot_be_in_the_tree_are_listed) {
  overture_files* files = NULL;
  overture_problem problem = {.size = sizeof problem};
  overture_mount mount = 0;
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_files_make(NULL, &files, &why));
  CHECK_OK(overture_files_mount(files, in_folder("odd.zip"), NULL, &mount, &why));
  CHECK(overture_files_problem_count(files) == 1);
  CHECK_OK(overture_files_problem(files, 0, &problem, &why));
  CHECK(problem.id == mount);
  CHECK(problem.code == OVERTURE_OK);
  CHECK(strcmp(problem.name, "C:/drive.txt") == 0);
  CHECK(strstr(problem.reason, "drive letter") != NULL);
  CHECK(overture_files_problem(files, 1, &problem, &why) == OVERTURE_NOT_FOUND);
  CHECK_OK(overture_files_free(files, &why));
}

C_CASE(c_vfs, parts_that_cannot_be_read_are_listed_first) {
  overture_files* files = NULL;
  overture_problem problem = {.size = sizeof problem};
  overture_mount mount = 0;
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_files_make(NULL, &files, &why));
  CHECK_OK(overture_files_mount(files, in_folder("odd.zip"), NULL, NULL, &why));
  CHECK_OK(overture_files_mount(files, in_folder("outside.zip"), NULL, &mount, &why));
  CHECK(overture_files_problem_count(files) == 3);
  CHECK_OK(overture_files_problem(files, 0, &problem, &why));
  CHECK(problem.id == mount);
  CHECK(problem.code == OVERTURE_UNSUPPORTED);
  CHECK(strcmp(problem.name, "") == 0);
  CHECK(strstr(problem.reason, "every file of the archive was skipped") != NULL);
  CHECK_OK(overture_files_problem(files, 1, &problem, &why));
  CHECK(problem.code == OVERTURE_OK);
  CHECK(strcmp(problem.name, "C:/drive.txt") == 0);
  CHECK_OK(overture_files_problem(files, 2, &problem, &why));
  CHECK(problem.id == mount);
  CHECK(strcmp(problem.name, "../up.txt") == 0);
  CHECK_OK(overture_files_free(files, &why));
}

C_CASE(c_vfs, files_and_folders_are_described) {
  test_game game = make_game();
  overture_stat stat = {.size = sizeof stat};
  overture_mount mounts[2] = {9, 9};
  size_t providers = 0;
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_files_stat(game.files, "maps/rome.txt", &stat, &why));
  CHECK(!stat.is_folder);
  CHECK(stat.bytes == 16);
  CHECK(stat.mtime_ns > 0);
  CHECK_OK(overture_files_providers(game.files, "maps/rome.txt", mounts, 2, &providers, &why));
  CHECK(providers == 2);
  CHECK(mounts[0] == stat.mount);
  CHECK(mounts[1] != stat.mount);
  CHECK_OK(overture_files_providers(game.files, "maps/rome.txt", NULL, 0, &providers, &why));
  CHECK(providers == 2);
  CHECK_OK(overture_files_stat(game.files, "", &stat, &why));
  CHECK(stat.is_folder);
  CHECK(overture_files_stat(game.files, "maps/gaul.txt", &stat, &why) == OVERTURE_NOT_FOUND);
  CHECK(strstr(why.text, "maps/gaul.txt") != NULL);
  CHECK(overture_files_stat(game.files, "../etc", &stat, &why) == OVERTURE_BAD_PATH);
  free_game(&game);
}

typedef struct names {
  char text[256];
  int left; /* visits before the end */
} names;

static bool add_name(void* context, const overture_item* item) {
  names* all = (names*)context;
  CHECK(item->size == sizeof *item);
  CHECK(strstr(item->path, item->name) != NULL);
  strcat(all->text, item->name);
  strcat(all->text, item->is_folder ? "/ " : " ");
  return --all->left != 0;
}

C_CASE(c_vfs, folders_are_listed_and_walked_in_order) {
  test_game game = make_game();
  names all = {"", 0};
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_files_list(game.files, "", add_name, &all, &why));
  CHECK(strcmp(all.text, "maps/ new.txt readme.txt ") == 0);
  memset(&all, 0, sizeof all);
  CHECK_OK(overture_files_walk(game.files, "", add_name, &all, &why));
  CHECK(strcmp(all.text, "maps/rome.txt maps/troy.txt new.txt readme.txt ") == 0);
  memset(&all, 0, sizeof all);
  all.left = 1;
  CHECK_OK(overture_files_walk(game.files, "maps", add_name, &all, &why));
  CHECK(strcmp(all.text, "rome.txt ") == 0);
  CHECK(overture_files_list(game.files, "absent", add_name, &all, &why) == OVERTURE_NOT_FOUND);
  CHECK(overture_files_list(game.files, "new.txt", add_name, &all, &why) == OVERTURE_NOT_A_FILE);
  free_game(&game);
}

C_CASE(c_vfs, a_file_is_read_in_pieces_at_any_place) {
  test_game game = make_game();
  overture_file* file = NULL;
  char room[32];
  size_t got = 99;
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_file_open(game.files, "maps/rome.txt", &file, &why));
  CHECK(overture_files_free(game.files, &why) == OVERTURE_BUSY);
  CHECK(overture_file_size(file) == 16);
  CHECK_OK(overture_file_read(file, room, 4, &got, &why));
  CHECK(got == 4 && memcmp(room, "rome", 4) == 0);
  CHECK(overture_file_position(file) == 4);
  CHECK_OK(overture_file_seek(file, 8, &why));
  CHECK_OK(overture_file_read(file, room, sizeof room, &got, &why));
  CHECK(got == 8 && memcmp(room, "the mod\n", 8) == 0);
  CHECK_OK(overture_file_read(file, room, sizeof room, &got, &why));
  CHECK(got == 0);
  CHECK_INVALID(overture_file_seek(file, 17, &why));
  CHECK_OK(overture_file_free(file, &why));
  CHECK(overture_file_open(game.files, "absent.txt", &file, &why) == OVERTURE_NOT_FOUND);
  CHECK(file == NULL);
  free_game(&game);
}

C_CASE(c_vfs, a_damaged_file_is_an_error_that_names_it) {
  overture_files* files = NULL;
  overture_bytes* bytes = NULL;
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_files_make(NULL, &files, &why));
  CHECK_OK(overture_files_mount(files, in_folder("damaged.zip"), NULL, NULL, &why));
  CHECK(overture_files_read(files, "bad.txt", &bytes, &why) == OVERTURE_CORRUPT);
  CHECK(bytes == NULL);
  CHECK(strstr(why.text, "bad.txt") != NULL);
  CHECK(strstr(why.text, "damaged.zip") != NULL);
  CHECK(overture_files_read(files, "absent.txt", &bytes, &why) == OVERTURE_NOT_FOUND);
  CHECK(strstr(why.text, "absent.txt") != NULL);
  CHECK_OK(overture_files_free(files, &why));
}

C_CASE(c_vfs, files_are_written_where_that_is_allowed) {
  overture_files* files = NULL;
  overture_bytes* bytes = NULL;
  overture_mount base = 0;
  overture_mount saves = 0;
  overture_mount_options options = {.size = sizeof options, .at = "saves", .writable = true};
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_files_make(NULL, &files, &why));
  CHECK_OK(overture_files_mount(files, in_folder("base.zip"), NULL, &base, &why));
  CHECK_OK(overture_files_mount(files, in_folder("empty"), &options, &saves, &why));
  CHECK_OK(overture_files_make_folder(files, saves, "saves/one", &why));
  CHECK_OK(overture_files_write(files, saves, "saves/one/a.txt", "first", 5, &why));
  CHECK_OK(overture_files_write(files, saves, "saves/one/a.txt", "second", 6, &why));
  CHECK_OK(overture_files_read(files, "saves/one/a.txt", &bytes, &why));
  CHECK(same_text(bytes, "second"));
  overture_bytes_free(bytes);
  CHECK(overture_files_remove(files, saves, "saves/one", &why) == OVERTURE_EXISTS);
  CHECK_OK(overture_files_remove(files, saves, "saves/one/a.txt", &why));
  CHECK(!overture_files_exists(files, "saves/one/a.txt"));
  CHECK(overture_files_write(files, base, "readme.txt", "x", 1, &why) == OVERTURE_PERMISSION);
  CHECK(overture_files_write(files, saves, "../x.txt", "x", 1, &why) == OVERTURE_BAD_PATH);
  CHECK(overture_files_write(files, saves, "saves/two/x", "x", 1, &why) == OVERTURE_NOT_FOUND);
  CHECK_OK(overture_files_free(files, &why));
}

static void read_some(void* context, size_t first, size_t last) {
  overture_files* files = ((test_game*)context)->files;
  for (size_t i = first; i < last; ++i) {
    overture_bytes* bytes = NULL;
    overture_error why = {.size = sizeof why};
    CHECK_OK(overture_files_read(files, i % 2 == 0 ? "maps/rome.txt" : "readme.txt", &bytes, &why));
    CHECK(same_text(bytes, i % 2 == 0 ? "rome of the mod\n" : "read me\nor not\n"));
    overture_bytes_free(bytes);
    if (i % 16 == 0) {
      overture_mount mount = 0;
      CHECK_OK(overture_files_mount(files, in_folder("empty"), NULL, &mount, &why));
      CHECK_OK(overture_files_unmount(files, mount, &why));
    }
  }
}

C_CASE(c_vfs, threads_read_while_others_mount) {
  test_game game = make_game();
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_parallel_for(game.pool, 0, 256, 1, read_some, &game, &why));
  free_game(&game);
}

C_CASE(c_vfs, null_in_place_of_a_tree_is_invalid) {
  overture_files* files = NULL;
  overture_bytes* bytes = NULL;
  overture_file* file = NULL;
  overture_mount_info info = {.size = sizeof info};
  overture_problem problem = {.size = sizeof problem};
  overture_stat stat = {.size = sizeof stat};
  overture_error why = {.size = sizeof why};
  size_t count_of = 0;
  CHECK_INVALID(overture_files_make(NULL, NULL, &why));
  CHECK_OK(overture_files_free(NULL, &why));
  CHECK_INVALID(overture_files_mount(files, "x", NULL, NULL, &why));
  CHECK_INVALID(overture_files_mount_memory(files, "x", "x", 1, NULL, NULL, &why));
  CHECK_INVALID(overture_files_unmount(files, 0, &why));
  CHECK(overture_files_mount_count(files) == 0);
  CHECK_INVALID(overture_files_mount_at(files, 0, &info, &why));
  CHECK(overture_files_problem_count(files) == 0);
  CHECK_INVALID(overture_files_problem(files, 0, &problem, &why));
  CHECK_INVALID(overture_files_freeze(files, &why));
  CHECK_INVALID(overture_files_thaw(files, &why));
  CHECK(!overture_files_is_frozen(files));
  CHECK_INVALID(overture_files_stat(files, "x", &stat, &why));
  CHECK(!overture_files_exists(files, "x"));
  CHECK_INVALID(overture_files_providers(files, "x", NULL, 0, &count_of, &why));
  CHECK_INVALID(overture_files_list(files, "", add_name, NULL, &why));
  CHECK_INVALID(overture_files_walk(files, "", add_name, NULL, &why));
  CHECK_INVALID(overture_files_read(files, "x", &bytes, &why));
  CHECK_INVALID(overture_file_open(files, "x", &file, &why));
  CHECK_OK(overture_file_free(NULL, &why));
  CHECK(overture_file_size(NULL) == 0);
  CHECK(overture_file_position(NULL) == 0);
  CHECK_INVALID(overture_file_seek(NULL, 0, &why));
  CHECK_INVALID(overture_file_read(NULL, NULL, 0, &count_of, &why));
  CHECK_INVALID(overture_files_write(files, 0, "x", "x", 1, &why));
  CHECK_INVALID(overture_files_make_folder(files, 0, "x", &why));
  CHECK_INVALID(overture_files_remove(files, 0, "x", &why));
}

C_CASE(c_vfs, null_in_place_of_an_argument_is_invalid) {
  test_game game = make_game();
  overture_files* files = game.files;
  overture_bytes* bytes = NULL;
  overture_file* file = NULL;
  overture_stat unsized = {.bytes = 0};
  overture_error why = {.size = sizeof why};
  size_t count_of = 0;
  CHECK_INVALID(overture_files_mount(files, NULL, NULL, NULL, &why));
  CHECK_INVALID(overture_files_mount_memory(files, NULL, "x", 1, NULL, NULL, &why));
  CHECK_INVALID(overture_files_mount_memory(files, "x", NULL, 1, NULL, NULL, &why));
  CHECK_INVALID(overture_files_mount_at(files, 0, NULL, &why));
  CHECK_INVALID(overture_files_stat(files, NULL, &unsized, &why));
  CHECK_INVALID(overture_files_stat(files, "new.txt", NULL, &why));
  CHECK_INVALID(overture_files_stat(files, "new.txt", &unsized, &why));
  CHECK(!overture_files_exists(files, NULL));
  CHECK_INVALID(overture_files_providers(files, "x", NULL, 1, &count_of, &why));
  CHECK_INVALID(overture_files_providers(files, "x", NULL, 0, NULL, &why));
  CHECK_INVALID(overture_files_list(files, NULL, add_name, NULL, &why));
  CHECK_INVALID(overture_files_list(files, "", NULL, NULL, &why));
  CHECK_INVALID(overture_files_walk(files, "", NULL, NULL, &why));
  CHECK_INVALID(overture_files_read(files, NULL, &bytes, &why));
  CHECK_INVALID(overture_files_read(files, "new.txt", NULL, &why));
  CHECK_INVALID(overture_file_open(files, NULL, &file, &why));
  CHECK_INVALID(overture_file_open(files, "new.txt", NULL, &why));
  CHECK_OK(overture_file_open(files, "new.txt", &file, &why));
  CHECK_INVALID(overture_file_read(file, NULL, 1, &count_of, &why));
  CHECK_INVALID(overture_file_read(file, NULL, 0, NULL, &why));
  CHECK_OK(overture_file_free(file, &why));
  CHECK_INVALID(overture_files_write(files, 0, "x", NULL, 1, &why));
  CHECK_INVALID(overture_files_write(files, 0, NULL, "x", 1, &why));
  free_game(&game);
}

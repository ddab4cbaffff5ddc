/* SPDX-License-Identifier: Zlib */
/* What the tests in C use: checks that GoogleTest hears of, and the files that each test finds. */
#pragma once

#include "overture/c/loaders.h"
#include "overture/c/overture.h"
#include "overture/c/sounds.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The folder has
     base.zip      maps/rome.txt (packed), maps/troy.txt, readme.txt
     mod/          maps/rome.txt, new.txt
     damaged.zip   good.txt, bad.txt with a wrong checksum
     loose/        bad.txt, with the bytes of damaged.zip's
     same/         maps/rome.txt as in mod/, new.txt with other bytes
     longer/       bad.txt of another size
     outside.zip   a name that leads out of the tree, and nothing else: that is a failure
     odd/          a name that cannot be in a tree
     empty/        a folder, to write to */
extern const char* test_folder;
/* A path below it, in one of a few rooms of the thread, used in turn. */
const char* in_folder(const char* name);

void check_failed(const char* file, int line, const char* what, const char* why);

#define CHECK(condition) ((condition) ? (void)0 : check_failed(__FILE__, __LINE__, #condition, ""))
/* The call takes `why`, an overture_error, which says what went wrong. */
#define CHECK_OK(call) \
  ((call) == OVERTURE_OK ? (void)0 : check_failed(__FILE__, __LINE__, #call, why.text))
#define CHECK_INVALID(call) CHECK((call) == OVERTURE_INVALID)

/* A test: the C++ source of the same name tells GoogleTest of it. */
#define C_CASE(suite, name)  \
  void suite##_##name(void); \
  void suite##_##name(void)

/* The tree of base.zip and mod/, with a pool and reads on it. */
typedef struct test_game {
  overture_files* files;
  overture_pool* pool;
  overture_reads* reads;
} test_game;

test_game make_game(void);
void free_game(test_game* game);
int same_text(const overture_bytes* bytes, const char* text);

#ifdef __cplusplus
}
#endif

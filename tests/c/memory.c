/* SPDX-License-Identifier: Zlib */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "c_test.h"

/* Memory of the program, which is counted by what it is for. Each block remembers its size. */
typedef struct counts {
  volatile unsigned taken;
  size_t live; /* blocks */
  size_t calls[8];
  int wrong;
  bool refuses;
} counts;

typedef struct block {
  void* begin; /* of malloc */
  size_t bytes, alignment;
  int32_t tag;
} block;

static void lock(counts* of) {
  while (!__sync_bool_compare_and_swap(&of->taken, 0u, 1u)) {
  }
}
static void unlock(counts* of) {
  __sync_lock_release(&of->taken);
}

static void* take(void* context, size_t bytes, size_t alignment, int32_t tag) {
  counts* const of = (counts*)context;
  const size_t room = alignment > 64 ? alignment : 64;
  char* const begin = of->refuses ? NULL : (char*)malloc(bytes + 2 * room);
  char* const memory = begin + room + (room - (size_t)(uintptr_t)begin % room) % room;
  block* const head = (block*)(void*)(memory - room);
  if (begin == NULL) return NULL;
  head->begin = begin;
  head->bytes = bytes;
  head->alignment = alignment;
  head->tag = tag;
  lock(of);
  ++of->live;
  if (bytes == 0 || tag < 0 || tag > OVERTURE_MEMORY_HOST) ++of->wrong;
  ++of->calls[tag & 7];
  unlock(of);
  return memory;
}

static void give(void* context, void* memory, size_t bytes, size_t alignment, int32_t tag) {
  counts* const of = (counts*)context;
  const size_t room = alignment > 64 ? alignment : 64;
  block* const head = (block*)(void*)((char*)memory - room);
  lock(of);
  --of->live;
  if (head->bytes != bytes || head->alignment != alignment || head->tag != tag) ++of->wrong;
  unlock(of);
  memset(memory, 0xdd, bytes); /* so that a later use is seen */
  free(head->begin);
}

static overture_allocator memory_of(counts* of) {
  const overture_allocator made = {
      .size = sizeof made, .context = of, .allocate = take, .deallocate = give};
  return made;
}

static overture_code copy_bytes(void* context, const char* path, const void* bytes,
                                size_t byte_count, overture_needs* needs, void** value,
                                const char** reason) {
  (void)context, (void)path, (void)bytes, (void)needs, (void)reason;
  *value = malloc(byte_count + 1);
  return OVERTURE_OK;
}
static void free_copy(void* context, void* value) {
  (void)context;
  free(value);
}

C_CASE(c_memory, of_the_program_stays_until_the_last_files_are_gone) {
  counts of;
  overture_error why = {.size = sizeof why};
  memset(&of, 0, sizeof of);
  const overture_allocator memory = memory_of(&of);
  const overture_files_config config = {.size = sizeof config, .memory = &memory};
  overture_files* files = NULL;
  CHECK_OK(overture_files_make(&config, &files, &why));
  CHECK(of.live > 0);
  CHECK_OK(overture_files_free(files, &why));
  CHECK(of.live == 0);
  CHECK(of.wrong == 0);
}

static void expect_used(counts* of, int32_t tag) {
  lock(of);
  CHECK(of->calls[tag] > 0);
  CHECK(of->live > 0);
  CHECK(of->wrong == 0);
  unlock(of);
}

C_CASE(c_memory, of_the_program_is_used_by_what_it_was_given_to) {
  counts of[6];
  overture_allocator memory[6];
  overture_error why = {.size = sizeof why};
  memset(of, 0, sizeof of);
  for (int i = 0; i < 6; ++i) memory[i] = memory_of(&of[i]);
  const overture_files_config files_of = {.size = sizeof files_of, .memory = &memory[0]};
  const overture_pool_config pool_of = {.size = sizeof pool_of, .memory = &memory[1]};
  const overture_reads_config reads_of = {.size = sizeof reads_of, .memory = &memory[2]};
  const overture_store_config store_of = {.size = sizeof store_of, .memory = &memory[3]};
  const overture_load_options load_of = {.size = sizeof load_of, .memory = &memory[4]};
  const overture_timeline_config timeline_of = {.size = sizeof timeline_of, .memory = &memory[5]};
  overture_timeline* timeline = NULL;
  overture_files* files = NULL;
  overture_pool* pool = NULL;
  overture_reads* reads = NULL;
  overture_store* store = NULL;
  overture_load* load = NULL;
  overture_bytes* bytes = NULL;
  overture_asset* asset = NULL;
  overture_asset_type type = 0;
  const overture_loader loader = {.size = sizeof loader, .decode = copy_bytes, .unload = free_copy};

  CHECK_OK(overture_timeline_make(&timeline_of, &timeline, &why));
  CHECK_OK(overture_timeline_attach(timeline, "main", &why));
  expect_used(&of[5], OVERTURE_MEMORY_TRACE);
  CHECK_OK(overture_files_make(&files_of, &files, &why));
  CHECK_OK(overture_files_mount(files, in_folder("base.zip"), NULL, NULL, &why));
  CHECK_OK(overture_files_read(files, "readme.txt", &bytes, &why));
  expect_used(&of[0], OVERTURE_MEMORY_VFS);
  expect_used(&of[0], OVERTURE_MEMORY_IO);
  CHECK_OK(overture_pool_make(&pool_of, &pool, &why));
  expect_used(&of[1], OVERTURE_MEMORY_JOBS);
  CHECK_OK(overture_reads_make(files, pool, &reads_of, &reads, &why));
  expect_used(&of[2], OVERTURE_MEMORY_IO);
  CHECK_OK(overture_store_make(reads, &store_of, &store, &why));
  CHECK_OK(overture_store_add(store, &loader, &type, &why));
  CHECK_OK(overture_store_get(store, type, "readme.txt", OVERTURE_ASSET_NORMAL, &asset, &why));
  CHECK_OK(overture_asset_wait(asset, UINT64_MAX, &why));
  expect_used(&of[3], OVERTURE_MEMORY_LOAD);
  CHECK_OK(overture_files_freeze(files, &why));
  CHECK_OK(overture_load_start(reads, &load_of, &load, &why));
  CHECK_OK(overture_load_wait_for(load, UINT64_MAX, &why));
  expect_used(&of[4], OVERTURE_MEMORY_LOAD);

  CHECK_OK(overture_load_free(load, &why));
  CHECK_OK(overture_asset_free(asset, &why));
  CHECK_OK(overture_store_free(store, &why));
  CHECK_OK(overture_reads_free(reads, &why));
  CHECK_OK(overture_pool_free(pool, &why));
  CHECK_OK(overture_files_free(files, &why));
  CHECK_OK(overture_timeline_free(timeline, &why));
  CHECK(of[0].live > 0); /* the bytes are its, too */
  overture_bytes_free(bytes);
  for (int i = 0; i < 6; ++i) {
    CHECK(of[i].live == 0);
    CHECK(of[i].wrong == 0);
  }
}

/* Two by two pixels, and a sound of two frames. */
static void put_files(void) {
  const unsigned char tga[] = {0,  0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2, 0, 32,
                               40, 1, 1, 1, 9, 1, 1, 1, 9, 1, 1, 1, 9, 1, 1, 1, 9};
  const uint32_t wav[] = {0x46464952, 40,    0x45564157, 0x20746D66, 16, 0x00010001,
                          22050,      44100, 0x00100002, 0x61746164, 4,  0xFFFF0001};
  FILE* file = fopen(in_folder("empty/wall.tga"), "wb");
  CHECK(file != NULL && fwrite(tga, sizeof tga, 1, file) == 1 && fclose(file) == 0);
  file = fopen(in_folder("empty/shot.wav"), "wb");
  CHECK(file != NULL && fwrite(wav, sizeof wav, 1, file) == 1 && fclose(file) == 0);
}

C_CASE(c_memory, of_the_program_has_images_and_sounds) {
  counts of[2];
  overture_allocator memory[2];
  test_game game = make_game();
  overture_error why = {.size = sizeof why};
  overture_store* store = NULL;
  overture_asset* wall = NULL;
  overture_sound* shot = NULL;
  overture_asset_type type = 0;
  overture_loader images = {.size = sizeof images};
  memset(of, 0, sizeof of);
  for (int i = 0; i < 2; ++i) memory[i] = memory_of(&of[i]);
  put_files();
  CHECK_OK(overture_files_mount(game.files, in_folder("empty"), NULL, NULL, &why));
  overture_image_options images_of = {.size = sizeof images_of, .memory = &memory[0]};
  CHECK_OK(overture_loader_of_kind(OVERTURE_KIND_IMAGE, &images_of, &images, &why));
  CHECK_OK(overture_store_make(game.reads, NULL, &store, &why));
  CHECK_OK(overture_store_add(store, &images, &type, &why));
  CHECK_OK(overture_store_get(store, type, "wall.tga", 0, &wall, &why));
  CHECK_OK(overture_asset_wait(wall, UINT64_MAX, &why));
  expect_used(&of[0], OVERTURE_MEMORY_DECODE);
  CHECK_OK(overture_asset_free(wall, &why));
  CHECK_OK(overture_store_free(store, &why));

  overture_sound_config sound_of = {.size = sizeof sound_of, .memory = &memory[1]};
  CHECK_OK(overture_sound_open(game.files, "shot.wav", &sound_of, &shot, &why));
  CHECK(of[1].live > 0);
  overture_sound_free(shot);
  for (int i = 0; i < 2; ++i) {
    CHECK(of[i].live == 0);
    CHECK(of[i].wrong == 0);
  }
  memory[0].size = 0;
  CHECK_INVALID(overture_loader_of_kind(OVERTURE_KIND_IMAGE, &images_of, &images, &why));
  memory[1].allocate = NULL;
  CHECK_INVALID(overture_sound_open(game.files, "shot.wav", &sound_of, &shot, &why));
  of[1].refuses = true;
  memory[1] = memory_of(&of[1]);
  CHECK(overture_sound_open(game.files, "shot.wav", &sound_of, &shot, &why) ==
        OVERTURE_OUT_OF_MEMORY);
  free_game(&game);
}

C_CASE(c_memory, of_the_program_may_be_refused) {
  counts of;
  overture_error why = {.size = sizeof why};
  overture_files* files = NULL;
  memset(&of, 0, sizeof of);
  const overture_allocator memory = memory_of(&of);
  const overture_files_config files_of = {.size = sizeof files_of, .memory = &memory};
  of.refuses = true;
  CHECK(overture_files_make(&files_of, &files, &why) == OVERTURE_OUT_OF_MEMORY);
  CHECK(files == NULL);
}

C_CASE(c_memory, needs_both_functions_and_a_size) {
  counts of;
  const overture_files_config unset = {.size = sizeof unset};
  overture_files_config files_of = unset;
  overture_error why = {.size = sizeof why};
  overture_files* files = NULL;
  memset(&of, 0, sizeof of);
  overture_allocator memory = memory_of(&of);
  files_of.memory = &memory;
  memory.size = 0;
  CHECK_INVALID(overture_files_make(&files_of, &files, &why));
  CHECK(strstr(why.text, "size") != NULL);
  memory = memory_of(&of);
  memory.deallocate = NULL;
  CHECK_INVALID(overture_files_make(&files_of, &files, &why));
  memory = memory_of(&of);
  memory.allocate = NULL;
  CHECK_INVALID(overture_files_make(&files_of, &files, &why));
  CHECK(files == NULL);
}

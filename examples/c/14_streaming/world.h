/* SPDX-License-Identifier: Zlib */
/* A world to stream, whose tiles are files in a folder, and the store that loads it. Include it
   first. */
#pragma once

#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "overture/c/loaders.h"
#include "overture/c/overture.h"

enum { world_side = 48 }; /* tiles */

#define world_folder "overture_example_14"
static const char* const world_grounds[] = {"grass", "sand", "rock", "water"};

static void world_path_of_tile(char (*path)[40], int x, int y) {
  snprintf(*path, sizeof *path, "tiles/%d_%d.txt", x, y);
}

static void world_write(const char* path, const char* text, int times) {
  char name[80];
  FILE* file = NULL;
  snprintf(name, sizeof name, "%s/%s", world_folder, path);
  file = fopen(name, "wb");
  if (file == NULL) return;
  while (times-- > 0) fwrite(text, 1, strlen(text), file);
  fclose(file);
}

/* In the current folder. */
static void world_make(void) {
  char path[40];
  char ground[40];
  int i = 0;
  mkdir(world_folder, 0777);
  mkdir(world_folder "/tiles", 0777);
  mkdir(world_folder "/grounds", 0777);
  for (i = 0; i < 4; ++i) {
    snprintf(path, sizeof path, "grounds/%s", world_grounds[i]);
    world_write(path, world_grounds[i], 40000);
  }
  for (i = 0; i < world_side * world_side; ++i) {
    const int x = i % world_side;
    const int y = i / world_side;
    world_path_of_tile(&path, x, y);
    snprintf(ground, sizeof ground, "grounds/%s", world_grounds[(x / 5 + y / 7) % 4]);
    world_write(path, ground, 1);
  }
}

static void world_remove_file(const char* path) {
  char name[80];
  snprintf(name, sizeof name, "%s/%s", world_folder, path);
  remove(name);
}

static void world_remove(void) {
  char path[40];
  int i = 0;
  for (i = 0; i < 4; ++i) {
    snprintf(path, sizeof path, "grounds/%s", world_grounds[i]);
    world_remove_file(path);
  }
  for (i = 0; i < world_side * world_side; ++i) {
    world_path_of_tile(&path, i % world_side, i / world_side);
    world_remove_file(path);
  }
  rmdir(world_folder "/tiles");
  rmdir(world_folder "/grounds");
  rmdir(world_folder);
}

/* Stands for what a game does for the rest of a frame: a hundredth of a second. */
static void world_draw(void) {
  const struct timespec hundredth = {0, 10000000};
  nanosleep(&hundredth, NULL);
}

typedef struct world_game {
  overture_files* files;
  overture_pool* pool;
  overture_reads* reads;
  overture_store* store;
} world_game;

static overture_code world_open(world_game* game, overture_error* why) {
  overture_code code = OVERTURE_OK;
  world_make();
  code = overture_files_make(NULL, &game->files, why);
  if (!code) code = overture_files_mount(game->files, world_folder, NULL, NULL, why);
  if (!code) code = overture_pool_make(NULL, &game->pool, why);
  if (!code) code = overture_reads_make(game->files, game->pool, NULL, &game->reads, why);
  if (!code) code = overture_store_make(game->reads, NULL, &game->store, why);
  return code;
}

static void world_close(world_game* game) {
  overture_store_free(game->store, NULL);
  overture_reads_free(game->reads, NULL);
  overture_pool_free(game->pool, NULL);
  overture_files_free(game->files, NULL);
  world_remove();
}

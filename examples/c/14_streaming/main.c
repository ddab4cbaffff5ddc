/* SPDX-License-Identifier: Zlib */
/* Walks through a world whose tiles load as they come near, the nearest first, and leave behind:
   examples/14_streaming in C. The distance of a tile becomes its priority in each frame. */
#include "world.h"

#include <math.h>

enum { view = 12, tiles_max = world_side * world_side };
static overture_asset_type grounds, tiles;

/* A tile is its ground. */
static overture_code make_tile(void* context, const char* path, const void* bytes, size_t size,
                               overture_needs* needs, void** value, const char** reason) {
  char ground[40];
  (void)context, (void)path, (void)reason;
  snprintf(ground, sizeof ground, "%.*s", (int)size, (const char*)bytes);
  return overture_needs_asset(needs, grounds, ground, (overture_asset**)value, NULL);
}
static void free_tile(void* context, void* value) {
  (void)context;
  overture_asset_free(value, NULL);
}

/* What is in view is held, with the priority of its distance. */
static void follow(overture_store* store, overture_asset** held, double x, double y) {
  static overture_asset* changed[tiles_max];
  static int32_t priorities[tiles_max];
  size_t count = 0;
  for (int i = 0; i < tiles_max; ++i) {
    const double away = hypot(i % world_side - x, i / world_side - y);
    const int32_t priority = 31 - (int32_t)(63 * away / view); /* of the class of NORMAL */
    char path[40];
    if (away > view) {
      overture_asset_free(held[i], NULL);
      held[i] = NULL;
      continue;
    }
    world_path_of_tile(&path, i % world_side, i / world_side);
    if (held[i] == NULL) overture_store_get(store, tiles, path, priority, &held[i], NULL);
    if (held[i] == NULL || overture_asset_value(held[i]) != NULL) continue;
    changed[count] = held[i];
    priorities[count++] = priority;
  }
  overture_store_set_priorities(store, changed, priorities, count, NULL);
}

static void count_event(void* context, const overture_asset_event* event) {
  ++((int*)context)[event->kind];
  if (event->kind == OVERTURE_ASSET_FAILED) fprintf(stderr, "%s\n", event->why->text);
}

static int walk(overture_store* store) {
  static overture_asset* held[tiles_max];
  int counts[5] = {0};
  for (int frame = 0; frame < 60; ++frame) {
    const double x = 6 + 0.6 * frame;
    follow(store, held, x, 24 + 14 * sin(x / 6));
    overture_store_pump(store, 2000000, NULL); /* 2 ms */
    overture_store_take_events(store, count_event, counts, NULL);
    world_draw();
  }
  for (int i = 0; i < tiles_max; ++i) {
    if (held[i] != NULL) overture_asset_wait(held[i], UINT64_MAX, NULL);
    overture_asset_free(held[i], NULL);
  }
  overture_store_take_events(store, count_event, counts, NULL);
  printf("loaded %d, left %d, failed %d\n", counts[OVERTURE_ASSET_LOADED],
         counts[OVERTURE_ASSET_UNLOADED], counts[OVERTURE_ASSET_FAILED]);
  return counts[OVERTURE_ASSET_FAILED];
}

int main(void) {
  overture_loader of_grounds = {.size = sizeof of_grounds}; /* a game's would be images */
  const overture_loader of_tiles = {
      .size = sizeof of_tiles, .decode = make_tile, .unload = free_tile};
  world_game game = {NULL, NULL, NULL, NULL};
  overture_error why = {.size = sizeof why};
  int failures = 1;
  overture_code code = world_open(&game, &why);
  if (!code) code = overture_loader_of_kind(OVERTURE_KIND_BINARY, NULL, &of_grounds, &why);
  if (!code) code = overture_store_add(game.store, &of_grounds, &grounds, &why);
  if (!code) code = overture_store_add(game.store, &of_tiles, &tiles, &why);
  if (!code) failures = walk(game.store);
  if (code) fprintf(stderr, "%s\n", why.text);
  world_close(&game);
  return failures == 0 ? 0 : 1;
}

/* SPDX-License-Identifier: Zlib */
// Jobs on all cores, and a barricade that holds threads back until something is ready.
#include <overture/c/overture.h>
#include <stdio.h>

enum { HEIGHTS = 1000, UNITS = 16 };

typedef struct world {
  overture_barricade map_ready;
  uint32_t map[HEIGHTS];
} world;

typedef struct unit {
  world* in;
  uint64_t number;
  uint64_t sum;
} unit;

static void look_at_map(void* context) {
  unit* self = (unit*)context;
  overture_barricade_wait(&self->in->map_ready);  // all waiters are released together
  for (int i = 0; i < HEIGHTS; ++i) self->sum += self->in->map[i] * self->number;
}

static void make_map(void* context, size_t first, size_t last) {
  world* here = (world*)context;
  for (size_t i = first; i < last; ++i) here->map[i] = (uint32_t)i;
}

int main(void) {
  static world here;
  static unit units[UNITS];
  uint64_t total = 0;
  overture_pool* jobs = NULL;
  overture_group* group = NULL;
  overture_error why = {.size = sizeof why};
  overture_code code = overture_pool_make(NULL, &jobs, &why);
  if (!code) code = overture_group_make(jobs, &group, &why);
  if (code) {
    fprintf(stderr, "%s\n", why.text);
    return 1;
  }
  // Raised, it blocks: no unit may look at the map before it is ready. Checking it is one load.
  overture_barricade_init(&here.map_ready, false);
  for (uint64_t i = 0; i < UNITS; ++i) {
    units[i] = (unit){.in = &here, .number = i};
    overture_pool_submit(jobs, look_at_map, &units[i], group, NULL, NULL);
  }
  // Makes the map on all cores. This thread works too, so it makes progress even while every worker
  // is blocked at the barricade.
  overture_parallel_for(jobs, 0, HEIGHTS, 0, make_map, &here, NULL);
  overture_barricade_lower(&here.map_ready);
  overture_group_wait(group, NULL);  // runs jobs of this group meanwhile
  for (int i = 0; i < UNITS; ++i) total += units[i].sum;
  printf("%llu\n", (unsigned long long)total);
  overture_group_free(group, NULL);
  overture_pool_free(jobs, NULL);
  return total == (uint64_t)120 * 499500 ? 0 : 1;
}

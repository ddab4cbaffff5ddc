/* SPDX-License-Identifier: Zlib */
//
// What the C code of the documentation takes for granted. See code_blocks.py.
#pragma once

#include <overture/c/loaders.h>
#include <overture/c/overture.h>
#include <overture/c/sounds.h>
#include <overture/report/timeline_report.h>
#include <stdbool.h>
#include <stddef.h>

typedef int outcome;

int report(const char* why);
void use(const void* bytes, size_t size);
void upload(const void* bytes, size_t size);
void draw(const void* value);
void draw_bar(double fraction);
void build(void* chunk);
void move_units(void* units, size_t first, size_t last);
void print_problem(void* context, size_t mount, const char* path, const overture_error* why);
bool print_difference(void* context, const char* path, int32_t kind, const overture_error* why);
void print_failure(void* context, const char* path, const overture_error* why);
overture_code keep_asset(void* context, const overture_loaded* asset);

extern overture_error why;
extern overture_files* files;
extern overture_files* before;
extern overture_files* after;
extern overture_reads* reads;
extern overture_pool* pool;
extern overture_loader texture_loader;
extern bool playing;
extern struct chunk {
  int size;
} chunks[];
extern int units;
extern int n;
extern int game;

/* SPDX-License-Identifier: Zlib */
#include <stdio.h>
#include <string.h>

#include "c_test.h"

enum { types_max = 6 };

/* A store with the loader of each kind, and the files of a folder. */
typedef struct loading {
  test_game game;
  overture_store* store;
  overture_asset_type types[types_max];
} loading;

static const int32_t kinds[types_max] = {OVERTURE_KIND_BINARY,  OVERTURE_KIND_TEXT,
                                         OVERTURE_KIND_IMAGE,   OVERTURE_KIND_SOUND,
                                         OVERTURE_KIND_TEXTURE, OVERTURE_KIND_MODEL};
enum { bytes, text, image, sound, texture, model };

static void put(const char* name, const void* content, size_t size) {
  char path[1000];
  FILE* file = NULL;
  snprintf(path, sizeof path, "%s/empty/%s", test_folder, name);
  file = fopen(path, "wb");
  CHECK(file != NULL);
  CHECK(fwrite(content, 1, size, file) == size);
  fclose(file);
}
static void put_words(const char* name, const uint32_t* words, size_t count) {
  unsigned char content[1000];
  for (size_t i = 0; i < 4 * count; ++i) {
    content[i] = (unsigned char)(words[i / 4] >> (8 * (i % 4)));
  }
  put(name, content, 4 * count);
}

/* Two by two pixels: blue 3, green 2, red 1. */
static const unsigned char tga[] = {0,  0, 2, 0, 0,   0, 0, 0, 0,   0, 0, 0, 2,   0, 2, 0, 32,
                                    40, 3, 2, 1, 255, 3, 2, 1, 255, 3, 2, 1, 255, 3, 2, 1, 255};
static void put_image(void) {
  put("wall.tga", tga, sizeof tga);
}

/* KTX2 with a cube of one RGBA pixel a face, and a key. */
static void put_texture(void) {
  uint32_t words[36] = {0x58544BAB, 0xBB303220, 0x0A1A0A0D, 37, 1, 1, 1, 0, 0, 6, 1};
  words[14] = 104; /* keys and values */
  words[15] = 16;
  words[20] = 120; /* the level */
  words[22] = 24;
  words[24] = 24;
  words[26] = 10;         /* the length of one */
  words[27] = 0x616E616D; /* "manager", 0, "me" */
  words[28] = 0x00726567;
  words[29] = 0x0000656D;
  for (uint32_t face = 0; face < 6; ++face) words[30 + face] = face;
  put_words("sky.ktx2", words, 36);
}

/* Two frames of one channel. */
static void put_sound(void) {
  const uint32_t words[] = {0x46464952, 40,    0x45564157, 0x20746D66, 16, 0x00010001,
                            22050,      44100, 0x00100002, 0x61746164, 4,  0xFFFF0001};
  put_words("shot.wav", words, 12);
}

/* MD3 with one frame, and nothing in it. */
static void put_model(void) {
  uint32_t words[41] = {0x33504449, 15};
  words[19] = 1;
  words[23] = words[24] = 108;
  words[25] = words[26] = 164;
  put_words("tank.md3", words, 41);
}

static loading begin(const overture_image_options* options) {
  loading made;
  overture_error why = {.size = sizeof why};
  put_image();
  put_texture();
  put_sound();
  put_model();
  made.game = make_game();
  made.store = NULL;
  CHECK_OK(overture_files_mount(made.game.files, in_folder("empty"), NULL, NULL, &why));
  CHECK_OK(overture_store_make(made.game.reads, NULL, &made.store, &why));
  for (int i = 0; i < types_max; ++i) {
    overture_loader loader = {.size = sizeof loader};
    CHECK_OK(overture_loader_of_kind(kinds[i], i == image ? options : NULL, &loader, &why));
    CHECK(loader.size == sizeof loader);
    CHECK_OK(overture_store_add(made.store, &loader, &made.types[i], &why));
  }
  return made;
}

static void end(loading* ends) {
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_store_free(ends->store, &why));
  free_game(&ends->game);
}

static overture_asset* get(loading* from, int type, const char* path) {
  overture_error why = {.size = sizeof why};
  overture_asset* made = NULL;
  CHECK_OK(overture_store_get(from->store, from->types[type], path, 0, &made, &why));
  (void)overture_asset_wait(made, UINT64_MAX, NULL);
  return made;
}

static overture_content_info info_of(const overture_content* value, int32_t kind) {
  overture_error why = {.size = sizeof why};
  overture_content_info info = {.size = sizeof info};
  CHECK_OK(overture_content_get_info(value, &info, &why));
  CHECK(info.kind == kind);
  return info;
}

C_CASE(c_loaders, a_text_and_its_bytes_are_loaded) {
  loading from = begin(NULL);
  overture_asset* read = get(&from, text, "readme.txt");
  overture_asset* raw = get(&from, bytes, "readme.txt");
  const overture_content* value = overture_asset_value(read);
  CHECK(overture_content_size(value) == 15);
  CHECK(memcmp(overture_content_data(value), "read me\nor not\n", 15) == 0);
  CHECK(info_of(value, OVERTURE_KIND_TEXT).lines == 2);
  value = overture_asset_value(raw);
  CHECK(overture_content_size(value) == 15);
  CHECK(memcmp(overture_content_data(value), "read me\nor not\n", 15) == 0);
  CHECK(info_of(value, OVERTURE_KIND_BINARY).lines == 0);
  CHECK(overture_content_get_level(value, 0, NULL, NULL) == OVERTURE_NOT_FOUND);
  overture_asset_free(read, NULL);
  overture_asset_free(raw, NULL);
  end(&from);
}

C_CASE(c_loaders, an_image_has_mips_and_settings_of_its_own) {
  const overture_image_options options = {
      .size = sizeof options, .is_bgra = true, .mips = true, .row_alignment = 256};
  const overture_image_settings single = {.mips = OVERTURE_IMAGE_NO};
  const overture_asset_variant variant = {
      .size = sizeof variant, .settings = &single, .settings_size = sizeof single};
  overture_error why = {.size = sizeof why};
  overture_content_level level = {.size = sizeof level};
  overture_asset* other = NULL;
  loading from = begin(&options);
  overture_asset* wall = get(&from, image, "wall.tga");
  const overture_content* value = overture_asset_value(wall);
  const unsigned char* pixels = overture_content_data(value);
  CHECK(info_of(value, OVERTURE_KIND_IMAGE).width == 2);
  CHECK(info_of(value, OVERTURE_KIND_IMAGE).levels == 2);
  CHECK_OK(overture_content_get_level(value, 1, &level, &why));
  CHECK(level.width == 1 && level.height == 1 && level.depth == 1);
  CHECK(level.offset + level.part_bytes <= overture_content_size(value));
  CHECK(memcmp(pixels + level.offset, "\3\2\1\377", 4) == 0);
  CHECK_OK(overture_content_get_level(value, 0, &level, &why));
  CHECK(level.row_bytes == 256 && level.offset == 0);
  CHECK(overture_content_get_level(value, 2, &level, &why) == OVERTURE_NOT_FOUND);
  CHECK(overture_content_key(value, "manager", NULL) == NULL);
  CHECK_OK(overture_store_get_variant(from.store, from.types[image], "wall.tga", &variant, 0,
                                      &other, &why));
  CHECK_OK(overture_asset_wait(other, UINT64_MAX, &why));
  CHECK(info_of(overture_asset_value(other), OVERTURE_KIND_IMAGE).levels == 1);
  overture_asset_free(wall, NULL);
  overture_asset_free(other, NULL);
  end(&from);
}

C_CASE(c_loaders, an_image_with_settings_that_are_none_is_invalid) {
  const unsigned char bytes_of[][5] = {{0, 0, 7}, {3}, {0, 3}, {0, 0, 0, 255}, {0}, {0}, {0}};
  const size_t sizes[] = {4, 4, 4, 4, 2, 3, 5};
  loading from = begin(NULL);
  for (int i = 0; i < 7; ++i) {
    const overture_asset_variant variant = {
        .size = sizeof variant, .settings = bytes_of[i], .settings_size = sizes[i]};
    overture_asset* wall = NULL;
    overture_error why = {.size = sizeof why};
    CHECK_OK(overture_store_get_variant(from.store, from.types[image], "wall.tga", &variant, 0,
                                        &wall, &why));
    CHECK_INVALID(overture_asset_wait(wall, UINT64_MAX, &why));
    CHECK(strstr(why.text, "wall.tga") != NULL && strstr(why.text, "setting") != NULL);
    overture_asset_free(wall, NULL);
  }
  end(&from);
}

C_CASE(c_loaders, alignments_are_powers_of_two) {
  const uint32_t wrong[] = {3, 12, 65537, 1u << 17};
  overture_error why = {.size = sizeof why};
  overture_loader loader = {.size = sizeof loader};
  for (int i = 0; i < 4; ++i) {
    const overture_image_options rows = {.size = sizeof rows, .row_alignment = wrong[i]};
    const overture_image_options levels = {.size = sizeof levels, .level_alignment = wrong[i]};
    CHECK_INVALID(overture_loader_of_kind(OVERTURE_KIND_IMAGE, &rows, &loader, &why));
    CHECK_INVALID(overture_loader_of_kind(OVERTURE_KIND_IMAGE, &levels, &loader, &why));
  }
  const overture_image_options most = {
      .size = sizeof most, .row_alignment = 65536, .level_alignment = 1};
  CHECK_OK(overture_loader_of_kind(OVERTURE_KIND_IMAGE, &most, &loader, &why));
}

C_CASE(c_loaders, a_texture_has_its_levels_and_keys) {
  overture_error why = {.size = sizeof why};
  overture_content_level level = {.size = sizeof level};
  size_t size = 7;
  loading from = begin(NULL);
  overture_asset* sky = get(&from, texture, "sky.ktx2");
  const overture_content* value = overture_asset_value(sky);
  const overture_content_info info = info_of(value, OVERTURE_KIND_TEXTURE);
  CHECK(info.width == 1 && info.height == 1 && info.depth == 1);
  CHECK(info.levels == 1 && info.layers == 1 && info.faces == 6);
  CHECK(info.vulkan_format == 37 && info.dxgi_format == 28);
  CHECK_OK(overture_content_get_level(value, 0, &level, &why));
  CHECK(level.part_bytes == 4 && level.part_stride == 4 && level.row_bytes == 4);
  CHECK(((const unsigned char*)overture_content_data(value))[level.offset + 5 * 4] == 5);
  CHECK(overture_content_size(value) == 24);
  CHECK(memcmp(overture_content_key(value, "manager", &size), "me", 2) == 0 && size == 2);
  CHECK(overture_content_key(value, "none", &size) == NULL && size == 0);
  overture_asset_free(sky, NULL);
  end(&from);
}

C_CASE(c_loaders, sounds_and_models_are_decoded) {
  loading from = begin(NULL);
  overture_asset* shot = get(&from, sound, "shot.wav");
  overture_asset* tank = get(&from, model, "tank.md3");
  const overture_content* value = overture_asset_value(shot);
  const overture_content_info info = info_of(value, OVERTURE_KIND_SOUND);
  CHECK(info.sample_rate == 22050 && info.channels == 1 && info.frames == 2);
  CHECK(overture_content_size(value) == 4 &&
        ((const int16_t*)overture_content_data(value))[1] == -1);
  CHECK(info_of(overture_asset_value(tank), OVERTURE_KIND_MODEL).frames == 1);
  CHECK(overture_content_size(overture_asset_value(tank)) > 0);
  overture_asset_free(shot, NULL);
  overture_asset_free(tank, NULL);
  end(&from);
}

/* A program's renderer, whose first member is what the loader has as its context. */
typedef struct renderer {
  overture_image_options images;
  int uploads;
} renderer;

static overture_code upload(void* context, void* value, uint64_t budget_ns, bool* again,
                            const char** reason) {
  (void)budget_ns, (void)again, (void)reason;
  CHECK(overture_content_size(value) == 16);
  ++((renderer*)context)->uploads;
  return OVERTURE_OK;
}

C_CASE(c_loaders, a_program_may_add_an_upload) {
  renderer draws = {.images = {.size = sizeof draws.images}};
  overture_loader loader = {.size = sizeof loader};
  overture_error why = {.size = sizeof why};
  overture_asset_type type;
  overture_asset* wall = NULL;
  loading from = begin(NULL);
  CHECK_OK(overture_loader_of_kind(OVERTURE_KIND_IMAGE, &draws.images, &loader, &why));
  loader.finalize = upload;
  CHECK_OK(overture_store_add(from.store, &loader, &type, &why));
  CHECK_OK(overture_store_get(from.store, type, "wall.tga", 0, &wall, &why));
  CHECK_OK(overture_asset_wait(wall, UINT64_MAX, &why));
  CHECK(draws.uploads == 1);
  CHECK(memcmp(overture_content_data(overture_asset_value(wall)), "\1\2\3\377", 4) == 0);
  overture_asset_free(wall, NULL);
  end(&from);
}

/* A program's upload heap, which wants rows of 16 bytes after a header of as many. */
typedef struct upload_heap {
  unsigned char bytes[64];
  int taken, given_back;
  overture_code code;
} upload_heap;

static overture_code take_room(void* context, const char* path, overture_image_level* levels,
                               uint32_t level_count, void** memory, size_t* byte_count) {
  upload_heap* heap = (upload_heap*)context;
  CHECK(strcmp(path, "wall.tga") == 0);
  CHECK(level_count == 1 && levels[0].width == 2 && levels[0].height == 2);
  CHECK(levels[0].offset == 0 && levels[0].row_bytes == 8 && *byte_count == 16);
  if (heap->code != OVERTURE_OK) return heap->code;
  levels[0].offset = 16;
  levels[0].row_bytes = 16;
  *memory = heap->bytes;
  *byte_count = sizeof heap->bytes;
  ++heap->taken;
  return OVERTURE_OK;
}
static void give_room_back(void* context, void* memory, size_t byte_count) {
  upload_heap* heap = (upload_heap*)context;
  CHECK(memory == heap->bytes && byte_count == sizeof heap->bytes);
  ++heap->given_back;
}

C_CASE(c_loaders, pixels_go_to_memory_of_the_program) {
  upload_heap heap = {.code = OVERTURE_OK};
  const overture_image_memory memory = {
      .size = sizeof memory, .context = &heap, .take = take_room, .give_back = give_room_back};
  const overture_image_options options = {.size = sizeof options, .place = &memory};
  overture_error why = {.size = sizeof why};
  overture_content_level level = {.size = sizeof level};
  loading from = begin(&options);
  overture_asset* wall = get(&from, image, "wall.tga");
  overture_content* value = overture_asset_value(wall);
  CHECK(overture_content_data(value) == heap.bytes);
  CHECK(memcmp(heap.bytes + 16, "\1\2\3\377\1\2\3\377\0\0\0\0\0\0\0\0\1\2\3\377", 20) == 0);
  CHECK_OK(overture_content_get_level(value, 0, &level, &why));
  CHECK(level.offset == 16 && level.row_bytes == 16);
  CHECK(heap.taken == 1 && heap.given_back == 0);
  overture_content_release(value);
  CHECK(heap.given_back == 1);
  CHECK(overture_content_size(value) == 0);
  CHECK(info_of(value, OVERTURE_KIND_IMAGE).width == 2);
  overture_asset_free(wall, NULL);
  end(&from);
  CHECK(heap.given_back == 1);

  heap.code = OVERTURE_LIMIT;
  from = begin(&options);
  wall = get(&from, image, "wall.tga");
  CHECK(overture_asset_status(wall, &why) == OVERTURE_LIMIT);
  CHECK(strcmp(why.text, "wall.tga: the program has no memory for this image") == 0);
  overture_asset_free(wall, NULL);
  end(&from);
  CHECK(heap.taken == 1);
}

C_CASE(c_loaders, textures_are_released_and_other_kinds_stay) {
  loading from = begin(NULL);
  overture_asset* sky = get(&from, texture, "sky.ktx2");
  overture_asset* shot = get(&from, sound, "shot.wav");
  overture_content_release(overture_asset_value(sky));
  overture_content_release(overture_asset_value(shot));
  overture_content_release(NULL);
  CHECK(overture_content_size(overture_asset_value(sky)) == 0);
  CHECK(overture_content_key(overture_asset_value(sky), "manager", NULL) == NULL);
  CHECK(info_of(overture_asset_value(sky), OVERTURE_KIND_TEXTURE).faces == 6);
  CHECK(overture_content_size(overture_asset_value(shot)) == 4);
  overture_asset_free(sky, NULL);
  overture_asset_free(shot, NULL);
  end(&from);
}

C_CASE(c_loaders, a_value_keeps_a_pointer_of_the_program) {
  int texture_of_the_card = 0;
  loading from = begin(NULL);
  overture_asset* wall = get(&from, image, "wall.tga");
  overture_content* value = overture_asset_value(wall);
  CHECK(overture_content_user(value) == NULL);
  overture_content_set_user(value, &texture_of_the_card);
  CHECK(overture_content_user(value) == &texture_of_the_card);
  overture_content_set_user(NULL, &texture_of_the_card);
  CHECK(overture_content_user(NULL) == NULL);
  overture_asset_free(wall, NULL);
  end(&from);
}

static overture_content* make(int kind, const char* name, const void* content, size_t size) {
  overture_error why = {.size = sizeof why};
  overture_content* made = NULL;
  CHECK_OK(overture_content_make(kinds[kind], NULL, name, content, size, &made, &why));
  return made;
}

C_CASE(c_loaders, a_value_is_made_without_a_store) {
  const uint32_t two[] = {0x46464952, 40,    0x45564157, 0x20746D66, 16, 0x00010001,
                          22050,      44100, 0x00100002, 0x61746164, 4,  0xFFFF0001};
  overture_content* made[] = {make(bytes, "a", "x\n", 2), make(text, "a", "x\n", 2),
                              make(sound, "a.wav", two, sizeof two), make(bytes, "a", NULL, 0)};
  CHECK(overture_content_size(made[0]) == 2);
  CHECK(info_of(made[1], OVERTURE_KIND_TEXT).lines == 1);
  CHECK(info_of(made[2], OVERTURE_KIND_SOUND).frames == 2);
  CHECK(overture_content_size(made[3]) == 0);
  for (int i = 0; i < 4; ++i) overture_content_free(made[i]);
  overture_content_free(NULL);
}

C_CASE(c_loaders, a_ready_made_loader_has_a_placeholder) {
  overture_content* grey = NULL;
  overture_loader loader = {.size = sizeof loader};
  overture_error why = {.size = sizeof why};
  overture_asset_type type;
  overture_asset* none = NULL;
  loading from = begin(NULL);
  grey = make(image, "grey.tga", tga, sizeof tga);
  CHECK_OK(overture_loader_of_kind(OVERTURE_KIND_IMAGE, NULL, &loader, &why));
  loader.placeholder = grey;
  CHECK_OK(overture_store_add(from.store, &loader, &type, &why));
  CHECK_OK(overture_store_get(from.store, type, "none.png", 0, &none, &why));
  CHECK(overture_asset_wait(none, UINT64_MAX, &why) == OVERTURE_NOT_FOUND);
  CHECK(overture_asset_value(none) == grey);
  overture_asset_free(none, NULL);
  end(&from);
  CHECK(info_of(grey, OVERTURE_KIND_IMAGE).width == 2);
  overture_content_free(grey);
}

C_CASE(c_loaders, a_value_that_cannot_be_made_says_why) {
  const overture_image_options options = {.size = sizeof options};
  overture_error why = {.size = sizeof why};
  overture_content* made = NULL;
  CHECK(overture_content_make(OVERTURE_KIND_TEXTURE, NULL, "a.tga", tga, sizeof tga, &made, &why) ==
        OVERTURE_UNSUPPORTED);
  CHECK(made == NULL && strstr(why.text, "a.tga: this is an image") != NULL);
  CHECK(overture_content_make(OVERTURE_KIND_MODEL, NULL, "a", NULL, 0, &made, &why) ==
        OVERTURE_UNSUPPORTED);
  CHECK(overture_content_make(99, NULL, "a", NULL, 0, &made, &why) == OVERTURE_UNSUPPORTED);
  CHECK(overture_content_make(OVERTURE_KIND_TEXT, NULL, "../a", NULL, 0, &made, &why) ==
        OVERTURE_BAD_PATH);
  CHECK_INVALID(overture_content_make(OVERTURE_KIND_TEXT, &options, "a", NULL, 0, &made, &why));
  CHECK_INVALID(overture_content_make(OVERTURE_KIND_TEXT, NULL, NULL, NULL, 0, &made, &why));
  CHECK_INVALID(overture_content_make(OVERTURE_KIND_TEXT, NULL, "a", NULL, 1, &made, &why));
  CHECK_INVALID(overture_content_make(OVERTURE_KIND_TEXT, NULL, "a", NULL, 0, NULL, &why));
}

C_CASE(c_loaders, a_value_has_the_warning_of_its_file) {
  const uint32_t cut[] = {0x46464952, 44,    0x45564157, 0x20746D66, 16, 0x00010001,
                          22050,      44100, 0x00100002, 0x61746164, 8,  0xFFFF0001};
  overture_content* whole = make(image, "a.tga", tga, sizeof tga);
  overture_content* made = make(sound, "a.wav", cut, sizeof cut);
  CHECK(info_of(made, OVERTURE_KIND_SOUND).warning != NULL);
  CHECK(info_of(whole, OVERTURE_KIND_IMAGE).warning == NULL);
  overture_content_free(made);
  overture_content_free(whole);
}

C_CASE(c_loaders, what_is_of_another_kind_fails_with_a_reason) {
  overture_error why = {.size = sizeof why};
  loading from = begin(NULL);
  overture_asset* not_a_texture = get(&from, texture, "wall.tga");
  overture_asset* not_there = get(&from, image, "none.png");
  CHECK(overture_asset_status(not_a_texture, &why) == OVERTURE_UNSUPPORTED);
  CHECK(strcmp(why.text,
               "wall.tga: this is an image, not a texture: get it from an image_loader") == 0);
  CHECK(overture_asset_status(not_there, &why) == OVERTURE_NOT_FOUND);
  CHECK(overture_asset_value(not_there) == NULL);
  overture_asset_free(not_a_texture, NULL);
  overture_asset_free(not_there, NULL);
  end(&from);
}

C_CASE(c_loaders, null_and_misuse_are_invalid) {
  overture_error why = {.size = sizeof why};
  overture_loader loader = {.size = sizeof loader};
  overture_image_options options = {.size = sizeof options};
  overture_image_memory memory = {0};
  overture_content_info info = {.size = sizeof info};
  overture_content_level level = {.size = sizeof level};
  struct {
    overture_image_options known;
    uint64_t later;
  } newer = {.known = {.size = sizeof newer}, .later = 1};
  size_t size = 1;
  loading from;
  overture_asset* wall = NULL;
  CHECK_INVALID(overture_loader_of_kind(OVERTURE_KIND_IMAGE, NULL, NULL, &why));
  CHECK(overture_loader_of_kind(OVERTURE_KIND_NONE, NULL, &loader, &why) == OVERTURE_UNSUPPORTED);
  CHECK(overture_loader_of_kind(99, NULL, &loader, &why) == OVERTURE_UNSUPPORTED);
  CHECK_INVALID(overture_loader_of_kind(OVERTURE_KIND_TEXT, &options, &loader, &why));
  CHECK(overture_loader_of_kind(OVERTURE_KIND_IMAGE, &newer.known, &loader, &why) ==
        OVERTURE_UNSUPPORTED);
  options.place = &memory;
  CHECK_INVALID(overture_loader_of_kind(OVERTURE_KIND_IMAGE, &options, &loader, &why));
  memory.size = sizeof memory;
  CHECK_INVALID(overture_loader_of_kind(OVERTURE_KIND_IMAGE, &options, &loader, &why));
  options.size = 3;
  CHECK_INVALID(overture_loader_of_kind(OVERTURE_KIND_IMAGE, &options, &loader, NULL));
  loader.size = 0;
  CHECK_INVALID(overture_loader_of_kind(OVERTURE_KIND_IMAGE, NULL, &loader, &why));
  CHECK(loader.decode == NULL);
  CHECK(overture_content_data(NULL) == NULL);
  CHECK(overture_content_size(NULL) == 0);
  CHECK_INVALID(overture_content_get_info(NULL, &info, &why));
  CHECK_INVALID(overture_content_get_level(NULL, 0, &level, &why));
  CHECK(overture_content_key(NULL, "a", &size) == NULL && size == 0);
  from = begin(NULL);
  wall = get(&from, image, "wall.tga");
  CHECK_INVALID(overture_content_get_info(overture_asset_value(wall), NULL, &why));
  CHECK_INVALID(overture_content_get_level(overture_asset_value(wall), 0, NULL, &why));
  info.size = 1;
  CHECK_INVALID(overture_content_get_info(overture_asset_value(wall), &info, &why));
  CHECK(overture_content_key(overture_asset_value(wall), NULL, &size) == NULL);
  overture_asset_free(wall, NULL);
  end(&from);
}

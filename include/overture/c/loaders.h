// SPDX-License-Identifier: Zlib
//
// Ready-made loaders for a store: images, textures, sounds, models, text, bytes.
//
//   overture_image_options options = {.size = sizeof options, .mips = true};
//   overture_loader images = {.size = sizeof images};
//   overture_loader_of_kind(OVERTURE_KIND_IMAGE, &options, &images, &why);
//   images.finalize = upload_image;                          // yours, if there is something to do
//   overture_asset_type image;
//   overture_store_add(store, &images, &image, &why);
//   ...
//   const overture_content* wall = overture_asset_value(asset);      // NULL until it is ready
//   const char* pixels = overture_content_data(wall);
//   overture_content_level level = {.size = sizeof level};
//   for (uint32_t i = 0; overture_content_get_level(wall, i, &level, NULL) == OVERTURE_OK; ++i) {
//     upload(pixels + level.offset, level.part_bytes);
//   }
//
// Link overture::loaders (pkg-config overture-loaders), which brings overture::c and what C++
// needs: these functions are in a static library of their own, also beside a shared one, and
// overture.h does not include them. The headers of overture/loaders say which formats there are,
// and what each costs.
//
// Functions that take a value return 0 or NULL for NULL, or do nothing. Any number of threads may
// read one.
#pragma once

#include "overture/c/assets.h"

// For functions of the library of loaders.
#define OVERTURE_LOADERS_API

#ifdef __cplusplus
extern "C" {
#endif

// Where a level of an image is in memory of yours.
typedef struct overture_image_level {
  uint32_t width;
  uint32_t height;
  uint64_t offset;     // from the beginning of the memory
  uint64_t row_bytes;  // from one row to the next, at least width * 4
} overture_image_level;

// Memory of yours for pixels, a mapped upload buffer for example. It is written once, each row from
// left to right, and never read, because such memory is often slow to read.
typedef struct overture_image_memory {
  size_t size;    // sizeof(overture_image_memory)
  void* context;  // of both functions
  // Sets `memory` for an image, and `byte_count`, which comes as what the levels take where they
  // are, to the size of it. It may place levels and rows elsewhere: nothing is written between
  // rows. Any other code than OVERTURE_OK fails the asset: where the memory is a ring of some size,
  // make a store's budget_bytes no larger, and it does not overflow. On the worker that decodes,
  // several calls at once.
  overture_code (*take)(void* context, const char* path, overture_image_level* levels,
                        uint32_t level_count, void** memory, size_t* byte_count);
  // It is not needed any more: the value is gone or released, or could not be made. Any thread.
  void (*give_back)(void* context, void* memory, size_t byte_count);
} overture_image_memory;

// How images are made. The alignments are powers of two up to 65,536; 0: 4.
typedef struct overture_image_options {
  size_t size;                         // sizeof(overture_image_options)
  bool is_bgra;                        // instead of RGBA
  bool is_premultiplied;               // colours are multiplied by alpha
  bool is_flipped;                     // rows from bottom to top
  bool mips;                           //
  bool is_linear;                      // colours are no sRGB: normal maps and other data
  uint32_t row_alignment;              // what row_bytes is a multiple of
  uint32_t level_alignment;            // and offsets of levels
  const overture_allocator* memory;    // of the pixels, and while they are decoded; NULL: malloc
  const overture_image_memory* place;  // of the pixels; copied. NULL: that of `memory`
} overture_image_options;

// Settings of one image, for overture_asset_variant::settings: 0 is as the options say. An asset
// with other values, or with settings of another size, fails as invalid.
enum { OVERTURE_IMAGE_NO = 1, OVERTURE_IMAGE_YES = 2 };
typedef struct overture_image_settings {
  uint8_t is_premultiplied;
  uint8_t is_flipped;
  uint8_t mips;
  uint8_t is_srgb;
} overture_image_settings;

// Fills in the loader for this kind: OVERTURE_KIND_BINARY (any file, as it is), _TEXT, _IMAGE,
// _TEXTURE, _SOUND or _MODEL. Its values are overture_content. Options are for images alone; NULL:
// none. They are not copied: they are the `context` of the loader, and must stay as they are, with
// what they point to, until the store has ended. For other kinds `context` is yours. A finalize()
// or build() of yours may be added, and an unload() that undoes it and calls the one that was there
// last; keep the other functions. What you make of a value, such as a texture on the graphics card,
// is kept with it by overture_content_set_user(); docs/guide/c.md has an example. Errors: invalid;
// unsupported (no such kind, or an option that this version does not know).
OVERTURE_LOADERS_API overture_code overture_loader_of_kind(int32_t kind,
                                                           const overture_image_options* options,
                                                           overture_loader* loader,
                                                           overture_error* error);

// The value that one of these loaders made. Valid while its asset is loaded.
typedef struct overture_content overture_content;

// Makes a value without a store: a placeholder for a loader of this kind, for example. `name` helps
// where the content says nothing. The options are needed during the call only. Free it after the
// stores that it is a placeholder in. Errors: those of decoding; invalid; unsupported (as above, or
// the bytes are of another kind).
OVERTURE_LOADERS_API overture_code overture_content_make(
    int32_t kind, const overture_image_options* options, const char* name, const void* bytes,
    size_t byte_count, overture_content** content, overture_error* error);
// Not for what is of a store.
OVERTURE_LOADERS_API void overture_content_free(overture_content* content);

// A pointer of yours that is kept with the value, NULL at first. Set it in build() or finalize(),
// before others see the value, and let unload() end what it leads to.
OVERTURE_LOADERS_API void overture_content_set_user(overture_content* value, void* user);
OVERTURE_LOADERS_API void* overture_content_user(const overture_content* value);

// Gives the memory of an image or a texture back once it is uploaded, in finalize() for example. It
// has neither data nor keys any more; what it is and where its levels were stays. Does nothing to
// other kinds.
OVERTURE_LOADERS_API void overture_content_release(overture_content* value);

// The bytes; the text, in UTF-8 without a NUL at its end; all pixels; the samples (16 bits,
// channels interleaved); the model, laid out as overture/decoders/model.hpp says.
OVERTURE_LOADERS_API const void* overture_content_data(const overture_content* value);
OVERTURE_LOADERS_API size_t overture_content_size(const overture_content* value);

// Members that do not apply to the kind are 0.
typedef struct overture_content_info {
  size_t size;             // sizeof(overture_content_info)
  int32_t kind;            // OVERTURE_KIND_...
  uint32_t width;          // pixels
  uint32_t height;         // pixels
  uint32_t depth;          // textures: slices
  uint32_t levels;         // images, textures
  uint32_t layers;         // textures: of an array; otherwise 1
  uint32_t faces;          // textures: 6 for cubes
  uint32_t vulkan_format;  // textures: VkFormat
  uint32_t dxgi_format;    // textures: DXGI_FORMAT, 0 if it has none for this
  uint32_t sample_rate;    // sounds: frames a second
  uint32_t channels;       // sounds
  uint64_t frames;         // sounds, models
  uint64_t lines;          // text
  const char* warning;     // a flaw that costs no content; NULL: none; lives as long as the library
} overture_content_info;
// Error: invalid.
OVERTURE_LOADERS_API overture_code overture_content_get_info(const overture_content* value,
                                                             overture_content_info* info,
                                                             overture_error* error);

// Where a mip level of an image or texture is.
typedef struct overture_content_level {
  size_t size;  // sizeof(overture_content_level)
  uint32_t width;
  uint32_t height;
  uint32_t depth;
  uint64_t offset;       // in the data; of the first layer and face
  uint64_t row_bytes;    // from one row to the next, of blocks where it is compressed
  uint64_t slice_bytes;  // all rows
  uint64_t part_bytes;   // of one layer and face: all slices
  uint64_t part_stride;  // from one layer or face to the next: faces of layer 0, then of layer 1
} overture_content_level;
// Errors: not_found (it has no such level); invalid.
OVERTURE_LOADERS_API overture_code overture_content_get_level(const overture_content* value,
                                                              uint32_t level,
                                                              overture_content_level* place,
                                                              overture_error* error);

// What a KTX2 file says beside its pixels, such as "KTXorientation"; texts end with a NUL, as in
// the file. NULL if there is no such key. `size` may be NULL.
OVERTURE_LOADERS_API const void* overture_content_key(const overture_content* value,
                                                      const char* key, size_t* size);

#ifdef __cplusplus
}
#endif

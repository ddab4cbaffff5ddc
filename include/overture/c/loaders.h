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
// Functions that take a value return 0 or NULL for NULL. Any number of threads may read one.
#pragma once

#include "overture/c/assets.h"

// For functions of the library of loaders.
#define OVERTURE_LOADERS_API

#ifdef __cplusplus
extern "C" {
#endif

// How images are made. The alignments are powers of two up to 65,536; 0: 4.
typedef struct overture_image_options {
  size_t size;                       // sizeof(overture_image_options)
  bool is_bgra;                      // instead of RGBA
  bool is_premultiplied;             // colours are multiplied by alpha
  bool is_flipped;                   // rows from bottom to top
  bool mips;                         //
  bool is_linear;                    // colours are no sRGB: normal maps and other data
  uint32_t row_alignment;            // what row_bytes is a multiple of
  uint32_t level_alignment;          // and offsets of levels
  const overture_allocator* memory;  // of the pixels, and while they are decoded; NULL: malloc
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
// last; keep the other functions. Errors: invalid; unsupported (no such kind, or an option that
// this version does not know).
OVERTURE_LOADERS_API overture_code overture_loader_of_kind(int32_t kind,
                                                           const overture_image_options* options,
                                                           overture_loader* loader,
                                                           overture_error* error);

// The value that one of these loaders made. Valid while its asset is loaded.
typedef struct overture_content overture_content;

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

// SPDX-License-Identifier: Zlib
//
// Assets: decoded files, and a store that loads what a game asks for by name, once each.
//
//   overture_decoded* image = NULL;
//   overture_decode_file(files, "gfx/wall.png", &image, &why);      // one file, on this thread
//   upload(overture_decoded_data(image), overture_decoded_size(image));
//   overture_decoded_free(image);
//
//   overture_store* store = NULL;                                   // many, on all cores
//   overture_store_make(reads, NULL, &store, &why);
//   overture_asset_type texture;
//   overture_store_add(store, &texture_loader, &texture, &why);
//   overture_asset* wall = NULL;
//   overture_store_get(store, texture, "gfx/wall.png", OVERTURE_ASSET_NORMAL, &wall, &why);
//   while (playing) {
//     overture_store_pump(store, 4000000, NULL);                    // uploads, unloads
//     draw(overture_asset_value(wall));                             // NULL until it is ready
//   }
//
// An asset is read whole, decoded on a worker, and finalized once everything that it needs is
// ready: on the thread that pumps, or on a worker. What no handle holds is kept for a while, then
// unloaded. overture/assets/asset_store.hpp says more; docs/guide/decoders.md lists the formats.
#pragma once

#include "overture/c/reads.h"

#ifdef __cplusplus
extern "C" {
#endif

// --- One decoded file ---------------------------------------------------------------------------

typedef struct overture_decoded overture_decoded;

enum {
  OVERTURE_KIND_NONE = 0,     // recognised, but left to the program
  OVERTURE_KIND_IMAGE = 1,    // RGBA, 8 bits a channel; rows top to bottom, no padding
  OVERTURE_KIND_TEXT = 2,     // UTF-8 without a byte order mark
  OVERTURE_KIND_SOUND = 3,    // signed 16-bit samples, channels interleaved
  OVERTURE_KIND_TEXTURE = 4,  // as the graphics card takes it, see overture_decoded_info::format
  OVERTURE_KIND_MODEL = 5,    // laid out as overture/decoders/model.hpp says
  OVERTURE_KIND_BINARY = 6    // what was in a gzip file
};

// Members that do not apply to the kind are 0.
typedef struct overture_decoded_info {
  size_t size;           // sizeof(overture_decoded_info)
  int32_t kind;          // OVERTURE_KIND_...
  uint32_t width;        // pixels
  uint32_t height;       // pixels
  uint32_t depth;        // textures: slices
  uint32_t levels;       // textures: mip levels
  uint32_t layers;       // textures: array layers; a cube map has six
  const char* format;    // textures: "bc7", ...; lives as long as the library
  bool is_srgb;          // textures: the file says so
  uint32_t sample_rate;  // sounds: frames per second
  uint32_t channels;     // sounds
  uint64_t frames;       // sounds, models
  uint32_t vertices;     // models
  uint32_t triangles;    // models
  uint64_t lines;        // text
  const char* warning;   // a flaw that costs no content; NULL: none; lives as long as the library
} overture_decoded_info;

// Reads and decodes a file on the calling thread. Errors: those of overture_files_read();
// unsupported if it is of no known format.
OVERTURE_C_API overture_code overture_decode_file(overture_files* files, const char* path,
                                                  overture_decoded** decoded,
                                                  overture_error* error);
// The same for bytes; `name` helps where the content says nothing ("readme.txt"). Errors: corrupt,
// unsupported, limit, out_of_memory, invalid.
OVERTURE_C_API overture_code overture_decode_bytes(const char* name, const void* bytes,
                                                   size_t byte_count, overture_decoded** decoded,
                                                   overture_error* error);
// The content, laid out as the kind says. NULL for NULL.
OVERTURE_C_API void* overture_decoded_data(const overture_decoded* decoded);
OVERTURE_C_API size_t overture_decoded_size(const overture_decoded* decoded);
// Error: invalid.
OVERTURE_C_API overture_code overture_decoded_get_info(const overture_decoded* decoded,
                                                       overture_decoded_info* info,
                                                       overture_error* error);
OVERTURE_C_API void overture_decoded_free(overture_decoded* decoded);

// --- The store ----------------------------------------------------------------------------------

typedef struct overture_store overture_store;
typedef struct overture_asset overture_asset;
typedef struct overture_needs overture_needs;

// The number of a type of assets in one store.
typedef uint32_t overture_asset_type;
#define OVERTURE_ASSET_TYPES_MAX 64

// How one type of asset is made. The functions must not call overture_store_pump(),
// overture_asset_wait() or overture_store_free() of their store. One that returns OVERTURE_BUSY,
// which is the status of an asset that is loading, fails the asset with OVERTURE_INVALID.
// `context` is passed to all functions. `reason` may be set to a few words, which are copied as
// soon as the function has returned: they may be in a buffer that the thread uses again, but not on
// its stack. The text of an error has the path in front of them: "gfx/wall.png: no picture". They
// are cut to 240 bytes; a store keeps 4096 different ones.
typedef struct overture_loader {
  size_t size;  // sizeof(overture_loader)
  void* context;
  // Makes the value of an asset from the bytes of its file, which are valid during the call only.
  // `needs` is for overture_needs_asset(). A value must not be NULL. With an error the value is
  // ignored: free it before, and the handles in it. (After an error of build() or finalize() the
  // store calls unload(): free nothing there.) On any worker, several calls at once.
  overture_code (*decode)(void* context, const char* path, const void* bytes, size_t byte_count,
                          overture_needs* needs, void** value, const char** reason);
  // Does what must happen on one thread, uploads for example, for about `budget_ns`; sets `again`,
  // which is false at first, to be called once more. Runs in overture_store_pump(). NULL: nothing
  // is to do, and the asset is ready without a pump.
  overture_code (*finalize)(void* context, void* value, uint64_t budget_ns, bool* again,
                            const char** reason);
  // Frees the value and undoes finalize(), if that was called. With finalize() it runs in
  // overture_store_pump() or overture_store_free(), but on a worker for a value that was never
  // finalized; without, on any thread. Must not be NULL.
  void (*unload)(void* context, void* value);
  // How much memory the value takes, counted against budget_bytes until it is ready and against
  // keep_bytes once no handle holds it; more than 1 TiB counts as that. Asked after decode() and
  // again after build() and finalize(). NULL: nothing.
  uint64_t (*bytes_of)(void* context, const void* value);
  // How much memory decode() will take, its value included, counted against budget_bytes before it
  // begins; 0: not known. On any worker. NULL: not known.
  uint64_t (*memory_needed)(void* context, const char* path, const void* bytes, size_t byte_count);
  // For work that uses the values of needs, once all that decode() asked for is ready and before
  // finalize(): overture_asset_value() of its handles has them. It may need more, which is ready
  // before finalize(). Once, on any worker, for several assets at once. NULL: there is nothing to
  // build.
  overture_code (*build)(void* context, void* value, overture_needs* needs, const char** reason);
  // True: decode() gets no bytes, and no file is read. For parts of files: decode() needs the asset
  // of the whole file, and build() takes the part from its value. When the whole was loaded again,
  // so are they.
  bool without_file;
  // How much of a file's beginning the value of this stage, 0 first, is made of; 0: all of it,
  // which is the last stage. decode() gets so much; the asset is ready with its first value, and
  // overture_store_pump() brings the next ones. A stage whose decode() fails is left out. What is
  // compressed is read whole. NULL: there is one stage.
  uint64_t (*stage_bytes)(void* context, uint32_t stage);
  // True: the value copies from what it needs, an atlas for example, instead of asking its handles
  // in each frame. It is then loaded again after any of those. build() sees of a need in stages
  // what is there: the coarse value, at first. So copy in build(), which comes again with each
  // stage, or keep the handles.
  bool dependent;
  // What overture_asset_value() gives until the asset is ready, or if it has failed: a value as
  // those of decode(), which is never unloaded and outlives the store. NULL: NULL.
  const void* placeholder;
} overture_loader;

typedef struct overture_store_config {
  size_t size;          // sizeof(overture_store_config)
  uint64_t keep_bytes;  // of assets that no handle holds; 0: 64 MiB
  // Being read, or read and not decoded yet, but for those that wait for room; 0: 64.
  uint32_t files_max;
  // Of what is read, decoded and not ready yet, or waits to be unloaded; 0: 256 MiB.
  uint64_t budget_bytes;
  // How long a file must be left alone after overture_store_reload(): what writes it may not have
  // finished; 0: 100 ms.
  uint64_t reload_delay_ns;
  const overture_allocator* memory;  // of its records and what is read; NULL: malloc
} overture_store_config;

// Errors: out_of_memory, invalid, and those of starting its background thread.
OVERTURE_C_API overture_code overture_store_make(overture_reads* reads,
                                                 const overture_store_config* config,
                                                 overture_store** store, overture_error* error);
// Ends what is running and unloads everything, on the calling thread, which must be the one that
// pumps. Error: busy while handles on its assets, or groups, exist.
OVERTURE_C_API overture_code overture_store_free(overture_store* store, overture_error* error);
// Makes a type known. The loader is copied. Errors: limit (more than OVERTURE_ASSET_TYPES_MAX),
// out_of_memory, invalid. Add the types from one thread, before the first asset of them is asked
// for.
OVERTURE_C_API overture_code overture_store_add(overture_store* store,
                                                const overture_loader* loader,
                                                overture_asset_type* type, overture_error* error);

// A priority is a number from OVERTURE_ASSET_LOWEST to OVERTURE_ASSET_HIGHEST: the highest goes
// first. The others are the middles of four classes of 64 numbers each. What is within 32 of
// OVERTURE_ASSET_BACKGROUND is read after all else, and decoded on a thread of low priority; what
// is within 32 of OVERTURE_ASSET_LOW leaves a worker free for others. A quarter of budget_bytes is
// for the highest class alone, half of it for the two highest, three quarters for all but the
// lowest.
enum {
  OVERTURE_ASSET_LOWEST = -160,
  OVERTURE_ASSET_BACKGROUND = -128,
  OVERTURE_ASSET_LOW = -64,
  OVERTURE_ASSET_NORMAL = 0,
  OVERTURE_ASSET_HIGH = 64,
  OVERTURE_ASSET_HIGHEST = 95
};

// A handle on the asset of this type that is made from this file. It begins to load unless it has
// loaded, and is raised if it has a lower priority. Errors: bad_path, out_of_memory, invalid (also
// a type that was not added); what goes wrong later is the asset's. In decode() it works too, and
// then the asset that is made neither needs what was asked for nor hands its priority down.
OVERTURE_C_API overture_code overture_store_get(overture_store* store, overture_asset_type type,
                                                const char* path, int32_t priority,
                                                overture_asset** asset, overture_error* error);
// For decode() and build(): the same for an asset that this one needs. This one waits for it, and
// fails if it fails. Free the handle when the value is unloaded. An asset that is in a circle of
// such needs fails as invalid. After an error here, the loader decides what becomes of the asset:
// return the error to have it fail.
OVERTURE_C_API overture_code overture_needs_asset(overture_needs* needs, overture_asset_type type,
                                                  const char* path, overture_asset** asset,
                                                  overture_error* error);

// Which part of a file an asset is, and the settings that it is made with: another part, or other
// settings, is another asset. A reload keeps both.
enum { OVERTURE_ASSET_SETTINGS_MAX = 64 };
typedef struct overture_asset_variant {
  size_t size;           // sizeof(overture_asset_variant)
  const char* part;      // NULL or "": the whole file
  const void* settings;  // compared byte by byte, so leave no padding; copied. NULL: none
  size_t settings_size;  // at most OVERTURE_ASSET_SETTINGS_MAX
} overture_asset_variant;
// The same as overture_store_get() and overture_needs_asset(), for a part or with settings. NULL:
// neither. More errors: limit (of the settings).
OVERTURE_C_API overture_code overture_store_get_variant(overture_store* store,
                                                        overture_asset_type type, const char* path,
                                                        const overture_asset_variant* variant,
                                                        int32_t priority, overture_asset** asset,
                                                        overture_error* error);
OVERTURE_C_API overture_code overture_needs_variant(overture_needs* needs, overture_asset_type type,
                                                    const char* path,
                                                    const overture_asset_variant* variant,
                                                    overture_asset** asset, overture_error* error);
// The same for an asset that this one waits for, but does not fail with: the handle then has the
// placeholder of its loader, and the value once that can be loaded after all.
OVERTURE_C_API overture_code overture_needs_or_placeholder(
    overture_needs* needs, overture_asset_type type, const char* path,
    const overture_asset_variant* variant, overture_asset** asset, overture_error* error);
// The same for an asset that this one neither waits for nor fails with: a better texture that may
// come later. It keeps it loaded all the same, so assets that want each other are never unloaded:
// use overture_needs_name() for neighbours.
OVERTURE_C_API overture_code overture_needs_want(overture_needs* needs, overture_asset_type type,
                                                 const char* path,
                                                 const overture_asset_variant* variant,
                                                 overture_asset** asset, overture_error* error);
// For decode() and build(): whether no handle holds the asset any more, or the store ends. Long
// work may then give up, by returning OVERTURE_CANCELLED. False for NULL.
OVERTURE_C_API bool overture_needs_is_cancelled(const overture_needs* needs);
// For both: which part is wanted, "" for the whole file. Valid during the call.
OVERTURE_C_API const char* overture_needs_part(const overture_needs* needs);
// For both: the size of the file, of which decode() may have the beginning only: see stage_bytes.
OVERTURE_C_API uint64_t overture_needs_file_bytes(const overture_needs* needs);
// For both: copies the settings that the asset was asked for with, as far as `size` goes, and
// returns how many bytes they have; 0 if there are none.
OVERTURE_C_API size_t overture_needs_settings(const overture_needs* needs, void* settings,
                                              size_t size);
OVERTURE_C_API overture_code overture_asset_free(overture_asset* asset, overture_error* error);
// Another handle on the same asset. It is the program's, to be freed before the store, also where
// the first is one of overture_needs_asset(): do not keep it in a value. Errors: out_of_memory,
// invalid.
OVERTURE_C_API overture_code overture_asset_copy(const overture_asset* asset, overture_asset** copy,
                                                 overture_error* error);
// Writes the path of the asset's file, cut to fit and ended by NUL, and returns the length of all
// of it. `text` may be NULL if room is 0. 0 for NULL.
OVERTURE_C_API size_t overture_asset_path(const overture_asset* asset, char* text, size_t room);

// The name of an asset, which keeps nothing loaded: for what may be needed later, such as the rooms
// beside this one. A plain value, to be copied; it is of no use once the store has ended.
typedef struct overture_asset_name {
  const void* of;  // NULL: of nothing
  const overture_store* store;
  overture_asset_type type;
} overture_asset_name;

// For decode(): names an asset without loading it. Errors: bad_path, out_of_memory, invalid.
OVERTURE_C_API overture_code overture_needs_name(overture_needs* needs, overture_asset_type type,
                                                 const char* path, overture_asset_name* name,
                                                 overture_error* error);
// The same for a part or with settings.
OVERTURE_C_API overture_code overture_needs_name_variant(overture_needs* needs,
                                                         overture_asset_type type, const char* path,
                                                         const overture_asset_variant* variant,
                                                         overture_asset_name* name,
                                                         overture_error* error);
// The name of what the handle is on; of nothing for NULL.
OVERTURE_C_API overture_asset_name overture_asset_name_of(const overture_asset* asset);
// A handle on the asset of a name, as by overture_store_get(). Errors: out_of_memory, invalid (also
// for a name of nothing, or of another store).
OVERTURE_C_API overture_code overture_store_get_named(overture_store* store,
                                                      overture_asset_name name, int32_t priority,
                                                      overture_asset** asset,
                                                      overture_error* error);
// What decode() made, once the asset is ready; before, its loader's placeholder or NULL. Stays
// while the handle is held, unless a reload replaces it in overture_store_pump(): ask anew in each
// frame. One load.
OVERTURE_C_API void* overture_asset_value(const overture_asset* asset);
// How many values it has had: each reload that succeeds adds one, and each stage. 0 for NULL.
OVERTURE_C_API uint32_t overture_asset_version(const overture_asset* asset);
// OVERTURE_OK once it is ready. Errors: busy while it is loading; why it failed; invalid.
OVERTURE_C_API overture_code overture_asset_status(const overture_asset* asset,
                                                   overture_error* error);
// OVERTURE_OK unless its last reload failed, or for a part that of the whole file, which leaves the
// value as it was. Errors: why; invalid.
OVERTURE_C_API overture_code overture_asset_reload_status(const overture_asset* asset,
                                                          overture_error* error);
// Gives it, and all that it needs, at least this priority. Does nothing to what is loaded. Error:
// invalid.
OVERTURE_C_API overture_code overture_asset_raise(overture_asset* asset, int32_t priority,
                                                  overture_error* error);
// Makes the value of this stage if it has one of a later stage, and none of later ones; UINT32_MAX:
// all, as at first. See stage_bytes of overture_loader. Error: invalid.
OVERTURE_C_API overture_code overture_asset_set_last_stage(overture_asset* asset, uint32_t stage,
                                                           overture_error* error);
// What a value is made of, see stage_bytes of overture_loader.
typedef struct overture_asset_stage {
  size_t size;          // sizeof(overture_asset_stage)
  uint32_t index;       // counted from the coarsest
  bool is_whole;        // it is made of the whole file
  uint64_t file_bytes;  // of the whole file
} overture_asset_stage;
// Which stage the value is of; nothing, if it is not ready. Error: invalid.
OVERTURE_C_API overture_code overture_asset_get_stage(const overture_asset* asset,
                                                      overture_asset_stage* stage,
                                                      overture_error* error);
// Gives each this priority, up or down, and what it needs with it: that stays as urgent as any
// other that waits for it is, and as it was asked for itself. Distances to the player in each
// frame, for example: some 50 ns each. Errors: invalid (also an asset of another store, or NULL:
// then none is changed).
OVERTURE_C_API overture_code overture_store_set_priorities(overture_store* store,
                                                           overture_asset* const* assets,
                                                           const int32_t* priorities, size_t count,
                                                           overture_error* error);
// Loads one that has failed again, and what it needs and has failed. Does nothing to others. Error:
// invalid.
OVERTURE_C_API overture_code overture_asset_retry(overture_asset* asset, overture_error* error);
// Pumps until the asset is ready or has failed, for at most so many nanoseconds. OVERTURE_BUSY: the
// time has run out. Otherwise as overture_asset_status(). On the thread that pumps, and not from
// within a function of a loader.
OVERTURE_C_API overture_code overture_asset_wait(overture_asset* asset, uint64_t timeout_ns,
                                                 overture_error* error);

// Assets that are wanted for one purpose, a level or a menu: a group holds them, and wants them
// with its priority. An asset is as urgent as the most urgent of its groups, of what the program
// asked for it itself, and of the assets that wait for it. One thread at a time may use a group.
typedef struct overture_asset_group overture_asset_group;

// The assets of a group and all that those need: each counts once. One that has failed needs
// nothing.
typedef struct overture_asset_group_progress {
  size_t size;  // sizeof(overture_asset_group_progress)
  uint64_t assets;
  uint64_t ready;        // of those
  uint64_t failed;       //
  uint64_t bytes_read;   // of their files; how large the others are is not known yet
  uint64_t bytes_ready;  // of the files of what is ready
} overture_asset_group_progress;

// Free it before the store. Errors: invalid, out_of_memory.
OVERTURE_C_API overture_code overture_asset_group_make(overture_store* store, int32_t priority,
                                                       overture_asset_group** group,
                                                       overture_error* error);
// Gives its assets up, as overture_asset_group_cancel().
OVERTURE_C_API overture_code overture_asset_group_free(overture_asset_group* group,
                                                       overture_error* error);
// The group holds it from now on, so its handle may be freed, and it is as urgent as the group: ask
// for it with OVERTURE_ASSET_LOWEST, so that overture_asset_group_set_priority() can lower it too.
// Errors: invalid (also an asset of another store), out_of_memory.
OVERTURE_C_API overture_code overture_asset_group_add(overture_asset_group* group,
                                                      overture_asset* asset, overture_error* error);
// Up or down, with all that its assets need. Error: invalid.
OVERTURE_C_API overture_code overture_asset_group_set_priority(overture_asset_group* group,
                                                               int32_t priority,
                                                               overture_error* error);
// Error: invalid.
OVERTURE_C_API overture_code
overture_asset_group_get_progress(const overture_asset_group* group,
                                  overture_asset_group_progress* progress, overture_error* error);
// Pumps until all are ready or have failed, for at most so many nanoseconds. OVERTURE_BUSY: the
// time has run out. OVERTURE_OK: all are ready. Otherwise why the first of those that were added
// and have failed did, as overture_asset_status() says it. Where overture_asset_wait() may be
// called.
OVERTURE_C_API overture_code overture_asset_group_wait(overture_asset_group* group,
                                                       uint64_t timeout_ns, overture_error* error);
// Gives its assets up: what nothing else holds is cancelled or unloaded. Error: invalid.
OVERTURE_C_API overture_code overture_asset_group_cancel(overture_asset_group* group,
                                                         overture_error* error);

// For each frame, always on the same thread and not from within a function of a loader: finalizes
// what waits, most important first, and unloads what is not held any more, until `budget_ns` has
// passed; one step at least. Error: invalid.
OVERTURE_C_API overture_code overture_store_pump(overture_store* store, uint64_t budget_ns,
                                                 overture_error* error);
// Says that a file has changed: its assets are loaded again a moment later, and those that failed
// because of it. Call it for what a watch (overture/c/watch.h) or your editor says has changed.
// Without overture_store_pump() no reload begins. Errors: invalid, bad_path.
OVERTURE_C_API overture_code overture_store_reload(overture_store* store, const char* path,
                                                   overture_error* error);
// The same for all assets whose file this mount has (the winning one), or takes away by a removal
// marker. Call it after overture_files_mount() or remount(), and before the unmount() or remount()
// that ends the mount, on the thread that pumps. Cost: two look-ups by path for each known asset.
// Error: invalid.
OVERTURE_C_API overture_code overture_store_reload_mount(overture_store* store,
                                                         overture_mount mount,
                                                         overture_error* error);

// What has become of an asset.
enum {
  OVERTURE_ASSET_UNLOADED = 0,
  OVERTURE_ASSET_FAILED = 1,        // to load
  OVERTURE_ASSET_LOADED = 2,        // it is ready
  OVERTURE_ASSET_RELOADED = 3,      // it has a new value, of a changed file or of another stage
  OVERTURE_ASSET_RELOAD_FAILED = 4  // it keeps its old value
};
// Valid during the call only.
typedef struct overture_asset_event {
  int32_t kind;
  uint32_t subject;           // the asset's: see overture_asset_subject()
  const char* path;           //
  const char* part;           // of the file; "": all of it
  const overture_error* why;  // OVERTURE_OK unless it has failed; the text is that of its status
  const void* of;             // for overture_asset_event_is_of()
} overture_asset_event;
typedef void (*overture_asset_told)(void* context, const overture_asset_event* event);

// Tells what has become of assets since the last call, the first that changed first. An asset has a
// few events at most, however often it changed: they say how it differs from what was told before,
// in the order above, and a failure to load is always told. `told` may call the store, but not
// this; what it causes comes the next time. One thread at a time, usually once a frame after the
// pump. Error: invalid.
OVERTURE_C_API overture_code overture_store_take_events(overture_store* store,
                                                        overture_asset_told told, void* context,
                                                        overture_error* error);
// The number of the asset in its store, which stays while the store lives: a key for objects of
// your own, and the "subject" of its zones in a timeline. 0 for NULL.
OVERTURE_C_API uint32_t overture_asset_subject(const overture_asset* asset);
// Whether it is an event of the asset that this handle is on; false if either is NULL.
OVERTURE_C_API bool overture_asset_event_is_of(const overture_asset_event* event,
                                               const overture_asset* asset);

// An asset that is asked for and neither ready nor failed. Valid during the call only.
typedef struct overture_unsettled {
  const char* path;
  const char* part;   // of the file; "": all of it
  const char* state;  // "queued", "reading", "decoding", "needing" or "finalizing"
  const char* needs;  // if "needing": the path of the first that is not ready; otherwise ""
  const char* what;   // what it waits for, in a few words
  uint64_t ns;        // since it came into this state
  uint32_t subject;   // as in overture_asset_event
} overture_unsettled;
// Calls `told` for each: what a load that does not end waits for. It must not call the store.
// Error: invalid.
OVERTURE_C_API overture_code overture_store_unsettled(const overture_store* store,
                                                      void (*told)(void* context,
                                                                   const overture_unsettled* asset),
                                                      void* context, overture_error* error);

typedef struct overture_store_progress {
  size_t size;             // sizeof(overture_store_progress)
  uint64_t asked;          // assets that are held, by handles or by others that need them
  uint64_t ready;          // of those
  uint64_t failed;         // of those
  uint64_t kept;           // loaded, though no handle holds them, and what only they need
  uint64_t kept_bytes;     // of those
  uint64_t held_bytes;     // of all else that is ready
  uint64_t waiting_bytes;  // of what is not ready yet, or waits to be unloaded
} overture_store_progress;

// Error: invalid.
OVERTURE_C_API overture_code overture_store_get_progress(const overture_store* store,
                                                         overture_store_progress* progress,
                                                         overture_error* error);

#ifdef __cplusplus
}
#endif

// SPDX-License-Identifier: Zlib
//
// Music that is streamed: decoded while it plays.
//
//   overture_sound_thread* thread = NULL;                    // decodes ahead; one for the program
//   overture_sound_thread_make(&thread, &why);
//   overture_sound_config config = {.size = sizeof config, .thread = thread};
//   overture_sound* music = NULL;
//   overture_sound_open(files, "music/theme.ogg", &config, &music, &why);
//   ... in the audio callback:
//   overture_sound_read(music, buffer, frame_count);         // silence where it is late
//
// Link overture::sounds (pkg-config overture-sounds), which brings overture::c and what C++ needs:
// these functions are in a static library of their own, also beside a shared one, and overture.h
// does not include them. overture/sounds/sound_stream.hpp says which formats there are, what a
// stream costs, and more.
//
// Functions that take a sound do nothing for NULL and return 0, false or "".
#pragma once

#include "overture/c/base.h"
#include "overture/c/jobs.h"
#include "overture/c/vfs.h"

// For functions of the library of sounds.
#define OVERTURE_SOUNDS_API

#ifdef __cplusplus
extern "C" {
#endif

// The thread that decodes sounds, up to 64 of them.
typedef struct overture_sound_thread overture_sound_thread;
// Errors: out_of_memory; limit, permission (the system starts no thread); invalid.
OVERTURE_SOUNDS_API overture_code overture_sound_thread_make(overture_sound_thread** thread,
                                                             overture_error* error);
// Error: busy while a sound uses it.
OVERTURE_SOUNDS_API overture_code overture_sound_thread_free(overture_sound_thread* thread,
                                                             overture_error* error);

typedef int32_t overture_sound_repeat;
enum {
  OVERTURE_REPEAT_TAGS = 0,   // as the file says: LOOPSTART and LOOPLENGTH
  OVERTURE_REPEAT_ONCE = 1,   // plays once
  OVERTURE_REPEAT_ALWAYS = 2  // from loop_begin to loop_end
};

typedef struct overture_sound_config {
  size_t size;                    // sizeof(overture_sound_config)
  overture_sound_thread* thread;  // decodes ahead,
  // Or jobs of this do, unless it runs them at once: then overture_sound_read() submits them, so a
  // host's own job system must be fit for the audio thread. Neither: call overture_sound_decode().
  overture_pool* pool;
  bool integers;                     // the ring holds 16-bit samples: see overture_sound_read()
  overture_sound_repeat repeat;      //
  uint32_t ring_frames;              // decoded ahead; 0: 16,384
  uint64_t loop_begin;               // of OVERTURE_REPEAT_ALWAYS, in frames
  uint64_t loop_end;                 // the frame after the last; 0: the end of the song
  uint64_t memory_bytes_max;         // 0: 8 MiB
  const overture_allocator* memory;  // of the ring and the file; NULL: malloc
} overture_sound_config;

typedef struct overture_sound overture_sound;
// Errors: those of overture_file_open(); unsupported (no such format, or it is not built in);
// corrupt, truncated, limit, out_of_memory, invalid.
OVERTURE_SOUNDS_API overture_code overture_sound_open(overture_files* files, const char* path,
                                                      const overture_sound_config* config,
                                                      overture_sound** sound,
                                                      overture_error* error);
// When no other thread uses it: stop the audio callback first. NULL does nothing.
OVERTURE_SOUNDS_API void overture_sound_free(overture_sound* sound);

OVERTURE_SOUNDS_API uint32_t overture_sound_channels(const overture_sound* sound);
OVERTURE_SOUNDS_API uint32_t overture_sound_rate(const overture_sound* sound);  // frames a second
OVERTURE_SOUNDS_API const char* overture_sound_format(const overture_sound* sound);  // "vorbis"

// Writes `frames` interleaved frames and returns how many were there: the rest is silence. For
// audio callbacks: takes no lock, allocates nothing. `to` may be NULL if frames is 0. Both work
// whatever the ring holds, and convert where it holds the other: floats are rounded and cut to the
// range.
OVERTURE_SOUNDS_API size_t overture_sound_read(overture_sound* sound, float* to, size_t frames);
OVERTURE_SOUNDS_API size_t overture_sound_read_integers(overture_sound* sound, int16_t* to,
                                                        size_t frames);
// At the length and beyond: to the end. What comes next is silence until frames from there are
// decoded, which begins with the next read. Any thread.
OVERTURE_SOUNDS_API void overture_sound_seek(overture_sound* sound, uint64_t frame);
// Of a sound without thread and pool: decodes up to `pieces` pieces of 1,024 frames. Returns
// whether there is more to do now.
OVERTURE_SOUNDS_API bool overture_sound_decode(overture_sound* sound, size_t pieces);

typedef struct overture_sound_state {
  size_t size;               // sizeof(overture_sound_state)
  uint64_t position;         // the frame that is read next
  uint64_t length;           // in frames; 0: not known yet
  uint64_t loops;            // how often it has gone back
  uint64_t underruns;        // how often a read found too few frames
  uint64_t loop_begin;       // where it goes back to, if it loops
  uint64_t loop_end;         // and from where; 0: the end
  bool is_looping;           //
  bool ended;                // the end has been read
  bool stopped;              // the rest cannot be read or decoded
  overture_code first_code;  // of the first damage; OVERTURE_OK: none
  uint64_t damages;          // how many places were damaged
  uint64_t damaged_frame;    // where in the song the first was
  uint64_t damaged_byte;     // and where in the file
  char damage[128];          // what it was, in a few words
} overture_sound_state;
// Error: invalid. Any thread.
OVERTURE_SOUNDS_API overture_code overture_sound_get_state(const overture_sound* sound,
                                                           overture_sound_state* state,
                                                           overture_error* error);

#ifdef __cplusplus
}
#endif

/* SPDX-License-Identifier: Zlib */
#include <stdio.h>
#include <string.h>

#include "c_test.h"

enum { FRAMES = 5000 };

static void put(FILE* file, uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) fputc((int)(value >> (8 * i) & 255), file);
}

/* A tree with one WAV of one channel, whose samples are the numbers of their frames. */
static overture_files* make_songs(void) {
  overture_files* files = NULL;
  overture_error why = {.size = sizeof why};
  FILE* file = fopen(in_folder("empty/song.wav"), "wb");
  CHECK(file != NULL);
  fputs("RIFF", file), put(file, 36 + 2 * FRAMES, 4), fputs("WAVEfmt ", file);
  put(file, 16, 4), put(file, 1, 2), put(file, 1, 2), put(file, 44100, 4), put(file, 88200, 4);
  put(file, 2, 2), put(file, 16, 2), fputs("data", file), put(file, 2 * FRAMES, 4);
  for (uint32_t frame = 0; frame < FRAMES; ++frame) put(file, frame, 2);
  fclose(file);
  CHECK_OK(overture_files_make(NULL, &files, &why));
  CHECK_OK(overture_files_mount(files, in_folder("empty"), NULL, NULL, &why));
  return files;
}

C_CASE(c_sounds, a_song_is_decoded_while_it_is_read) {
  static int16_t heard[FRAMES];
  static float again[FRAMES];
  overture_files* files = make_songs();
  overture_sound_thread* thread = NULL;
  overture_sound* song = NULL;
  overture_error why = {.size = sizeof why};
  overture_sound_state state = {.size = sizeof state};
  CHECK_OK(overture_sound_thread_make(&thread, &why));
  overture_sound_config config = {.size = sizeof config, .thread = thread, .integers = true};
  CHECK_OK(overture_sound_open(files, "song.wav", &config, &song, &why));
  CHECK(overture_sound_thread_free(thread, &why) == OVERTURE_BUSY);
  CHECK(overture_files_free(files, &why) == OVERTURE_BUSY);
  CHECK(overture_sound_channels(song) == 1);
  CHECK(overture_sound_rate(song) == 44100);
  CHECK(strcmp(overture_sound_format(song), "wav") == 0);
  for (size_t got = 0; got < FRAMES;) {
    got += overture_sound_read_integers(song, heard + got, FRAMES - got);
  }
  for (int i = 0; i < FRAMES; ++i) CHECK(heard[i] == i);
  CHECK_OK(overture_sound_get_state(song, &state, &why));
  CHECK(state.position == FRAMES && state.length == FRAMES && !state.stopped);
  overture_sound_seek(song, 1000);
  for (size_t got = 0; got < 100;) got += overture_sound_read(song, again + got, 100 - got);
  CHECK(again[0] == 1000 / 32768.0f);
  CHECK(!overture_sound_decode(song, 1));
  overture_sound_free(song);
  CHECK_OK(overture_sound_thread_free(thread, &why));
  CHECK_OK(overture_files_free(files, &why));
}

C_CASE(c_sounds, a_song_goes_back_to_where_its_loop_begins) {
  static float heard[3000];
  overture_files* files = make_songs();
  overture_sound* song = NULL;
  overture_error why = {.size = sizeof why};
  overture_sound_state state = {.size = sizeof state};
  overture_sound_config config = {
      .size = sizeof config, .repeat = OVERTURE_REPEAT_ALWAYS, .loop_begin = 500, .loop_end = 1000};
  CHECK_OK(overture_sound_open(files, "song.wav", &config, &song, &why));
  while (overture_sound_decode(song, 1)) {
  }
  CHECK(overture_sound_read(song, heard, 3000) == 3000);
  CHECK(heard[999] == 999 / 32768.0f && heard[1000] == 500 / 32768.0f);
  CHECK_OK(overture_sound_get_state(song, &state, &why));
  CHECK(state.is_looping && state.loop_begin == 500 && state.loop_end == 1000);
  CHECK(state.loops == 4 && !state.ended);
  overture_sound_free(song);
  CHECK_OK(overture_files_free(files, &why));
}

C_CASE(c_sounds, what_is_no_song_is_refused_with_its_path) {
  overture_files* files = NULL;
  overture_sound* song = NULL;
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_files_make(NULL, &files, &why));
  CHECK_OK(overture_files_mount(files, in_folder("base.zip"), NULL, NULL, &why));
  CHECK(overture_sound_open(files, "readme.txt", NULL, &song, &why) == OVERTURE_UNSUPPORTED);
  CHECK(strstr(why.text, "base.zip") != NULL || strstr(why.text, "readme.txt") != NULL);
  CHECK(overture_sound_open(files, "no.ogg", NULL, &song, &why) == OVERTURE_NOT_FOUND);
  CHECK(strstr(why.text, "no.ogg") != NULL);
  CHECK(song == NULL);
  CHECK_OK(overture_files_free(files, &why));
}

C_CASE(c_sounds, null_and_misuse_are_invalid) {
  overture_files* files = make_songs();
  overture_sound* song = NULL;
  overture_error why = {.size = sizeof why};
  overture_sound_state state = {.size = sizeof state};
  overture_sound_config config = {.size = sizeof config, .repeat = 7};
  CHECK_INVALID(overture_sound_thread_make(NULL, &why));
  CHECK_OK(overture_sound_thread_free(NULL, &why));
  CHECK_INVALID(overture_sound_open(NULL, "song.wav", NULL, &song, &why));
  CHECK_INVALID(overture_sound_open(files, NULL, NULL, &song, &why));
  CHECK_INVALID(overture_sound_open(files, "song.wav", NULL, NULL, &why));
  CHECK_INVALID(overture_sound_open(files, "song.wav", &config, &song, NULL));
  config.repeat = OVERTURE_REPEAT_TAGS;
  config.size = 3;
  CHECK_INVALID(overture_sound_open(files, "song.wav", &config, &song, &why));
  overture_sound_free(NULL);
  CHECK(overture_sound_channels(NULL) == 0);
  CHECK(overture_sound_rate(NULL) == 0);
  CHECK(strcmp(overture_sound_format(NULL), "") == 0);
  CHECK(overture_sound_read(NULL, NULL, 10) == 0);
  CHECK(overture_sound_read_integers(NULL, NULL, 10) == 0);
  overture_sound_seek(NULL, 5);
  CHECK(!overture_sound_decode(NULL, 1));
  CHECK_INVALID(overture_sound_get_state(NULL, &state, &why));
  CHECK_OK(overture_sound_open(files, "song.wav", NULL, &song, &why));
  CHECK_INVALID(overture_sound_get_state(song, NULL, &why));
  state.size = 1;
  CHECK_INVALID(overture_sound_get_state(song, &state, &why));
  CHECK(overture_sound_read(song, NULL, 10) == 0);
  overture_sound_free(song);
  CHECK_OK(overture_files_free(files, &why));
}

// SPDX-License-Identifier: Zlib
//
// sound_stream: music that is decoded while it plays, from a file of the tree: loose, stored or
// compressed.
//
//   sound_thread sounds;                                   // decodes ahead; one for the game
//   result<sound_stream> music =
//       sound_stream::open(files, "music/theme.ogg"_path, {.thread = &sounds});
//   if (!music) return report(music.error());
//
//   // In the audio callback, where the buffer has room for whole frames:
//   music->read(buffer);                                   // silence where it is late
//
// A frame is one sample of each channel; samples are interleaved. The rate and the channels are the
// file's: overture/sdl/audio.hpp lets SDL convert them. Short effects are better decoded as a whole
// (overture/load/read_file.hpp).
//
// Formats, by content: Ogg Vorbis and Ogg Opus (48 kHz), FLAC, MP3, and WAV with PCM of 8, 16, 24
// or 32 bits or floats of 32. FLAC and MP3 only if Overture was built with libFLAC and libmpg123:
// otherwise opening such a file is `unsupported`. Of a chain of Ogg streams the first is played.
//
// Who decodes: the sound_thread or the job_system of the config, ahead of read(), into a ring. With
// neither the program calls decode(). The first piece is decoded by open(), so that the song can
// begin at once.
//
// Loops: a file may say where its loop is, in the tags LOOPSTART and LOOPLENGTH (or LOOPEND), in
// frames, as RPG Maker and many engines have it. Such a file goes back for ever; any other plays
// once, unless the config says something else. The frame after the last of the loop is its first,
// without a gap; with Opus and MP3, whose decoders must run in, the samples after it may differ by
// rounding from those that a first pass has.
//
// Seeking: seek() returns at once. Frames from before it are never read after it; until the first
// new one is there, read() gives silence, which does not count as an underrun. Positions are exact.
// In a large compressed file seeking back unpacks at most an eighth of it.
//
// Damage: decoding goes on after it, in time, with silence for what is lost. status() tells where
// the first damage was. If the rest cannot be read, the song ends there.
//
// Cost: that of the codec, and of reading and unpacking the file. Memory: the ring (128 KiB for
// stereo), 16 KiB for the file, up to 400 KiB more if it is compressed and large, and what the
// codec takes: 100 to 300 KiB. A song of any length takes no more. read() copies frames and makes
// at most one wake: it takes no lock and allocates nothing. (With jobs it submits one.)
//
// Limits: compressed files of more than 128 KiB by DEFLATE only; eight channels; Ogg packets of 1
// MiB.
//
// In an asset_store: read() is not const, and handles show const values, so the asset owns its
// stream by a std::unique_ptr: see docs/guide/sounds.md.
//
// Lifetime: the file stays open when its mount is unmounted, and plays on. The file_system, the
// sound_thread or the job_system, and the allocator must outlive the stream. Threads: read() on one
// thread at a time; decode() likewise; the rest on any thread. Moving and ending it only when no
// other thread uses it: stop the audio callback first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "overture/base/allocator.hpp"
#include "overture/base/error.hpp"
#include "overture/base/path.hpp"
#include "overture/sounds/sound_thread.hpp"
#include "overture/vfs/file_reader.hpp"

namespace overture {

class file_system;
class job_system;

// What the ring holds. read() gives either; the other costs a conversion.
enum class sound_samples : std::uint8_t { float32, int16 };

enum class sound_repeat : std::uint8_t {
  tags,    // as the file says; one that says nothing plays once
  once,    // whatever the file says
  always,  // from loop_begin to loop_end of the config
};

struct sound_stream_config {
  sound_thread* thread = nullptr;  // decodes ahead,
  job_system* jobs = nullptr;      // or jobs of this do; not both
  sound_samples samples = sound_samples::float32;
  std::uint32_t ring_frames = 16'384;  // decoded ahead, in pieces of 1,024; at least 2,048
  sound_repeat repeat = sound_repeat::tags;
  std::uint64_t loop_begin = 0;  // of sound_repeat::always, in frames
  std::uint64_t loop_end = 0;    // the frame after the last; 0 = the end of the song
  allocator* memory = nullptr;   // null: default_allocator(); codecs use malloc
  // A file whose stream would take more is refused as `limit`. What a codec takes is an upper bound
  // by the headers of the file.
  std::uint64_t memory_bytes_max = 8u << 20;
};

// Where a song goes back: from `end` to `begin`.
struct sound_loop {
  bool is_set = false;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  // 0 = the end of the song
};

// How it is with the data.
struct sound_status {
  std::uint64_t damages = 0;  // how many places were damaged, each time they were met
  bool stopped = false;       // reading or decoding cannot go on: the song ends here
  // The first one, if there is any: why, where in the song and where in the unpacked file. Its
  // source and offset are those that file_system::explain() prints.
  error first = {};
  std::uint64_t frame = 0;
  std::uint64_t byte = 0;
};

class sound_stream {
 public:
  // Opens the file, reads its headers and decodes the first piece. Errors: those of
  // file_reader::open(); unsupported (no such format, or it is not built in); corrupt, truncated,
  // limit, out_of_memory; invalid (a thread and jobs at once); those of the sound_thread. Any
  // thread.
  [[nodiscard]] static result<sound_stream> open(file_system& files, asset_path path,
                                                 const sound_stream_config& config = {}) noexcept;
  // The same for a reader of your own, from its beginning. Errors know no path.
  [[nodiscard]] static result<sound_stream> open(file_reader file,
                                                 const sound_stream_config& config = {}) noexcept;
  sound_stream(sound_stream&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  sound_stream& operator=(sound_stream&& other) noexcept {
    sound_stream taken(std::move(other));
    std::swap(state_, taken.state_);
    return *this;
  }
  sound_stream(const sound_stream&) = delete;
  sound_stream& operator=(const sound_stream&) = delete;
  // Waits until the piece that is being decoded is done.
  ~sound_stream();

  [[nodiscard]] std::uint32_t channels() const noexcept;
  [[nodiscard]] std::uint32_t sample_rate() const noexcept;  // frames a second
  [[nodiscard]] const char* format() const noexcept;         // "vorbis", "opus", "flac", ...

  // Fills `to` with the next frames; its size is a multiple of channels(). Returns how many frames
  // there were: the rest is silence, an underrun unless the song has ended. For audio callbacks.
  std::size_t read(std::span<float> to) noexcept;         // -1 to 1
  std::size_t read(std::span<std::int16_t> to) noexcept;  // rounded and cut to the range
  // Goes to that frame; at the length and beyond, to the end of the song.
  void seek(std::uint64_t frame) noexcept;

  // The frame that is read next.
  [[nodiscard]] std::uint64_t position() const noexcept;
  // In frames, without loops. 0 if not known yet: a large compressed Ogg file tells it at its end,
  // to which the decoder unpacks it with the next piece if you ask. Of an MP3 file without its
  // encoder's header it is an estimate.
  [[nodiscard]] std::uint64_t length() const noexcept;
  // How often what was read last had gone back to the beginning of the loop.
  [[nodiscard]] std::uint64_t loops() const noexcept;
  [[nodiscard]] sound_loop loop() const noexcept;
  // Whether the end has been read; false again after a seek.
  [[nodiscard]] bool ended() const noexcept;
  // How often read() found too few frames.
  [[nodiscard]] std::uint64_t underruns() const noexcept;
  [[nodiscard]] sound_status status() const noexcept;

  // For a stream without thread and jobs: decodes up to `pieces` pieces of 1,024 frames, until the
  // ring is full or the song has ended. Returns whether there is more to do now. Does nothing for
  // other streams.
  bool decode(std::size_t pieces = SIZE_MAX) noexcept;

 private:
  struct state;
  explicit sound_stream(state* made) noexcept : state_(made) {}

  state* state_ = nullptr;
};

}  // namespace overture

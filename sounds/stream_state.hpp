// SPDX-License-Identifier: Zlib
//
// stream_state: a song on its way from the codec into the ring. take_turn() decodes a piece; all
// else about it is loops, seeks and the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/vec.hpp"
#include "overture/base/atomic.hpp"
#include "overture/jobs/job_system.hpp"
#include "overture/sounds/sound_stream.hpp"
#include "sounds/codecs/codec.hpp"
#include "sounds/codecs/damage_log.hpp"
#include "sounds/decode_thread.hpp"
#include "sounds/ring/frame_ring.hpp"
#include "sounds/ring/one_at_a_time.hpp"
#include "sounds/ring/playback.hpp"

namespace overture::sounds_detail {

// Where the file of a song is.
struct song_file {
  path_id path = {};
  source_id source = {};
  std::uint64_t offset = 0;
  bool is_loose = true;
  bool is_packed = false;  // going to its end takes long
  std::uint64_t reader_bytes = 0;
};

struct stream_state : decode_source {
  stream_state(allocator& from, file_reader reader, const song_file& at) noexcept;
  // Opens the codec, makes the ring and decodes the first piece.
  [[nodiscard]] result<void> begin(const sound_stream_config& config) noexcept;

  [[nodiscard]] bool wants_turn() const noexcept final { return play->wants_frames(); }
  void take_turn() noexcept final;

  allocator& memory;
  file_reader file;
  song_file where;
  damage_log log;
  sound_codec* codec = nullptr;
  sound_format codec_format;
  sound_samples samples = sound_samples::float32;
  std::size_t frame_bytes = 0;
  sound_loop loop;
  atomic<std::uint64_t> length{0};
  atomic<bool> length_asked{false};

  base_detail::vec<piece_info> infos;
  base_detail::vec<float> room;  // of the ring
  std::optional<frame_ring> ring;
  std::optional<playback> play;

  // Who decodes: a thread, jobs, or else the program.
  atomic<bool> closing{false};
  decode_thread::slots_type::slot* slot = nullptr;
  decode_thread* thread = nullptr;
  atomic<bool> queued{false};  // a job that has not begun
  one_at_a_time turns;         // of jobs
  std::optional<job_group> jobs;

 protected:
  ~stream_state();

 private:
  static constexpr std::size_t piece_frames = 1024;

  [[nodiscard]] result<void> make_ring(const sound_stream_config& config) noexcept;
  [[nodiscard]] result<void> find_loop(const sound_stream_config& config) noexcept;
  void learn_length() noexcept;
  void follow_seek(song_place wants) noexcept;
  void fill(piece_info& piece, const frame_room& to) noexcept;
  [[nodiscard]] bool go_back() noexcept;
  [[nodiscard]] std::size_t frames_to_loop_end() const noexcept;
  void stop(const error& why) noexcept;

  // Of the thread that decodes:
  std::uint32_t generation_ = 1;
  std::uint64_t position_ = 0;  // of the next frame
  std::uint64_t loops_ = 0;
  bool knows_length_ = false;
  bool stopped_ = false;      // by an error
  bool plays_out_ = false;    // begun after the loop
  bool has_decoded_ = false;  // a frame since it went back
};

}  // namespace overture::sounds_detail

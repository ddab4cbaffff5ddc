// SPDX-License-Identifier: Zlib
#include "sounds/stream_state.hpp"

#include <algorithm>
#include <utility>

namespace overture::sounds_detail {

using namespace base_detail;

stream_state::stream_state(allocator& from, file_reader reader, const song_file& at) noexcept
    : memory(from),
      file(std::move(reader)),
      where(at),
      infos(from, memory_tag::decode),
      room(from, memory_tag::decode) {
  log.set_file(at.path, at.source, at.offset, at.is_loose);
}

stream_state::~stream_state() {
  if (codec) codec->destroy(memory);
}

result<void> stream_state::begin(const sound_stream_config& config) noexcept {
  samples = config.samples;
  // The ring of eight channels, before the file says how many there are.
  if (where.reader_bytes > config.memory_bytes_max) return fail(errc::limit, codec_over_memory);
  const result<sound_codec*> opened =
      open_codec({file, memory, log, samples, config.memory_bytes_max - where.reader_bytes});
  if (!opened) return tl::unexpected<error>(opened.error());
  codec = *opened;
  codec_format = codec->format();
  if (result<void> made = make_ring(config); !made) return made;
  if (!where.is_packed || !codec->length_is_at_end()) learn_length();
  if (!stopped_) {
    if (result<void> found = find_loop(config); !found) return found;
    take_turn();
  }
  // A song that stops with its first piece has nothing to play.
  const sound_status now = log.status();
  const piece_info* const first = ring->front();
  if (now.stopped && (!first || first->frames == 0)) return tl::unexpected<error>(now.first);
  return {};
}

result<void> stream_state::make_ring(const sound_stream_config& config) noexcept {
  frame_bytes = codec_format.channels * bytes_of(samples);
  const std::size_t pieces = std::max<std::size_t>(
      (std::uint64_t{config.ring_frames} + piece_frames - 1) / piece_frames, 2);
  const std::size_t piece_bytes = piece_frames * frame_bytes;
  if (pieces * piece_bytes > config.memory_bytes_max - where.reader_bytes) {
    return fail(errc::limit, codec_over_memory);
  }
  if (!infos.resize(pieces) || !room.resize_for_overwrite(pieces * piece_bytes / sizeof(float))) {
    return fail(errc::out_of_memory, "out of memory for the ring of a sound");
  }
  ring.emplace(std::as_writable_bytes(std::span(room.data(), room.size())),
               std::span(infos.data(), infos.size()), piece_bytes);
  play.emplace(*ring);
  return {};
}

result<void> stream_state::find_loop(const sound_stream_config& config) noexcept {
  const std::uint64_t song = length.load(std::memory_order_relaxed);
  if (config.repeat == sound_repeat::once) return {};
  sound_loop wanted{true, config.loop_begin, config.loop_end};
  if (config.repeat == sound_repeat::tags) {
    const loop_tags tags = codec->tags();
    wanted = {tags.has_begin, tags.begin, tags.length != 0 ? tags.begin + tags.length : tags.end};
  }
  // Past the end is the end.
  if (song != 0 && wanted.end >= song) wanted.end = 0;
  const bool is_empty = wanted.end != 0 && wanted.end <= wanted.begin;
  const bool is_past_end = song != 0 && wanted.begin >= song;
  if (!is_empty && !is_past_end) {
    loop = wanted;
  } else if (config.repeat == sound_repeat::always) {
    return fail(errc::invalid, "a loop that ends before it begins, or begins after the song");
  }
  return {};
}

void stream_state::learn_length() noexcept {
  if (knows_length_) return;
  knows_length_ = true;
  const result<std::uint64_t> frames = codec->length();
  if (!frames) return stop(frames.error());
  length.store(*frames, std::memory_order_relaxed);
}

void stream_state::stop(const error& why) noexcept {
  stopped_ = true;
  log.note(why, file.position());
  log.stop();
}

void stream_state::follow_seek(song_place wants) noexcept {
  generation_ = wants.generation;
  learn_length();
  const std::uint64_t song = length.load(std::memory_order_relaxed);
  position_ = song == 0 ? wants.frame : std::min(wants.frame, song);
  plays_out_ = position_ >= (loop.end != 0 ? loop.end : song) && (loop.end != 0 || song != 0);
  has_decoded_ = true;
  if (stopped_) return;
  log.go_to(position_);
  if (result<void> moved = codec->seek(position_); !moved) stop(moved.error());
}

// Returns whether there is a loop to go back in.
bool stream_state::go_back() noexcept {
  if (!loop.is_set || plays_out_ || !std::exchange(has_decoded_, false)) return false;
  position_ = loop.begin;
  ++loops_;
  log.go_to(position_);
  if (result<void> moved = codec->seek(position_); !moved) {
    stop(moved.error());
    return false;
  }
  return true;
}

std::size_t stream_state::frames_to_loop_end() const noexcept {
  if (!loop.is_set || plays_out_ || loop.end == 0) return piece_frames;
  const std::uint64_t left = loop.end - std::min(loop.end, position_);
  return static_cast<std::size_t>(std::min<std::uint64_t>(left, piece_frames));
}

// Up to a full piece, or to where the song goes back: positions in a piece follow each other.
void stream_state::fill(piece_info& piece, const frame_room& to) noexcept {
  while (piece.frames < piece_frames && !piece.last) {
    frame_room rest = to.after(piece.frames);
    rest.frames = std::min(rest.frames, frames_to_loop_end());
    std::size_t got = 0;
    if (rest.frames != 0 && !stopped_) {
      log.go_to(position_);
      const result<std::size_t> decoded = codec->decode(rest);
      if (decoded) got = *decoded;
      if (!decoded) stop(decoded.error());
    }
    if (got != 0) {
      has_decoded_ = true;
      piece.frames += static_cast<std::uint32_t>(got);
      position_ += got;
      continue;
    }
    // The end itself tells how long the song is.
    if (rest.frames != 0 && !stopped_ && length.load(std::memory_order_relaxed) == 0) {
      knows_length_ = true;
      length.store(position_, std::memory_order_relaxed);
    }
    // The next piece begins after the jump.
    if (!stopped_ && piece.frames != 0 && loop.is_set && !plays_out_) return;
    if (!stopped_ && go_back()) {
      piece.first = position_;
      piece.loops = loops_;
    } else {
      piece.last = true;
    }
  }
}

void stream_state::take_turn() noexcept {
  std::byte* const to = ring->begin_piece();
  if (!to) return;
  const song_place wants = play->wanted();
  if (wants.generation != generation_) follow_seek(wants);
  piece_info piece{.first = position_, .loops = loops_, .generation = generation_};
  fill(piece, {to, piece_frames, codec_format.channels, samples});
  ring->end_piece(piece);
  if (piece.last) play->finish(generation_);
  if (length_asked.load(std::memory_order_relaxed)) learn_length();
}

}  // namespace overture::sounds_detail

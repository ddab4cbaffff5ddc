// SPDX-License-Identifier: Zlib
//
// sound_codec: decodes one format from a file_reader, a piece at a time. One file each:
// vorbis.cpp, opus.cpp, flac.cpp, mp3.cpp, wav.cpp; open_codec() chooses.
//
// A codec passes over damage: it notes it in the damage_log and writes silence for what is missing,
// so that the song stays in time. It returns an error only if it cannot go on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "overture/base/allocator.hpp"
#include "overture/base/error.hpp"
#include "overture/sounds/sound_stream.hpp"
#include "overture/vfs/file_reader.hpp"
#include "sounds/codecs/damage_log.hpp"
#include "sounds/codecs/samples.hpp"

namespace overture::sounds_detail {

// What the file says about its loop; 0 and false if it says nothing.
struct loop_tags {
  bool has_begin = false;
  std::uint64_t begin = 0;
  std::uint64_t length = 0;
  std::uint64_t end = 0;
};

struct sound_format {
  const char* name = "";
  std::uint32_t channels = 0;
  std::uint32_t rate = 0;
};

struct codec_request {
  file_reader& file;  // outlives the codec
  allocator& memory;
  damage_log& log;
  sound_samples samples;
  std::uint64_t bytes_max;  // what the codec may take
};

class sound_codec {
 public:
  sound_codec() = default;
  sound_codec(const sound_codec&) = delete;
  sound_codec& operator=(const sound_codec&) = delete;
  virtual ~sound_codec() = default;

  [[nodiscard]] virtual sound_format format() const noexcept = 0;
  [[nodiscard]] virtual loop_tags tags() const noexcept { return {}; }

  // Writes up to room.frames frames and returns their number; 0 only at the end.
  [[nodiscard]] virtual result<std::size_t> decode(const frame_room& room) noexcept = 0;
  // The next decode() begins with that frame. Seeking beyond the end is seeking to the end.
  [[nodiscard]] virtual result<void> seek(std::uint64_t frame) noexcept = 0;
  // In frames; 0 if the file does not say. May read, and move where the file is.
  [[nodiscard]] virtual result<std::uint64_t> length() noexcept = 0;
  // Whether length() reads the last bytes of the file.
  [[nodiscard]] virtual bool length_is_at_end() const noexcept { return false; }

  // Ends itself: only the codec knows its size.
  virtual void destroy(allocator& memory) noexcept = 0;
};

// Reads the file's headers. Errors: unsupported, corrupt, truncated, limit, out_of_memory, io.
[[nodiscard]] result<sound_codec*> open_codec(const codec_request& request) noexcept;

// One for each format. What a library that is missing would decode is `unsupported`.
[[nodiscard]] result<sound_codec*> open_ogg(const codec_request& request) noexcept;
[[nodiscard]] result<sound_codec*> open_flac(const codec_request& request) noexcept;
[[nodiscard]] result<sound_codec*> open_mp3(const codec_request& request) noexcept;
[[nodiscard]] result<sound_codec*> open_wav(const codec_request& request) noexcept;

inline constexpr const char* codec_out_of_memory = "out of memory for decoding the sound";
inline constexpr const char* codec_over_memory =
    "the sound takes more memory than the stream may: raise memory_bytes_max";

}  // namespace overture::sounds_detail

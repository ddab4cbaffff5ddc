// SPDX-License-Identifier: Zlib
//
// Which codec a file needs, by its first bytes.
#include <cstring>
#include <string_view>

#include "base/little_endian.hpp"
#include "sounds/codecs/codec.hpp"
#include "sounds/codecs/tags.hpp"

namespace overture::sounds_detail {
using namespace base_detail;

result<sound_codec*> open_codec(const codec_request& request) noexcept {
  std::byte front[12] = {};
  if (const result<void> begun = request.file.seek(0); !begun) {
    return tl::unexpected<error>(begun.error());
  }
  const result<std::size_t> got = request.file.read(front);
  if (!got) return tl::unexpected<error>(got.error());
  const std::string_view text(reinterpret_cast<const char*>(front), *got);
  if (text.starts_with("OggS")) return open_ogg(request);
  if (text.starts_with("fLaC")) return open_flac(request);
  if (text.starts_with("RIFF") || text.starts_with("RF64") || text.starts_with("BW64") ||
      text.starts_with("RIFX")) {
    return open_wav(request);
  }
  // A frame of MPEG begins with eleven ones and is of layer III.
  const bool is_frame = *got >= 2 && load_u8(front) == 0xFF && (load_u8(front + 1) & 0xE6) == 0xE2;
  if (is_frame || id3_tag_bytes(front) != 0) return open_mp3(request);
  return fail(errc::unsupported,
              "not a sound that can be streamed: Vorbis, Opus, FLAC, MP3 or WAV");
}

}  // namespace overture::sounds_detail

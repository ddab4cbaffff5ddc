// SPDX-License-Identifier: Zlib
#include "sounds/codecs/codec.hpp"

namespace overture::sounds_detail {

result<sound_codec*> open_mp3(const codec_request& /*request*/) noexcept {
  return fail(errc::unsupported, "an MP3 file; this Overture was built without libmpg123");
}

}  // namespace overture::sounds_detail

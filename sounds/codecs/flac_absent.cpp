// SPDX-License-Identifier: Zlib
#include "sounds/codecs/codec.hpp"

namespace overture::sounds_detail {

result<sound_codec*> open_flac(const codec_request& /*request*/) noexcept {
  return fail(errc::unsupported, "a FLAC file; this Overture was built without libFLAC");
}

}  // namespace overture::sounds_detail

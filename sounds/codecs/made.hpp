// SPDX-License-Identifier: Zlib
//
// Makes a codec: constructs it, opens it and destroys it again if that fails.
#pragma once

#include <utility>

#include "base/vec.hpp"
#include "sounds/codecs/codec.hpp"

namespace overture::sounds_detail {

// `Codec` has a constructor of these arguments and result<void> open().
template <class Codec, class... Args>
[[nodiscard]] result<sound_codec*> make_codec(const codec_request& request,
                                              Args&&... args) noexcept {
  Codec* const made = base_detail::make_object<Codec>(request.memory, memory_tag::decode, request,
                                                      std::forward<Args>(args)...);
  if (!made) return fail(errc::out_of_memory, codec_out_of_memory);
  const result<void> opened = made->open();
  if (opened) return made;
  made->destroy(request.memory);
  return tl::unexpected<error>(opened.error());
}

template <class Codec>
class codec_of : public sound_codec {
 public:
  void destroy(allocator& memory) noexcept final {
    base_detail::destroy_object(memory, memory_tag::decode, static_cast<Codec*>(this));
  }

 private:
  friend Codec;
  codec_of() = default;
};

}  // namespace overture::sounds_detail

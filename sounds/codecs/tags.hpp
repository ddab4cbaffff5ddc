// SPDX-License-Identifier: Zlib
//
// The loop in the tags of a file: LOOPSTART, LOOPLENGTH and LOOPEND, in frames.
#pragma once

#include <cstddef>
#include <span>

#include "sounds/codecs/codec.hpp"

namespace overture::sounds_detail {

// Of Vorbis comments: of Vorbis, Opus and FLAC files. `list` begins with the length of the
// vendor's name. What is cut off is not there.
[[nodiscard]] loop_tags tags_of_comments(std::span<const std::byte> list) noexcept;

// Of the texts (TXXX) of an ID3v2 tag, which `tag` begins with.
[[nodiscard]] loop_tags tags_of_id3(std::span<const std::byte> tag) noexcept;

// The bytes of an ID3v2 tag that a file begins with, of which `front` are the first; 0 if there is
// none.
[[nodiscard]] std::uint64_t id3_tag_bytes(std::span<const std::byte> front) noexcept;

}  // namespace overture::sounds_detail

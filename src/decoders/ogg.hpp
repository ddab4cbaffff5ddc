// What can be told of an Ogg file without a codec: which one it needs, and whether its end is
// there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace overture {

enum class ogg_codec : std::uint8_t { none, vorbis, opus, other };

// The codec of the first stream; none: this is no Ogg file. Any thread.
[[nodiscard]] ogg_codec codec_of_ogg(std::span<const std::byte> file) noexcept;

// Whether the file ends inside a page. Codecs take what is there for the whole sound then. Bytes
// behind the last page (a tag, zeros) are no cut. Any thread.
[[nodiscard]] bool is_cut_inside_page(std::span<const std::byte> file) noexcept;

// What the last page tells of how far the sound has come with it, for Vorbis in frames: the length
// of the sound, unless it begins late, is a chain of several, or the file lies. 0: there is no
// page, or it does not tell. Any thread.
[[nodiscard]] std::uint64_t position_of_last_page(std::span<const std::byte> file) noexcept;

}  // namespace overture

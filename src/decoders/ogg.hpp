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

}  // namespace overture

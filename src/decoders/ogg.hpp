// The Ogg container: which codec a file needs, and whether it is complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace overture::decoders_detail {

enum class ogg_codec : std::uint8_t { none, vorbis, opus, other };

// The codec of the first stream; none if this is not an Ogg file. Any thread.
[[nodiscard]] ogg_codec codec_of_ogg(std::span<const std::byte> file) noexcept;

// Whether the file ends inside a page, which codecs do not report. Bytes after the last page (a
// tag, zeros) do not count. Any thread.
[[nodiscard]] bool is_cut_inside_page(std::span<const std::byte> file) noexcept;

// Whether a page does not match its checksum. Codecs leave such pages out, and report only what is
// missing between two others. Any thread.
[[nodiscard]] bool has_damaged_page(std::span<const std::byte> file) noexcept;

// The size of the first link of a chain: up to the page after which other streams begin. `file` has
// no damaged page. Any thread.
[[nodiscard]] std::size_t bytes_of_first_link(std::span<const std::byte> file) noexcept;

// The granule position of the last page, for Vorbis in frames: the length of the sound, unless it
// starts late, is a chain of streams, or the file lies. 0 if unknown. Any thread.
[[nodiscard]] std::uint64_t position_of_last_page(std::span<const std::byte> file) noexcept;

}  // namespace overture::decoders_detail

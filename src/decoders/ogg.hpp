// SPDX-License-Identifier: Zlib
//
// The Ogg container: which codec a file needs, and whether it is complete.
#pragma once

#include <array>
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

// The granule position of the last page, in frames: the length of the sound, unless it
// starts late, is a chain of streams, or the file lies. 0 if unknown. Any thread.
[[nodiscard]] std::uint64_t position_of_last_page(std::span<const std::byte> file) noexcept;

// A warning: all of the sound is there.
inline constexpr const char* page_number_gap = "the page numbers of the Ogg file have a gap";

struct ogg_page_view {
  std::span<const std::byte> whole;
  std::span<const std::byte> lacing;  // a segment's length each; below 255 a packet ends
  std::span<const std::byte> body;
  std::uint32_t serial = 0;  // of its stream
  std::uint32_t number = 0;  // in its stream
  bool continues = false;    // a packet of the page before it in its stream
  bool begins = false;       // its stream
};

// Room for the longest header.
using ogg_page_header = std::array<std::byte, 27 + 255>;
// Writes the header that the page would have with another number. Returns the part of `room` that
// it takes. Any thread.
[[nodiscard]] std::span<const std::byte> renumber(const ogg_page_view& page, std::uint32_t number,
                                                  ogg_page_header& room) noexcept;

// `verified`: has_damaged_page() found all of them right, so that a walk need not compute them.
enum class page_checksums : bool { unknown, verified };

// Walks the pages of a file as libogg does: skips what is no page, or has a wrong checksum.
class ogg_page_walk {
 public:
  explicit ogg_page_walk(std::span<const std::byte> file,
                         page_checksums checksums = page_checksums::unknown) noexcept
      : rest_(file), checksums_(checksums) {}
  // False at the end, and after too many damaged pages: looking for the next one inside a damaged
  // page can cost a checksum of 64 KiB for each 30 bytes.
  [[nodiscard]] bool next(ogg_page_view& page) noexcept;
  [[nodiscard]] bool gave_up() const noexcept { return damaged_ > damaged_max; }

 private:
  static constexpr std::uint32_t damaged_max = 64;
  std::span<const std::byte> rest_;
  page_checksums checksums_;
  std::uint32_t damaged_ = 0;
};

}  // namespace overture::decoders_detail

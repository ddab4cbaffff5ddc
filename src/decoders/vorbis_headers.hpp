// SPDX-License-Identifier: Zlib
//
// What a Vorbis file makes libvorbis allocate, found without the library: a codebook of a few bytes
// can claim millions of entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "decoders/ogg.hpp"
#include "overture/base/api.hpp"
#include "overture/base/error.hpp"

namespace overture::decoders_detail {

// Walks the pages that libvorbis is to see: those of one Vorbis stream, and then of those chained
// to it. It sees no others, so that it finds the headers where this class does.
class vorbis_pages {
 public:
  explicit vorbis_pages(std::span<const std::byte> file,
                        page_checksums checksums = page_checksums::unknown) noexcept
      : walk_(file, checksums) {}
  // False at the end, and when headers are damaged.
  [[nodiscard]] bool next() noexcept;
  [[nodiscard]] std::span<const std::byte> whole() const noexcept { return page_.whole; }
  // The identification packet, if the page begins a stream.
  [[nodiscard]] std::span<const std::byte> identification() const noexcept;
  // The page's part of the setup header, the third packet of the stream.
  [[nodiscard]] std::span<const std::byte> setup() const noexcept { return setup_; }
  // The page's part of all three headers.
  [[nodiscard]] std::size_t header_bytes() const noexcept { return header_bytes_; }
  [[nodiscard]] bool headers_ended() const noexcept { return headers_ended_ == header_count; }
  [[nodiscard]] bool gave_up() const noexcept { return walk_.gave_up(); }

 private:
  static constexpr std::uint32_t header_count = 3;
  [[nodiscard]] bool begins_stream() const noexcept;
  [[nodiscard]] bool follow_headers() noexcept;

  ogg_page_walk walk_;
  ogg_page_view page_;
  bool has_stream_ = false;
  std::uint32_t serial_ = 0;
  std::uint32_t number_ = 0;         // of the next page
  std::uint32_t headers_ended_ = 0;  // in this stream
  bool inside_packet_ = false;       // a header goes on in the next page
  bool begun_here_ = false;          // the page began the stream
  std::size_t header_bytes_ = 0;
  std::span<const std::byte> setup_;
};

// The most memory that libvorbis takes for any stream of the chain, without the samples. Errors:
// limit (channels, codebooks, memory), corrupt. Exported for the library of sounds, which is apart.
[[nodiscard]] OVERTURE_API result<std::uint64_t> vorbis_memory(
    std::span<const std::byte> file, page_checksums checksums = page_checksums::unknown) noexcept;

// The channels of the first stream; 0 if there is none.
[[nodiscard]] std::uint32_t vorbis_channels(std::span<const std::byte> file) noexcept;

}  // namespace overture::decoders_detail

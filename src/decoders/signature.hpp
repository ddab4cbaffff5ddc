// SPDX-License-Identifier: Zlib
//
// Which format a file has. Content decides: games have JPEG files called .png. The name counts only
// where the content says nothing, so that a damaged file fails in the decoder of its name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace overture::decoders_detail {

enum class file_format : std::uint8_t {
  png,
  jpeg,
  tga,
  dds,
  hdr,
  bmp,
  gif,
  pcx,
  sgi,
  qoi,
  webp,
  vorbis,
  opus,
  other_ogg,
  wav,
  flac,
  mp3,
  md2,
  md3,
  gzip,
  ktx2,
  glb,
  iqm,
  md5,
  obj,
  font,
  catalogue,
  module,  // music of trackers
  midi,
  qt_data,       // what rcc compiles
  apple_double,  // what macOS keeps of a file beside it
};

// Whether the file is of this format: by its signature, or by its name if it has the signature of
// no format in the table. Any thread.
[[nodiscard]] bool is_file_of(file_format format, std::string_view path,
                              std::span<const std::byte> bytes) noexcept;
// Whether it has the signature of a format in the table. Any thread.
[[nodiscard]] bool has_any_signature(std::span<const std::byte> bytes) noexcept;

}  // namespace overture::decoders_detail

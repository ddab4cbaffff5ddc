// SPDX-License-Identifier: Zlib
//
// Overture's decoders, one per source file.
//
// To add one:
//   1. NAME.cpp here, declared below; its line in CMakeLists.txt; its row in signature.cpp. Read
//      tga.cpp first.
//   2. Its row in decoder.cpp: the first decoder that accepts a file decodes it, so position
//      matters.
//   3. tests/decoders/NAME_test.cpp, with malformed files; the names in decoder_test.cpp.
//   4. Seeds in fuzz/corpus/decoders, signatures in fuzz/dictionaries/decoders.dict.
//   5. A row in docs/guide/decoders.md, a word in CHANGELOG.md.
//   With a library that may be missing: NAME_absent.cpp, as for webp.cpp. With any library:
//   cmake/OvertureDependencies.cmake, overture-config.cmake.in, overture.pc.in and the packages in
//   ./dev. With a new asset_kind: decoder.hpp, to_string() in decoder.cpp, stated_bytes() in
//   fuzz/decoders.cpp, kept_line() in cli/report/kept_assets.cpp.
#pragma once

#include "decoders/signature.hpp"
#include "overture/decoders/decoder.hpp"

namespace overture::decoders_detail {

[[nodiscard]] const decoder& png_decoder() noexcept;
[[nodiscard]] const decoder& jpeg_decoder() noexcept;
[[nodiscard]] const decoder& tga_decoder() noexcept;
[[nodiscard]] const decoder& dds_decoder() noexcept;
[[nodiscard]] const decoder& hdr_decoder() noexcept;
[[nodiscard]] const decoder& bmp_decoder() noexcept;
[[nodiscard]] const decoder& gif_decoder() noexcept;
[[nodiscard]] const decoder& pcx_decoder() noexcept;
[[nodiscard]] const decoder& sgi_decoder() noexcept;
[[nodiscard]] const decoder& qoi_decoder() noexcept;
[[nodiscard]] const decoder* webp_decoder() noexcept;  // null if not built in, like FLAC, MP3
[[nodiscard]] const decoder& vorbis_decoder() noexcept;
[[nodiscard]] const decoder& opus_decoder() noexcept;
[[nodiscard]] const decoder& wav_decoder() noexcept;
[[nodiscard]] const decoder* flac_decoder() noexcept;
[[nodiscard]] const decoder* mp3_decoder() noexcept;
[[nodiscard]] const decoder& md2_decoder() noexcept;
[[nodiscard]] const decoder& md3_decoder() noexcept;
[[nodiscard]] const decoder& gzip_decoder() noexcept;  // the file inside
// Formats that are recognised but not decoded, in recognised.cpp: ktx2, glb, iqm, md5, obj, font,
// gettext, module, midi, qt.
[[nodiscard]] const decoder& recogniser_of(file_format format) noexcept;
[[nodiscard]] const decoder& apple_double_recogniser() noexcept;  // by its name, too: goes first
[[nodiscard]] const decoder& utf8_decoder() noexcept;             // text that must be UTF-8
[[nodiscard]] const decoder& text_decoder() noexcept;

}  // namespace overture::decoders_detail

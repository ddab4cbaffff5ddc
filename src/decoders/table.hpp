// Overture's decoders, one per source file.
#pragma once

#include "overture/decoders/decoder.hpp"

namespace overture::decoders_detail {

[[nodiscard]] const decoder& png_decoder() noexcept;
[[nodiscard]] const decoder& jpeg_decoder() noexcept;
[[nodiscard]] const decoder& tga_decoder() noexcept;
[[nodiscard]] const decoder& dds_decoder() noexcept;
[[nodiscard]] const decoder& vorbis_decoder() noexcept;
[[nodiscard]] const decoder& opus_decoder() noexcept;
[[nodiscard]] const decoder& wav_decoder() noexcept;
[[nodiscard]] const decoder& md3_decoder() noexcept;
[[nodiscard]] const decoder& text_decoder() noexcept;

}  // namespace overture::decoders_detail

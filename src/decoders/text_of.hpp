// SPDX-License-Identifier: Zlib
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace overture::decoders_detail {

[[nodiscard]] inline std::string_view text_of(std::span<const std::byte> bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace overture::decoders_detail

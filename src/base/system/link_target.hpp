// SPDX-License-Identifier: Zlib
#pragma once

#include <cstddef>
#include <span>

namespace overture::base_detail {

// Writes where a link leads, as it is stored, with a NUL at the end. Returns its length; 0 if this
// is no link, if the system does not tell, or if the text does not fit.
[[nodiscard]] std::size_t link_target(const char* path, std::span<char> text) noexcept;

}  // namespace overture::base_detail

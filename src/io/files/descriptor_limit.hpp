// SPDX-License-Identifier: Zlib
//
// How many files this process may still open.
#pragma once

#include <cstddef>

namespace overture::io_detail {

// The limit less what is open now, and never 0. Any thread.
[[nodiscard]] std::size_t descriptors_left() noexcept;

}  // namespace overture::io_detail

// SPDX-License-Identifier: Zlib
//
// The choice of the next read made the plain way: goes_before() applied to all that wait.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "io/schedule/choice.hpp"

namespace overture::test {

// The index of the one to read next; `waiting` is not empty.
inline std::size_t plain_choice(std::span<const io_detail::candidate> waiting,
                                const io_detail::moment& now) {
  const auto first = std::min_element(
      waiting.begin(), waiting.end(),
      [&](const auto& a, const auto& b) { return io_detail::goes_before(a, b, now); });
  return static_cast<std::size_t>(first - waiting.begin());
}

}  // namespace overture::test

// SPDX-License-Identifier: Zlib
//
// The innermost frame of work of an explored thread. It replaces src/assets/innermost_work.hpp by
// coming first on the include path.
#pragma once

#include "interleave/explorer.hpp"

namespace overture::assets_detail {

class thread_work;

[[nodiscard]] inline thread_work*& innermost_work() noexcept {
  static thread_work* innermost[8] = {};
  return innermost[interleave::this_thread() % 8];
}

}  // namespace overture::assets_detail

// SPDX-License-Identifier: Zlib
//
// The innermost frame of work of the calling thread: see thread_work.hpp. In a header of its own,
// as the threads of the explorer are not those of the system.
#pragma once

namespace overture::assets_detail {

class thread_work;

[[nodiscard]] inline thread_work*& innermost_work() noexcept {
  static thread_local constinit thread_work* innermost = nullptr;
  return innermost;
}

}  // namespace overture::assets_detail

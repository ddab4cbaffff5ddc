// SPDX-License-Identifier: Zlib
#include "io/descriptor_limit.hpp"

namespace overture::io_detail {

// The C library of Windows allows 512 streams; handles of the system are nearly without limit.
std::size_t descriptors_left() noexcept {
  return 480;
}

}  // namespace overture::io_detail

// SPDX-License-Identifier: Zlib
#include "io/files/descriptor_limit.hpp"

namespace overture::io_detail {

// Some C libraries allow 512 streams.
std::size_t descriptors_left() noexcept {
  return 480;
}

}  // namespace overture::io_detail

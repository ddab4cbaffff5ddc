// SPDX-License-Identifier: Zlib
#include "decoders/table.hpp"

namespace overture::decoders_detail {

const decoder* mp3_decoder() noexcept {
  return nullptr;
}

}  // namespace overture::decoders_detail

// SPDX-License-Identifier: Zlib
#include "base/threads/shared_state.hpp"

namespace overture {

constinit base_detail::shared_state OVERTURE_SHARED_STATE;

}  // namespace overture

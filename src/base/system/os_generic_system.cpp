// SPDX-License-Identifier: Zlib
#include "base/system/os_generic.hpp"

namespace overture {

operating_system& system_os() noexcept {
  return base_detail::generic_os();
}

}  // namespace overture

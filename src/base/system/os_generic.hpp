// SPDX-License-Identifier: Zlib
//
// The operating_system of the C++ standard library alone, for platforms without a native one. Reads
// of one file are serialised, mapping is unsupported, and open_below() does not check links.
#pragma once

#include "overture/base/os.hpp"

namespace overture::base_detail {

[[nodiscard]] operating_system& generic_os() noexcept;

}  // namespace overture::base_detail

// The operating system by the C++ standard library alone. Reads of one file take turns, nothing is
// mapped and open_below() checks no links: for systems that have no file of their own yet.
#pragma once

#include "overture/base/os.hpp"

namespace overture {

[[nodiscard]] operating_system& generic_os() noexcept;

}  // namespace overture

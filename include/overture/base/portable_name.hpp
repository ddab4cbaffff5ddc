// SPDX-License-Identifier: Zlib
//
// Names that not every system can have, for tools that check a game before it is shipped.
//
//   if (const char* flaw = portable_name_flaw("gfx/aux.png")) warn(flaw);   // a device name ...
//
// A path is one of the tree (path.hpp), so it has no backslashes, "." or "..". Overture loads such
// files on systems that have them; on Windows they cannot be unpacked to a folder.
#pragma once

#include <string_view>

#include "overture/base/api.hpp"

namespace overture {

// Why Windows cannot have a file of this path, or null. A string literal, such as "the name ends
// with a space, which Windows removes". Any thread.
[[nodiscard]] OVERTURE_API const char* portable_name_flaw(std::string_view path) noexcept;

}  // namespace overture

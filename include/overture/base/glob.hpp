// SPDX-License-Identifier: Zlib
//
// Glob patterns for paths, as in .gitignore: `*` and `?` match within one element, `**` across
// elements; every other character matches itself, and so does any after a backslash.
#pragma once

#include <string_view>

#include "overture/base/api.hpp"

namespace overture {

// Whether the pattern matches the path of a file, or of a folder that it is in. A pattern without
// '/', but for one at its end, matches a name wherever it is; any other begins at the root, with or
// without a leading '/'. With '/' at its end it matches folders only. An empty one matches nothing.
// For each folder of the path it takes at most the product of both lengths, twice. Any thread.
[[nodiscard]] OVERTURE_API bool matches_glob(std::string_view pattern,
                                             std::string_view path) noexcept;

}  // namespace overture

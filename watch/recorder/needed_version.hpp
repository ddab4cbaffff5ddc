// SPDX-License-Identifier: Zlib
//
// The version of a symbol that a file was linked with.
#pragma once

#include <link.h>

namespace overture::watch {

// "PNG16_0"; null if the file needs none.
[[nodiscard]] const char* needed_version(const link_map& file, const char* symbol) noexcept;

}  // namespace overture::watch

// SPDX-License-Identifier: Zlib
//
// A small file that an option names.
#pragma once

#include <optional>
#include <string>

namespace overture::cli {

// The whole file. Prints "FILE: cannot read WHAT: why" and returns nothing if that fails. Only
// regular files: opening a pipe could wait for ever, and a device may have no end.
[[nodiscard]] std::optional<std::string> read_text_file(const std::string& path, const char* what);

}  // namespace overture::cli

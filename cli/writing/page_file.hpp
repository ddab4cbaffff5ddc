// SPDX-License-Identifier: Zlib
//
// Writes a page to a file.
#pragma once

#include <string>
#include <string_view>

#include "writing/known_output.hpp"

namespace overture::cli {

// Replaces only what is known. Prints its own errors, which call it `what`; returns an exit_code.
[[nodiscard]] int write_page(std::string_view page, const std::string& path, known_output& old,
                             const char* what = "page");

}  // namespace overture::cli

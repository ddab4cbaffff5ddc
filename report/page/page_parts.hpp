// SPDX-License-Identifier: Zlib
//
// The sources in web/, which the build puts into the command: see bundle.cmake.
#pragma once

#include <string_view>

namespace overture::report_detail {

extern const std::string_view page_style;
extern const std::string_view page_script;

}  // namespace overture::report_detail

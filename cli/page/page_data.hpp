// SPDX-License-Identifier: Zlib
//
// The data of a page, which its JavaScript reads: see web/data.js.
#pragma once

#include <string>

#include "page/picture.hpp"
#include "report/report_model.hpp"

namespace overture::cli {

// JSON that may stand in a <script>.
[[nodiscard]] std::string page_data(const report& what, const timeline_picture& picture);

// What a stage or other work is painted in: the name of a colour in web/page.css.
[[nodiscard]] const char* colour_of(const picture_name& name);

}  // namespace overture::cli

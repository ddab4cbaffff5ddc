// SPDX-License-Identifier: Zlib
//
// The data of a page, which its JavaScript reads: see web/data.js.
#pragma once

#include <string>

#include "report/model/report_model.hpp"
#include "report/page/drawn.hpp"
#include "report/page/picture.hpp"

namespace overture::report_detail {

// JSON that may stand in a <script>.
[[nodiscard]] std::string page_data(const load_report& what, const timeline_picture& picture,
                                    const drawn_timeline& drawn);

// What a stage or other work is painted in: the name of a colour in web/page.css.
[[nodiscard]] const char* colour_of(const picture_name& name);

}  // namespace overture::report_detail

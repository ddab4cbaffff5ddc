// SPDX-License-Identifier: Zlib
//
// A load as one page: HTML that needs no network and no other file. Without JavaScript it is the
// verdict, a picture and tables; with it, all of them move.
#pragma once

#include <string>
#include <string_view>

#include "report/model/report_model.hpp"
#include "report/page/picture.hpp"

namespace overture::report_detail {

// What every page begins with.
inline constexpr std::string_view page_beginning = "<!doctype html>\n<!-- overture report -->";

// `what` needs its rows of all files, see collect_files().
[[nodiscard]] std::string report_page(const load_report& what, const timeline_picture& picture);

}  // namespace overture::report_detail

// SPDX-License-Identifier: Zlib
//
// A load as one page: HTML that needs no network and no other file. Without JavaScript it is the
// verdict, a picture and tables; with it, all of them move.
#pragma once

#include <string>
#include <string_view>

#include "page/picture.hpp"
#include "report/report_model.hpp"

namespace overture::cli {

// What every page begins with.
inline constexpr std::string_view page_beginning = "<!doctype html>\n<!-- overture report -->";

// `what` needs its rows of all files, see collect_files().
[[nodiscard]] std::string report_page(const report& what, const timeline_picture& picture);

}  // namespace overture::cli

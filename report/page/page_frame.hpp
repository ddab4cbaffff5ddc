// SPDX-License-Identifier: Zlib
//
// What pages have in common, in their order. The scripts of a page need all of these sections.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/model/load_advice.hpp"
#include "report/page/drawn.hpp"
#include "report/page/page_table.hpp"
#include "report/page/picture.hpp"

namespace overture::report_detail {

// Up to the begin of the page's content.
[[nodiscard]] std::string page_head(std::string_view title);
// Empty without advice.
[[nodiscard]] std::string changes_section(const std::vector<advice>& list);
// `whole`: what the button that shows all is called. Hidden without lanes.
[[nodiscard]] std::string timeline_section(const timeline_picture& picture,
                                           const drawn_timeline& drawn, const char* whole);
[[nodiscard]] std::string map_section();
// `bytes`: what they are called that a file has.
[[nodiscard]] std::string files_section(const char* title, const char* bytes = "size");
// What each thread did: adds up to the load on each.
[[nodiscard]] page_table thread_parts(const timeline_picture& picture);
// A table under its title; empty if the table is. `id`: what links name it by.
[[nodiscard]] std::string table_section(const char* title, const page_table& table,
                                        std::string_view id = {});
// The same behind a line that opens it.
[[nodiscard]] std::string folded_table(const char* title, const page_table& table, bool is_open);
// `data`: what page_data() has made.
[[nodiscard]] std::string page_end(std::string_view footer, std::string_view data);

}  // namespace overture::report_detail

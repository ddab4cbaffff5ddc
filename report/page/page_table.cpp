// SPDX-License-Identifier: Zlib
#include "report/page/page_table.hpp"

#include <fmt/core.h>

#include <iterator>

#include "report/page/markup.hpp"

namespace overture::report_detail {

std::string page_table::html() const {
  std::string text = "<div class=\"scroll\"><table class=\"sorts\">";
  if (!caption_.empty()) text += "<caption>" + html_text(caption_) + "</caption>";
  text += "<thead><tr>";
  const auto to = std::back_inserter(text);
  for (std::size_t i = 0; i < heads_.size(); ++i) {
    fmt::format_to(to, "<th{}>{}</th>", is_number(i) ? " class=\"n\"" : "",
                   html_text(is_number(i) ? heads_[i].substr(2) : heads_[i]));
  }
  text += "</tr></thead><tbody>\n";
  for (const std::vector<page_cell>& row : rows_) {
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += is_number(i) ? "<td class=\"n\"" : "<td";
      if (row[i].value) fmt::format_to(to, " data-value=\"{}\"", *row[i].value);
      const std::string shown = html_text(row[i].text);
      text += is_number(i) ? '>' + shown + "</td>" : "><bdi>" + shown + "</bdi></td>";
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

}  // namespace overture::report_detail

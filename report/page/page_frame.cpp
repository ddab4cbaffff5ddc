// SPDX-License-Identifier: Zlib
#include "report/page/page_frame.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "overture/base/version.hpp"
#include "report/page/markup.hpp"
#include "report/page/page.hpp"
#include "report/page/page_parts.hpp"
#include "report/page/still_picture.hpp"
#include "report/page/thread_time.hpp"
#include "report/words/units.hpp"

namespace overture::report_detail {

std::string page_head(std::string_view title) {
  std::string text(page_beginning);
  fmt::format_to(std::back_inserter(text),
                 "\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                 "<title>{}</title>\n<style>\n",
                 html_text(title));
  text += page_style;
  return text + "</style>\n</head>\n<body>\n<main>\n";
}

std::string changes_section(const std::vector<advice>& list) {
  if (list.empty()) return {};
  std::string text = "<section>\n<h2>What to change</h2>\n<ul class=\"changes\">";
  const auto to = std::back_inserter(text);
  for (const advice& each : list) {
    fmt::format_to(to, "<li><b>up to {}</b> {}", human_time(each.gain_ns),
                   html_text(each.sentence));
    if (!each.path.empty()) {
      fmt::format_to(to,
                     " <a class=\"moving\" href=\"#timeline-title\" data-find=\"{}\">Show it</a>",
                     html_text(each.path));
    }
    text += "</li>";
  }
  return text + "</ul>\n</section>\n";
}

namespace {

// What the timeline does not draw one by one. The tables count everything.
std::string summed_note(const drawn_timeline& drawn) {
  if (drawn.resolution_ns == 0) return {};
  std::uint64_t alone = 0;
  for (const std::vector<drawn_span>& lane : drawn.lanes) {
    alone += static_cast<std::uint64_t>(
        std::ranges::count_if(lane, [](const drawn_span& span) { return span.count == 1; }));
  }
  return fmt::format(
      "<p class=\"dim\">{} are too many to draw one by one: {} are. What is shorter than {} is "
      "summed by name, so that each stretch of time still shows what it was spent on.</p>\n",
      counted(drawn.spans, "zone or wait", "zones and waits"), grouped(alone),
      human_time(drawn.resolution_ns));
}

}  // namespace

std::string timeline_section(const timeline_picture& picture, const drawn_timeline& drawn,
                             const char* whole) {
  return fmt::format(
      "<section{}>\n<h2 id=\"timeline-title\">Timeline</h2>\n"
      "<div class=\"tools moving\"><label for=\"search\">Find files</label>"
      "<input type=\"search\" id=\"search\">"
      "<button type=\"button\" id=\"zoom-in\" aria-label=\"Zoom in\">+</button>"
      "<button type=\"button\" id=\"zoom-out\" aria-label=\"Zoom out\">&minus;</button>"
      "<button type=\"button\" id=\"zoom-all\">{}</button>"
      "<label{}><input type=\"checkbox\" id=\"path\" checked> critical path</label>"
      "<span class=\"dim\">Click the timeline, then zoom with the wheel or + and &minus;; drag or "
      "use the arrow keys to move; click a file to follow it.</span></div>\n"
      "<canvas id=\"timeline\" class=\"moving\" tabindex=\"0\" role=\"application\" "
      "aria-label=\"Timeline of all threads. Plus and minus zoom, arrow keys move, 0 shows the "
      "whole load. The tables below have the same times.\"></canvas>\n"
      "<p id=\"wake\" class=\"moving dim\" aria-live=\"polite\"></p>\n"
      "{}<figure class=\"still\">{}</figure>\n"
      "<div id=\"file\" class=\"panel\" hidden><header><h3 id=\"file-name\"></h3>"
      "<button type=\"button\" id=\"file-close\">Close</button></header><div class=\"scroll\">"
      "<table><caption>Its way through the load</caption><thead><tr><th class=\"n\">at</th>"
      "<th class=\"n\">took</th><th>what</th><th>thread</th></tr></thead>"
      "<tbody id=\"file-way\"></tbody></table></div></div>\n</section>\n",
      picture.lanes.empty() ? " hidden" : "", whole, picture.critical.empty() ? " hidden" : "",
      summed_note(drawn), still_picture(picture));
}

std::string map_section() {
  return "<section id=\"map-section\" class=\"moving\">\n<h2>Where it went</h2>\n"
         "<div class=\"tools\"><label for=\"map-of\">Area</label><select id=\"map-of\">"
         "<option value=\"time\">time</option><option value=\"bytes\">bytes</option></select>"
         "<label for=\"map-by\">by</label><select id=\"map-by\"><option value=\"folder\">folder"
         "</option><option value=\"type\">type</option><option value=\"mount\">mount</option>"
         "</select></div>\n<div id=\"treemap\" class=\"treemap\"></div>\n</section>\n";
}

std::string files_section(const char* title, const char* bytes) {
  return fmt::format(
      "<section id=\"files-section\" class=\"moving\">\n<h2 id=\"files-title\">{}</h2>\n"
      "<p class=\"dim\" id=\"files-count\" aria-live=\"polite\"></p><div class=\"scroll\">"
      "<table id=\"files-table\"><thead><tr><th>file</th><th>mount</th><th class=\"n\">{}</th>"
      "<th class=\"n\" aria-sort=\"descending\">total</th><th class=\"n\">disk</th>"
      "<th class=\"n\">unpack</th><th class=\"n\">decode</th><th class=\"n\">finalize</th>"
      "<th>content</th></tr></thead><tbody></tbody></table></div>"
      "<p><button type=\"button\" id=\"files-more\">Show more</button></p>\n</section>\n",
      title, bytes);
}

page_table thread_parts(const timeline_picture& picture) {
  constexpr double shown_min = 0.002;
  page_table table("", {"thread", "what", "n:time", "n:share", "n:times", "ended by"});
  const double whole = static_cast<double>(picture.total_ns - picture.load_begin_ns);
  for (const thread_time& thread : time_of_threads(picture)) {
    for (const time_part& part : thread.parts) {
      const double share = whole > 0 ? static_cast<double>(part.ns) / whole : 0;
      if (share < shown_min) continue;
      table.row({thread.thread,
                 (part.is_wait ? "waiting: " : "") + part.name,
                 {human_time(part.ns), part.ns},
                 {human_percent(share), part.ns},
                 {grouped(part.times), part.times},
                 part.ended_by});
    }
  }
  return table;
}

std::string table_section(const char* title, const page_table& table, std::string_view id) {
  if (table.empty()) return {};
  const std::string named = id.empty() ? "" : fmt::format(" id=\"{}\"", id);
  return fmt::format("<section>\n<h2{}>{}</h2>\n{}</section>\n", named, title, table.html());
}

std::string folded_table(const char* title, const page_table& table, bool is_open) {
  if (table.empty()) return {};
  return fmt::format("<details{}><summary>{} ({})</summary>\n{}</details>\n",
                     is_open ? " open" : "", title, grouped(table.size()), table.html());
}

std::string page_end(std::string_view footer, std::string_view data) {
  std::string text = fmt::format(
      "<footer>Made by overture {}. {}</footer>\n</main>\n"
      "<div id=\"tip\" aria-hidden=\"true\"></div>\n"
      "<script type=\"application/json\" id=\"data\">{}</script>\n<script type=\"module\">",
      version, footer, data);
  text += page_script;
  return text + "</script>\n</html>\n";
}

}  // namespace overture::report_detail

// SPDX-License-Identifier: Zlib
#include "page/comparison_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "compare/comparison_text.hpp"
#include "overture/base/version.hpp"
#include "report/page/markup.hpp"
#include "report/page/page.hpp"
#include "report/page/page_data.hpp"
#include "report/page/page_parts.hpp"
#include "report/page/still_picture.hpp"
#include "report/report_model.hpp"

namespace overture::cli {

namespace {

constexpr int strip_width = 260;
constexpr int strip_height = 26;
constexpr int dot = 4;  // radius

class comparison_writer {
 public:
  comparison_writer(const load_comparison& what, const std::vector<std::string>& exceeded,
                    const compared_pictures& pictures)
      : what_(what), exceeded_(exceeded), pictures_(pictures) {}

  std::string write() {
    head();
    header();
    timelines();
    for (std::size_t kind = 0; kind < measure_kind_count; ++kind) {
      section(static_cast<measure_kind>(kind));
    }
    put("<footer>Made by overture {}. Each dot is a {}. The interval holds the ratio of the "
        "medians with 99 % certainty.</footer>\n</main>\n</body>\n</html>\n",
        version, what_.one());
    return std::move(text_);
  }

 private:
  template <class... Values>
  void put(fmt::format_string<Values...> form, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), form, std::forward<Values>(values)...);
  }

  void head() {
    text_ += page_beginning;
    put("\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>{} and {} compared</title>\n<style>\n",
        html_text(what_.now), html_text(what_.was));
    text_ += page_style;
    put("</style>\n</head>\n<body>\n<main>\n");
  }

  void header() {
    const std::string verdict = comparison_verdict(what_);
    const std::size_t colon = std::min(verdict.find(": "), verdict.size());
    put("<header><h1>{}</h1>\n", html_text(verdict.substr(0, colon)));
    if (colon < verdict.size()) put("<p>{}</p>\n", html_text(verdict.substr(colon + 2)));
    put("<ul class=\"key\"><li><svg width=\"10\" height=\"10\" aria-hidden=\"true\"><circle "
        "class=\"was\" cx=\"5\" cy=\"5\" r=\"4\"/></svg> was: <bdi>{}</bdi></li><li><svg "
        "width=\"10\" height=\"10\" aria-hidden=\"true\"><circle class=\"now\" cx=\"5\" cy=\"5\" "
        "r=\"4\"/></svg> now: <bdi>{}</bdi></li></ul>\n<p class=\"dim\">{}</p>\n",
        html_text(what_.was), html_text(what_.now), html_text(comparison_basis(what_)));
    for (const std::string& why : what_.differences) {
      put("<p class=\"warn\">Note: {}.</p>\n", html_text(why));
    }
    for (const std::string& each : exceeded_) {
      put("<p class=\"warn\">Over a limit: {}.</p>\n", html_text(each));
    }
    put("</header>\n");
  }

  // One above the other, on one scale of time.
  void timelines() {
    const std::uint64_t across_ns = std::max(pictures_.was.total_ns, pictures_.now.total_ns);
    if (pictures_.was.lanes.empty() && pictures_.now.lanes.empty()) return;
    put("<section>\n<h2>Timelines</h2>\n");
    const auto figure = [&](const char* set, const std::string& name,
                            const report_detail::timeline_picture& picture) {
      if (picture.lanes.empty()) return;
      put("<figure class=\"still\"><figcaption>{}: <bdi>{}</bdi></figcaption>{}</figure>\n", set,
          html_text(name), report_detail::still_picture(picture, across_ns));
    };
    figure("was", what_.was, pictures_.was);
    figure("now", what_.now, pictures_.now);
    key();
    put("</section>\n");
  }

  // What the colours of both stand for.
  void key() {
    std::map<std::string, std::set<std::string>> names;  // of each colour
    for (const auto* const picture : {&pictures_.was, &pictures_.now}) {
      for (const report_detail::picture_name& each : picture->names) {
        names[report_detail::colour_of(each)].insert(each.is_wait ? "waiting" : each.name);
      }
    }
    put("<ul class=\"key\">");
    for (const auto& [colour, all] : names) {
      constexpr std::size_t told = 4;
      const auto end = std::next(all.begin(), static_cast<int>(std::min(told, all.size())));
      const std::string more =
          all.size() > told ? fmt::format(" and {} more", all.size() - told) : std::string();
      put("<li><span class=\"swatch {}\"></span>{}{}</li>", colour,
          html_text(fmt::format("{}", fmt::join(all.begin(), end, ", "))), more);
    }
    put("</ul>\n");
  }

  void section(measure_kind kind) {
    const std::vector<const compared_measure*> rows = measures_of(what_, kind);
    if (rows.empty()) return;
    const char* const title = kind_title(kind, what_.is_of_program);
    put("<section>\n<h2>{}</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
        "aria-label=\"{}\">\n<table>\n<thead><tr><th scope=\"col\">what</th><th scope=\"col\" "
        "class=\"n\">was</th><th scope=\"col\" class=\"n\">now</th><th scope=\"col\" "
        "class=\"n\">change</th><th scope=\"col\" class=\"n\">99 %</th><th scope=\"col\">verdict"
        "</th><th scope=\"col\">{}</th></tr></thead>\n<tbody>\n",
        title, title, what_.several());
    for (const compared_measure* const each : rows) row(*each);
    put("</tbody>\n</table>\n</div>\n</section>\n");
  }

  void row(const compared_measure& each) {
    const judgement& judged = each.judged;
    const char* const look = judged.verdict == change::more   ? "more"
                             : judged.verdict == change::less ? "less"
                                                              : "dim";
    put("<tr><td><bdi>{}</bdi></td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
        "<td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"{}\">{}</td><td>",
        html_text(measure_name(each)), value_text(judged.was, each.kind),
        value_text(judged.now, each.kind), change_text(judged), range_text(judged), look,
        judged_word(judged, each.kind));
    strip(each);
    put("</td></tr>\n");
  }

  // Both sets on one scale from nothing: what looks small is small.
  void strip(const compared_measure& each) {
    double most = 0;
    for (const double value : each.values_was) most = std::max(most, value);
    for (const double value : each.values_now) most = std::max(most, value);
    if (most <= 0) return;
    const auto place = [most](double value) {
      return dot + value / most * (strip_width - 2 * dot);
    };
    put("<svg class=\"strip\" width=\"{}\" height=\"{}\" role=\"img\" aria-label=\"{} to {}, was "
        "{} to {}\"><line class=\"axis\" x1=\"{}\" y1=\"0\" x2=\"{}\" y2=\"{}\"/>",
        strip_width, strip_height, extreme(each.values_now, each.kind, false),
        extreme(each.values_now, each.kind, true), extreme(each.values_was, each.kind, false),
        extreme(each.values_was, each.kind, true), dot, dot, strip_height);
    const auto dots = [&](const std::vector<double>& values, double middle, const char* set,
                          int line) {
      for (const double value : values) {
        put("<circle class=\"{}\" fill-opacity=\".45\" cx=\"{:.1f}\" cy=\"{}\" r=\"{}\"/>", set,
            place(value), line, dot);
      }
      put("<line class=\"mid {}\" x1=\"{:.1f}\" y1=\"{}\" x2=\"{:.1f}\" y2=\"{}\"/>", set,
          place(middle), line - 6, place(middle), line + 6);
    };
    dots(each.values_was, each.judged.was, "was", 7);
    dots(each.values_now, each.judged.now, "now", 19);
    put("</svg>");
  }

  static std::string extreme(const std::vector<double>& values, measure_kind kind, bool largest) {
    if (values.empty()) return value_text(0, kind);
    return value_text(largest ? *std::max_element(values.begin(), values.end())
                              : *std::min_element(values.begin(), values.end()),
                      kind);
  }

  const load_comparison& what_;
  const std::vector<std::string>& exceeded_;
  const compared_pictures& pictures_;
  std::string text_;
};

}  // namespace

std::string comparison_page(const load_comparison& what, const std::vector<std::string>& exceeded,
                            const compared_pictures& pictures) {
  return comparison_writer(what, exceeded, pictures).write();
}

}  // namespace overture::cli

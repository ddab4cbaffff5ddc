// SPDX-License-Identifier: Zlib
#include "watch/page/watch_page.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "report/page/markup.hpp"
#include "report/page/page_data.hpp"
#include "report/page/page_frame.hpp"
#include "report/page/page_table.hpp"
#include "report/words/printable.hpp"
#include "report/words/units.hpp"
#include "watch/model/ordering.hpp"
#include "watch/model/tables.hpp"

namespace overture::watch {

namespace {

using report_detail::grouped;
using report_detail::html_text;
using report_detail::human_bytes;
using report_detail::human_time;
using report_detail::page_cell;
using report_detail::page_table;

using cells = std::vector<page_cell>;

constexpr std::size_t rows_max = 50;

page_cell time_cell(std::uint64_t ns) {
  return {ns == 0 ? "" : human_time(ns), ns};
}
page_cell count_cell(std::uint64_t count) {
  return {count == 0 ? "" : grouped(count), count};
}

// The part of the page that shows most of it.
const char* where_seen(finding_kind kind) {
  switch (kind) {
    case finding_kind::lock_over_files:
    case finding_kind::contended_lock:
      return "locks";
    case finding_kind::spinning:
    case finding_kind::exceptions:
    case finding_kind::computing:
    case finding_kind::graphics:
      return "code";
    case finding_kind::decodes_alone:
    case finding_kind::decodes_on_main:
      return "thread-parts";
    case finding_kind::tiny_reads:
    case finding_kind::read_again:
    case finding_kind::seeking:
    case finding_kind::opens_again:
    case finding_kind::many_files:
    case finding_kind::cold_reads:
      return "files-title";
    case finding_kind::misses:
      return "misses";
    case finding_kind::frames:
    case finding_kind::before_main:
      return "timeline-title";
    default:
      return "call-sites";
  }
}

// A row for each of the first; says how many there are.
template <class Row, class Cells>
void fill(page_table& table, const std::vector<Row>& all, Cells cells_of) {
  for (std::size_t i = 0; i < std::min(all.size(), rows_max); ++i) table.row(cells_of(all[i]));
  if (all.size() > rows_max) {
    table.say(fmt::format("The first {} of {}: --json lists all.", rows_max, grouped(all.size())));
  }
}

class watch_writer {
 public:
  explicit watch_writer(const page_content& of)
      : view_(of.view),
        content_(of),
        picture_(picture_of(of.view)),
        shown_(report_detail::drawn_of(picture_)) {
    drawn_.files = files_of(view_);
    drawn_.summary.ns = view_.end_ns();
  }

  std::string write() {
    const std::string name = report_detail::last_element(view_.process.program);
    const std::string title = fmt::format("{}: {}", name, human_time(view_.end_ns()));
    text_ = report_detail::page_head(title);
    header(title);
    const std::string parts = shown_parts();
    changes(parts);
    gains();
    text_ += parts;
    for (const std::string& each : limits_of(view_))
      put("<p class=\"dim\">{}</p>\n", html_text(each));
    text_ += report_detail::page_end(
        "Functions that are not watched count as the program's own code: the page says only what "
        "was seen.",
        page_data(drawn_, picture_, shown_));
    return std::move(text_);
  }

 private:
  template <class... Values>
  void put(fmt::format_string<Values...> form, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), form, std::forward<Values>(values)...);
  }
  [[nodiscard]] std::string shown_parts() const {
    using report_detail::table_section;
    return report_detail::timeline_section(picture_, shown_, "Whole load") +
           "<section id=\"what-if\" hidden></section>\n" +  // what the scripts look for
           report_detail::map_section() + report_detail::files_section("Files", "read") +
           "<div class=\"two\">\n" + table_section("Locks", locks(), "locks") +
           table_section("Call sites", sites(), "call-sites") +
           table_section("Code that was on a core", code(), "code") +
           table_section("Threads by the kernel's clock", threads()) +
           table_section("Failed look-ups", misses(), "misses") + "</div>\n" +
           table_section("What each thread did", thread_parts(picture_), "thread-parts");
  }
  void warn(const std::string& sentence) { put("<p class=\"warn\">{}</p>\n", html_text(sentence)); }

  void header(const std::string& title) {
    put("<header><h1>{}</h1>\n<p>{}</p>\n", html_text(title), html_text(verdict_of(view_)));
    if (!content_.note.empty()) put("<p>{}</p>\n", html_text(content_.note));
    put("<p class=\"dim\"><bdi>{}</bdi></p>\n", html_text(view_.process.program));
    for (const std::string& each : content_.conditions) {
      if (!each.empty()) put("<p class=\"dim\">{}</p>\n", html_text(each));
    }
    const watched_process& process = view_.process;
    if (process.lost_events + process.lost_threads > 0) {
      warn(fmt::format("{} did not fit into the recording: its end is not whole.",
                       report_detail::counted(process.lost_events, "event", "events")));
    }
    if (process.lost_names > 0) {
      warn("There were more names than the recording has room for: some files are missing.");
    }
    std::uint64_t bytes = 0;
    for (const file_use& each : view_.files) bytes += each.bytes;
    put("<ul class=\"facts\"><li><b>{}</b> files</li><li><b>{}</b> read</li><li><b>{}</b> "
        "threads</li>",
        grouped(drawn_.files.size()), human_bytes(static_cast<double>(bytes)),
        grouped(process.threads.size()));
    if (view_.span.first_frame_ns) {
      put("<li>first frame after <b>{}</b></li>", human_time(*view_.span.first_frame_ns));
    }
    put("</ul>\n</header>\n");
  }

  void changes(const std::string& parts) {
    if (content_.findings.empty()) return;
    put("<section>\n<h2>What to change</h2>\n<ul class=\"changes\">");
    for (const finding& each : content_.findings) {
      put("<li><b>{}</b> {}", human_time(each.ns), html_text(each.what));
      for (const std::string& sentence : each.evidence) {
        put(" <span class=\"dim\">{}</span>", html_text(sentence));
      }
      put(" {}", html_text(each.advice));
      const std::string id = where_seen(each.kind);
      if (parts.find(fmt::format("id=\"{}\"", id)) != std::string::npos) {
        put(" <a class=\"moving\" href=\"#{}\">Show it</a>", id);
      }
      text_ += "</li>";
    }
    put("</ul>\n</section>\n");
  }

  void gains() {
    if (content_.gains.empty()) return;
    put("<section>\n<h2>What Overture would give</h2>\n<ul class=\"changes\">");
    for (const gain& each : content_.gains) {
      const std::string shorter = each.ns ? human_time(*each.ns) : "measure it";
      put("<li><b>{}</b> {} <span class=\"dim\">{}</span></li>", shorter, html_text(each.what),
          html_text(each.basis));
    }
    put("</ul>\n</section>\n");
  }

  [[nodiscard]] page_table locks() const {
    page_table table("", {"lock", "n:waited", "n:times", "n:threads", "waited at"});
    fill(table, lock_rows(view_), [&](const lock_row& each) -> cells {
      return {fmt::format("{:#x}", each.address), time_cell(each.ns), count_cell(each.waits),
              count_cell(each.threads), view_.process.place_of(each.caller)};
    });
    return table;
  }

  [[nodiscard]] page_table sites() const {
    page_table table("The place that the call returns to.", {"place", "what", "n:time", "n:calls"});
    fill(table, call_sites(view_), [&](const site_row& each) -> cells {
      return {view_.process.place_of(each.caller), (each.is_wait ? "waiting: " : "") + each.what,
              time_cell(each.ns), count_cell(each.calls)};
    });
    return table;
  }

  [[nodiscard]] page_table code() const {
    page_table table("By samples, a thousand a second.", {"code", "n:main", "n:other threads"});
    fill(table, code_rows(view_), [](const code_row& each) -> cells {
      return {each.place, time_cell(each.main_ns), time_cell(each.others_ns)};
    });
    return table;
  }

  [[nodiscard]] page_table threads() const {
    page_table table(
        "Of the whole run. A wait ends when the thread runs again, so time to get a core is in it, "
        "too.",
        {"thread", "n:lived", "n:on a core", "n:ready", "n:waited", "n:unknown"});
    fill(table, thread_rows(view_.process), [](const thread_row& each) -> cells {
      if (!each.is_known) {
        return {each.name, time_cell(each.life_ns), "?", "?", time_cell(each.wait_ns), "?"};
      }
      return {each.name,
              time_cell(each.life_ns),
              time_cell(each.core_ns),
              time_cell(each.queued_ns),
              time_cell(each.wait_ns),
              time_cell(each.unknown_ns)};
    });
    return table;
  }

  [[nodiscard]] page_table misses() const {
    std::vector<const file_use*> most;
    for (const file_use& each : view_.files) {
      if (each.misses > 0) most.push_back(&each);
    }
    order(most, [](const file_use* a, const file_use* b) { return a->misses > b->misses; });
    page_table table("", {"name", "n:times"});
    fill(table, most, [&](const file_use* each) -> cells {
      return {std::string(view_.process.name(each->name)), count_cell(each->misses)};
    });
    return table;
  }

  const load_view& view_;
  const page_content& content_;
  report_detail::timeline_picture picture_;
  report_detail::drawn_timeline shown_;
  report_detail::load_report drawn_;
  std::string text_;
};

}  // namespace

std::string watch_page(const page_content& of) {
  return watch_writer(of).write();
}

}  // namespace overture::watch

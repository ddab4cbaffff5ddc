// SPDX-License-Identifier: Zlib
#include "report/page/store_page.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>
#include <vector>

#include "report/model/store_advice.hpp"
#include "report/page/markup.hpp"
#include "report/page/page_data.hpp"
#include "report/page/page_frame.hpp"
#include "report/page/page_table.hpp"
#include "report/words/units.hpp"

namespace overture::report_detail {

namespace {

constexpr std::size_t rows_max = 50;

page_cell time_cell(std::uint64_t ns) {
  return {ns == 0 ? "" : human_time(ns), ns};
}
page_cell count_cell(std::uint64_t count) {
  return {count == 0 ? "" : grouped(count), count};
}

// The first rows_max of these assets in this order.
template <class Wanted, class Before>
std::vector<const asset_times*> some_of(const store_report& what, Wanted wanted, Before before) {
  std::vector<const asset_times*> found;
  for (const asset_times& each : what.assets) {
    if (wanted(each)) found.push_back(&each);
  }
  // Of two that are alike the one that was asked for first.
  std::sort(found.begin(), found.end(), [&](const asset_times* a, const asset_times* b) {
    return before(*a, *b) || (!before(*b, *a) && a < b);
  });
  found.resize(std::min(found.size(), rows_max));
  return found;
}

class store_writer {
 public:
  store_writer(const store_report& what, const load_report& drawn, const timeline_picture& picture)
      : what_(what), drawn_(drawn), picture_(picture), shown_(drawn_of(picture)) {}

  std::string write() {
    const std::string bound = bound_of(what_);
    const std::string title = fmt::format("{} of assets{}{}", human_time(what_.span_ns()),
                                          bound.empty() ? "" : ", mostly ", bound);
    text_ = page_head(title);
    header(title);
    text_ += changes_section(store_advice(what_));
    text_ += timeline_section(picture_, shown_, "Whole time");
    text_ += table_section("Slowest assets", slowest());
    text_ += "<div class=\"two\">\n";
    text_ += table_section("Not ready yet", open_waits());
    text_ += table_section("Failed", failures());
    text_ += table_section("pump() over its budget", overruns());
    text_ += table_section("What they waited for", waits());
    text_ += table_section("Loaded more than once", loaded_again());
    text_ += "</div>\n<section id=\"what-if\" hidden></section>\n";  // what the scripts look for
    text_ += map_section();
    text_ += files_section("Assets");
    text_ += table_section("What each thread did", thread_parts(picture_));
    text_ += page_end(
        "Assets load at the same time and wait for each other, so their times add up to more than "
        "the whole.",
        page_data(drawn_, picture_, shown_));
    return std::move(text_);
  }

 private:
  template <class... Values>
  void put(fmt::format_string<Values...> form, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), form, std::forward<Values>(values)...);
  }
  void warn(const std::string& sentence) { put("<p class=\"warn\">{}</p>\n", html_text(sentence)); }

  void header(const std::string& title) {
    put("<header><h1>{}</h1>\n<p>{}</p>\n", html_text(title), html_text(verdict_sentence(what_)));
    if (picture_.events_lost() > 0) {
      warn(
          fmt::format("The timeline has lost its {} oldest events: what assets did then is not in "
                      "the tables either.",
                      grouped(picture_.events_lost())));
    }
    if (what_.untold > 0) {
      warn(
          fmt::format("{} ready, and the timeline does not have when: it began later, or the "
                      "threads that loaded them do not record.",
                      counted(what_.untold, "asset is", "assets are")));
    }
    if (!what_.open.empty()) {
      warn(fmt::format("{} not ready yet. The wait that goes on is listed below, and in no sum.",
                       counted(what_.open.size(), "asset is", "assets are")));
    }
    std::uint64_t bytes = 0;
    for (const asset_times& each : what_.assets) bytes += each.bytes;
    put("<ul class=\"facts\"><li><b>{}</b> loads</li><li><b>{}</b> assets known</li>"
        "<li><b>{}</b> loaded now</li></ul>\n",
        grouped(what_.ended), grouped(what_.assets.size()),
        human_bytes(static_cast<double>(bytes)));
    bar();
    put("</header>\n");
  }

  // The time of all assets, and what it went to. Needs have times of their own.
  void bar() {
    constexpr double shown_min = 0.004;
    std::array<std::uint64_t, asset_part_count> sums{};
    std::uint64_t all = 0;
    for (const asset_times& each : what_.assets) {
      for (std::size_t i = 0; i < asset_part_count; ++i) {
        if (static_cast<asset_part>(i) == asset_part::need) continue;
        sums[i] += each.ns[i];
        all += each.ns[i];
      }
    }
    if (all == 0) return;
    std::string key;
    put("<div class=\"bar\" aria-hidden=\"true\">");
    for (std::size_t i = 0; i < asset_part_count; ++i) {
      const auto part = static_cast<asset_part>(i);
      const double share = static_cast<double>(sums[i]) / static_cast<double>(all);
      if (share < shown_min) continue;
      put("<span class=\"{}\" style=\"width:{:.2f}%\"></span>", tint_of(part), share * 100);
      key += fmt::format("<li><span class=\"swatch {}\"></span>{} {}</li>", tint_of(part),
                         words_of(part), human_percent(share));
    }
    put("</div>\n<ul class=\"key\">{}</ul>\n", key);
  }
  static const char* tint_of(asset_part part) {
    switch (part) {
      case asset_part::read:
        return "read";
      case asset_part::decode:
      case asset_part::build:
        return "decode";
      case asset_part::finalize:
        return "finalize";
      default:
        return "wait";
    }
  }

  [[nodiscard]] page_table slowest() const {
    page_table table(
        "From asking to the end of the load. What an asset needs has a line of its own.",
        {"asset", "n:total", "n:turn", "n:room", "n:read", "n:thread", "n:decode", "n:needs",
         "last need", "n:build", "n:pump", "n:finalize", "n:steps", "n:size", "state"});
    const auto is_slower = [](const asset_times& a, const asset_times& b) {
      return a.total_ns > b.total_ns;
    };
    for (const asset_times* const each :
         some_of(what_, [](const asset_times& of) { return of.total_ns > 0; }, is_slower)) {
      const auto part = [each](asset_part of) { return time_cell(each->part_ns(of)); };
      table.row(
          {each->path,
           time_cell(each->total_ns),
           part(asset_part::turn),
           part(asset_part::room),
           part(asset_part::read),
           part(asset_part::thread),
           part(asset_part::decode),
           part(asset_part::need),
           what_.path_of(each->need),
           part(asset_part::build),
           part(asset_part::pump),
           part(asset_part::finalize),
           count_cell(each->steps),
           {each->bytes == 0 ? "" : human_bytes(static_cast<double>(each->bytes)), each->bytes},
           to_string(each->state)});
    }
    return table;
  }

  [[nodiscard]] page_table waits() const {
    page_table table("The longest.", {"asset", "n:waited", "for", "n:at"});
    for (const asset_delay& each : what_.delays) {
      const std::string by = what_.path_of(each.ended_by);
      table.row({what_.path_of(each.asset),
                 time_cell(each.ns),
                 by.empty() ? each.what : each.what + ", at last " + by,
                 {human_time(each.begin_ns), each.begin_ns}});
    }
    return table;
  }

  [[nodiscard]] page_table overruns() const {
    page_table table("The worst.",
                     {"n:at", "n:budget", "n:took", "n:over", "longest step", "n:of that"});
    std::vector<const pump_overrun*> worst;
    worst.reserve(what_.overruns.size());
    for (const pump_overrun& each : what_.overruns) worst.push_back(&each);
    std::sort(worst.begin(), worst.end(), [](const pump_overrun* a, const pump_overrun* b) {
      return std::tuple(b->over_ns(), a->at_ns) < std::tuple(a->over_ns(), b->at_ns);
    });
    worst.resize(std::min(worst.size(), rows_max));
    for (const pump_overrun* const each : worst) {
      const std::string path = what_.path_of(each->asset);
      table.row({{human_time(each->at_ns), each->at_ns},
                 time_cell(each->budget_ns),
                 time_cell(each->took_ns),
                 time_cell(each->over_ns()),
                 path.empty() ? "none" : fmt::format("{}() of {}", each->step, path),
                 time_cell(each->step_ns)});
    }
    return table;
  }

  [[nodiscard]] page_table open_waits() const {
    page_table table("", {"asset", "state", "waits for", "n:since"});
    for (const open_wait& each : what_.open) {
      if (table.size() == rows_max) break;
      table.row({what_.path_of(each.asset), each.state,
                 each.need.empty() ? each.what : each.what + ": " + each.need, time_cell(each.ns)});
    }
    return table;
  }

  [[nodiscard]] page_table failures() const {
    page_table table("", {"asset", "why"});
    for (const asset_times& each : what_.assets) {
      if (!each.failure.empty()) table.row({each.path, each.failure});
    }
    return table;
  }

  [[nodiscard]] page_table loaded_again() const {
    page_table table("", {"asset", "n:asked", "n:retried", "n:reloaded", "n:work again"});
    const auto is_worse = [](const asset_times& a, const asset_times& b) {
      return std::tuple(a.again_ns, a.loads()) > std::tuple(b.again_ns, b.loads());
    };
    for (const asset_times* const each :
         some_of(what_, [](const asset_times& of) { return of.loads() > 1; }, is_worse)) {
      table.row({each->path, count_cell(each->asked), count_cell(each->retried),
                 count_cell(each->reloaded), time_cell(each->again_ns)});
    }
    return table;
  }

  const store_report& what_;
  const load_report& drawn_;
  const timeline_picture& picture_;
  const drawn_timeline shown_;
  std::string text_;
};

}  // namespace

std::string store_page(const store_report& what, const load_report& drawn,
                       const timeline_picture& picture) {
  return store_writer(what, drawn, picture).write();
}

}  // namespace overture::report_detail

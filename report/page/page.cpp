// SPDX-License-Identifier: Zlib
#include "report/page/page.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <vector>

#include "report/model/load_advice.hpp"
#include "report/page/markup.hpp"
#include "report/page/page_data.hpp"
#include "report/page/page_frame.hpp"
#include "report/page/page_table.hpp"
#include "report/words/printable.hpp"
#include "report/words/units.hpp"

namespace overture::report_detail {

namespace {

std::string size_text(std::uint64_t count) {
  return human_bytes(static_cast<double>(count));
}

// "base.zip, rome and 3 more"
std::string title_of(const load_report& what) {
  constexpr std::size_t shown = 3;
  if (what.mounts.empty()) return "a program";  // a timeline does not say
  std::string title;
  for (std::size_t i = 0; i < std::min(shown, what.mounts.size()); ++i) {
    title += (i > 0 ? ", " : "") + last_element(what.mounts[i].path);
  }
  if (what.mounts.size() > shown) title += fmt::format(" and {} more", what.mounts.size() - shown);
  return title;
}

class page_writer {
 public:
  page_writer(const load_report& what, const timeline_picture& picture)
      : what_(what), picture_(picture), shown_(drawn_of(picture)) {}

  std::string write() {
    text_ += page_head(fmt::format("Load of {}: {}", title_of(what_), load_time_text(what_)));
    verdict();
    text_ += changes_section(load_advice(what_));
    text_ += timeline_section(picture_, shown_, "Whole load");
    path_section();
    what_if();
    text_ += map_section();
    text_ += files_section("Files");
    slowest();
    totals_section();
    lists();
    text_ += page_end(
        "Times of stages are sums over threads; files are read while others are "
        "decoded, so they add up to more than the load.",
        page_data(what_, picture_, shown_));
    return std::move(text_);
  }

 private:
  template <class... Values>
  void put(fmt::format_string<Values...> form, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), form, std::forward<Values>(values)...);
  }

  void verdict() {
    const load_summary& summary = what_.summary;
    // "decode-bound: 72 % ...": the name is in the title.
    std::string evidence = verdict_sentence(what_);
    const std::string name = what_.verdict.name + ": ";
    if (evidence.starts_with(name)) evidence.erase(0, name.size());
    put("<header><h1>{}, {}</h1>\n<p>{}</p>\n<p class=\"dim\"><bdi>{}</bdi></p>\n",
        load_time_text(what_), html_text(what_.verdict.name), html_text(evidence),
        html_text(title_of(what_)));
    if (what_.interrupted) {
      put("<p class=\"warn\">Interrupted: {} not loaded, so this page is of a part.</p>\n",
          counted(summary.cancelled, "file was", "files were"));
    }
    for (const std::string& each : what_.missing) {
      put("<p class=\"warn\">{}</p>\n", html_text(each));
    }
    if (picture_.lanes.empty()) {
      put("<p class=\"warn\">Made without a trace: there is no timeline, no critical path and no "
          "list of all files.</p>\n");
    }
    if (picture_.events_lost() > 0) {
      put("<p class=\"warn\">The timeline has lost its {} oldest events; its beginning is not "
          "whole. The tables are.</p>\n",
          grouped(picture_.events_lost()));
    }
    if (what_.is_load) facts();
    bar();
    if (const std::string noise = noise_sentence(what_); !noise.empty()) {
      put("<p class=\"warn\">The machine was not quiet: {}.</p>\n", html_text(noise));
    }
    for (const std::string& hint : what_.hints) put("<p>{}</p>\n", html_text(hint));
    put("</header>\n");
  }

  void facts() {
    const load_summary& summary = what_.summary;
    put("<ul class=\"facts\"><li><b>{}</b> files</li><li><b>{}</b> unpacked</li>",
        grouped(summary.files), size_text(summary.bytes));
    const read_summary& reads = summary.reads;
    if (what_.tells_page_cache) {
      put("<li><b>{}</b> from the disk, <b>{}</b> from the page cache</li>",
          size_text(reads.disk_bytes), size_text(reads.cached_bytes));
    } else {
      put("<li><b>{}</b> read</li>", size_text(reads.disk_bytes));
    }
    put("<li><b>{}</b> threads</li><li>mounted in <b>{}</b></li>", what_.threads,
        human_time(what_.mount_ns));
    if (summary.failed > 0)
      put("<li class=\"warn\"><b>{}</b> failed</li>", grouped(summary.failed));
    put("</ul>\n");
  }

  // The time of all workers, and what it went to.
  void bar() {
    constexpr double shown_min = 0.004;
    const double whole = static_cast<double>(what_.verdict.worker_ns);
    if (whole <= 0) return;
    std::string key;
    put("<div class=\"bar\" aria-hidden=\"true\">");
    for (const report_share& share : what_.verdict.shares) {
      const double part = static_cast<double>(share.ns) / whole;
      if (part < shown_min) continue;
      const char* const tint = colour_of({share.name, share.waiting});
      put("<span class=\"{}\" style=\"width:{:.2f}%\"></span>", tint, part * 100);
      key +=
          fmt::format("<li><span class=\"swatch {}\"></span>{}{} {}</li>", tint,
                      share.waiting ? "waiting: " : "", html_text(share.name), human_percent(part));
    }
    put("</div>\n<ul class=\"key\">{}</ul>\n", key);
  }

  void path_section() {
    if (picture_.critical.empty()) return;
    struct sum {
      std::uint64_t ns = 0;
      std::uint64_t steps = 0;
    };
    std::map<std::pair<std::string, bool>, sum> by_name;
    std::uint64_t all = 0;
    for (const path_step& step : picture_.critical) {
      sum& each = by_name[{step.name, step.is_wait}];
      each.ns += step.end_ns - step.begin_ns;
      ++each.steps;
      all += step.end_ns - step.begin_ns;
    }
    std::vector<std::pair<std::pair<std::string, bool>, sum>> rows(by_name.begin(), by_name.end());
    std::sort(rows.begin(), rows.end(),
              [](const auto& a, const auto& b) { return a.second.ns > b.second.ns; });
    page_table table(
        "What the end of the load waited for, followed back to its beginning. Only "
        "what is on this path makes the load longer.",
        {"what", "n:time", "n:share", "n:steps"});
    for (const auto& [name, each] : rows) {
      table.row({(name.second ? "waiting: " : "") + name.first,
                 {human_time(each.ns), each.ns},
                 {human_percent(static_cast<double>(each.ns) / static_cast<double>(all)), each.ns},
                 {grouped(each.steps), each.steps}});
    }
    put("<section>\n<h2>Critical path</h2>\n{}<p class=\"dim\">{}</p>\n</section>\n", table.html(),
        what_it_rests_on());
  }

  [[nodiscard]] std::string what_it_rests_on() const {
    const auto count = [this](path_step::turn kind) {
      return static_cast<std::uint64_t>(
          std::count_if(picture_.critical.begin(), picture_.critical.end(),
                        [kind](const path_step& step) { return step.leads == kind; }));
    };
    const std::uint64_t guessed = count(path_step::turn::guessed);
    const std::uint64_t all = guessed + count(path_step::turn::recorded);
    if (all == 0) return "It stays on one thread.";
    if (guessed == 0) {
      return fmt::format(
          "It turns to another thread or a read {}, each time to what ended the wait.",
          counted(all, "time", "times"));
    }
    return fmt::format(
        "It turns to another thread or a read {}. {} of these turns {} a guess: who ended the wait "
        "is "
        "not recorded, so the path goes to what ended last.",
        counted(all, "time", "times"), grouped(guessed), guessed == 1 ? "is" : "are");
  }

  void what_if() {
    struct slider {
      const char* id;
      const char* label;
      unsigned least;
      unsigned most;
      unsigned value;
    };
    const slider sliders[] = {
        {"if-threads", "threads", 1, 32, std::max(what_.threads, 1u)},
        {"if-decode", "decoding faster", 1, 8, 1},
        {"if-disk", "disk faster", 1, 9, 1},
        {"if-left", "largest files left for later", 0, 100, 0},
    };
    put("<section id=\"what-if\" class=\"moving\">\n<h2>What if</h2>\n"
        "<form id=\"what-if-form\" class=\"what-if\">");
    for (const slider& each : sliders) {
      put("<label for=\"{0}\">{1}</label><input id=\"{0}\" type=\"range\" min=\"{2}\" max=\"{3}\" "
          "value=\"{4}\"><output id=\"{0}-value\" for=\"{0}\"></output>",
          each.id, each.label, each.least, each.most, each.value);
    }
    put("<label for=\"if-longest\">longest files first</label>"
        "<input id=\"if-longest\" type=\"checkbox\" style=\"justify-self:start\"><span></span>"
        "</form>\n<p class=\"estimate\" aria-live=\"polite\"><b id=\"if-total\"></b> "
        "<span id=\"if-compared\" class=\"dim\"></span></p>\n"
        "<p><button type=\"button\" id=\"if-reset\">As it was</button></p>\n"
        "<p class=\"dim\" id=\"if-error\"></p>\n</section>\n");
  }

  void slowest() {
    page_table table("", {"file", "n:size", "n:total", "n:disk", "n:decode"});
    for (const report_file& file : what_.slowest) {
      const std::uint64_t decode = file.stage_ns[static_cast<std::size_t>(load_stage::decode)];
      table.row({file.path, size_text(file.bytes), human_time(file.total_ns()),
                 human_time(file.device_ns), human_time(decode)});
    }
    put("<section{}>\n<h2>Slowest files</h2>\n{}</section>\n",
        what_.files.empty() ? "" : " class=\"still\"", table.html());
  }

  void totals_section() {
    put("<div class=\"two\">\n");
    text_ += table_section("Stages", stages());
    text_ += table_section("Waits", waits());
    text_ += table_section("Files that waited for room", rooms());
    text_ += table_section("File types", types());
    text_ += table_section("Mounts", mounts());
    text_ += table_section("Threads", threads());
    text_ += table_section("What each thread did", thread_parts(picture_));
    text_ += table_section("Reads by size", read_sizes());
    put("</div>\n");
  }

  page_table stages() const {
    page_table table("", {"stage", "n:work", "n:bytes out", "n:files"});
    for (std::size_t i = 0; i < load_stage_count; ++i) {
      const stage_summary& stage = what_.summary.stages[i];
      table.row({std::string(to_string(static_cast<load_stage>(i))),
                 {human_time(stage.ns), stage.ns},
                 {stage.bytes > 0 ? size_text(stage.bytes) : "", stage.bytes},
                 {grouped(stage.files), stage.files}});
    }
    return table;
  }

  page_table waits() const {
    page_table table("", {"reason", "n:time", "n:share"});
    for (const report_share& wait : what_.verdict.shares) {
      if (!wait.waiting) continue;
      const double part =
          static_cast<double>(wait.ns) / static_cast<double>(what_.verdict.worker_ns);
      table.row({wait.name, {human_time(wait.ns), wait.ns}, {human_percent(part), wait.ns}});
    }
    return table;
  }

  // Those that waited longest for the memory budget, and whose bytes stood in the way at last.
  page_table rooms() const {
    constexpr std::size_t shown = 20;
    page_table table("", {"file", "n:waited", "room of"});
    std::vector<const picture_delay*> longest;
    for (const picture_delay& each : picture_.delays) {
      if (each.name == picture_delay::for_room) longest.push_back(&each);
    }
    const auto is_longer = [](const picture_delay* a, const picture_delay* b) {
      const auto ns = [](const picture_delay* each) { return each->end_ns - each->begin_ns; };
      return std::tuple(ns(b), a->begin_ns, a->file) < std::tuple(ns(a), b->begin_ns, b->file);
    };
    std::sort(longest.begin(), longest.end(), is_longer);
    longest.resize(std::min(longest.size(), shown));
    for (const picture_delay* const room : longest) {
      const std::uint64_t ns = room->end_ns - room->begin_ns;
      table.row({path_of(room->file), {human_time(ns), ns}, path_of(room->ended_by)});
    }
    return table;
  }
  [[nodiscard]] std::string path_of(std::uint32_t file) const {
    return file < what_.files.size() ? what_.files[file].path : "unknown";
  }

  page_table types() const {
    page_table table("", {"type", "n:files", "n:size", "n:decoded", "n:work"});
    for (const report_type& type : what_.types) {
      table.row({type.extension.empty() ? "no extension" : type.extension,
                 {grouped(type.files), type.files},
                 {size_text(type.bytes), type.bytes},
                 {type.decoded_bytes > 0 ? size_text(type.decoded_bytes) : "", type.decoded_bytes},
                 {human_time(type.ns), type.ns}});
    }
    return table;
  }

  page_table mounts() const {
    page_table table(what_.first_wins ? "Earlier ones win." : "Later ones win.",
                     {"mount", "kind", "n:files", "n:size", "n:hidden", "n:failed"});
    for (const report_mount& mount : what_.mounts) {
      table.row({mount.path,
                 mount.format,
                 {grouped(mount.files), mount.files},
                 {size_text(mount.bytes), mount.bytes},
                 {grouped(mount.hidden), mount.hidden},
                 {grouped(mount.failed), mount.failed}});
    }
    return table;
  }

  page_table threads() const {
    page_table table("", {"thread", "n:busy", "n:waiting", "n:CPU time"});
    for (const report_thread& thread : what_.threads_used) {
      if (!thread.is_worker && thread.busy_ns() == 0) continue;
      table.row({thread.name,
                 {human_time(thread.busy_ns()), thread.busy_ns()},
                 {human_time(thread.waiting_ns), thread.waiting_ns},
                 {human_time(thread.cpu_ns), thread.cpu_ns}});
    }
    return table;
  }

  page_table read_sizes() const {
    struct bucket {
      std::uint64_t reads = 0;
      std::uint64_t bytes = 0;
      std::uint64_t ns = 0;
    };
    std::map<std::uint64_t, bucket> buckets;  // by the least power of four that is not below
    for (const picture_read& read : picture_.reads) {
      std::uint64_t size = 1024;
      while (size < read.bytes && size < std::uint64_t{1} << 40) size *= 4;
      bucket& into = buckets[size];
      ++into.reads;
      into.bytes += read.bytes;
      into.ns += read.end_ns - read.served_ns;
    }
    page_table table("", {"n:up to", "n:reads", "n:bytes", "n:at the device"});
    for (const auto& [size, each] : buckets) {
      table.row({{size_text(size), size},
                 {grouped(each.reads), each.reads},
                 {size_text(each.bytes), each.bytes},
                 {human_time(each.ns), each.ns}});
    }
    return table;
  }

  void lists() {
    page_table failures("", {"file", "mount", "stage", "reason"});
    for (const report_failure& each : what_.failures) {
      failures.row({each.path, each.mount, each.stage, each.reason});
    }
    for (const report_failure& each : what_.mount_failures) {
      failures.row({each.path, each.mount, each.stage, each.reason});
    }
    text_ += folded_table("Failed", failures, true);
    page_table warnings("", {"file", "mount", "reason"});
    for (const report_warning& each : what_.warnings) {
      warnings.row({each.path, each.mount, each.reason});
    }
    text_ += folded_table("Warnings", warnings, false);
    page_table overrides("", {"file", "taken from", "instead of"});
    for (const report_override& each : what_.overrides) {
      overrides.row({each.path, each.winner, each.loser});
    }
    text_ += folded_table("Overridden", overrides, false);
    page_table skipped("", {"name", "mount", "reason"});
    for (const report_skipped& each : what_.skipped) {
      skipped.row({each.name, each.mount, each.reason});
    }
    text_ += folded_table("Skipped", skipped, false);
  }

  const load_report& what_;
  const timeline_picture& picture_;
  const drawn_timeline shown_;
  std::string text_;
};

}  // namespace

std::string report_page(const load_report& what, const timeline_picture& picture) {
  return page_writer(what, picture).write();
}

}  // namespace overture::report_detail

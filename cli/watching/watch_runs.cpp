// SPDX-License-Identifier: Zlib
#include "watching/watch_runs.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "report/repeats.hpp"
#include "terminal/units.hpp"
#include "watch/model/anonymous.hpp"
#include "watching/watch_report.hpp"

namespace overture::cli {

namespace {

void add_files(const watch::load_view& view, const std::string& home, sample_collector& to) {
  std::uint64_t bytes = 0;
  for (const watch::file_use& each : view.files) {
    bytes += each.bytes;
    const std::string path = watch::without_home(view.process.name(each.name), home);
    if (!path.empty()) to.add_value(measure_kind::file, path, seconds(each.access_ns()));
  }
  to.add_value(measure_kind::bytes, "read", static_cast<double>(bytes));
  std::uint64_t from_disk = 0;
  for (const watch::watched_thread& each : view.process.threads) {
    if (each.kernel) from_disk += each.kernel->read_bytes;
  }
  to.add_value(measure_kind::bytes, "from disk", static_cast<double>(from_disk));
}

}  // namespace

const char* name_of(watch::load_end how) {
  switch (how) {
    case watch::load_end::menu:
      return "menu";
    case watch::load_end::quiet:
      return "quiet";
    case watch::load_end::cut:
      break;
  }
  return "end";
}

run_mark mark_of(const watch::load_view& view, watch_until::what until) {
  if (until == watch_until::what::frame && view.span.first_frame_ns) {
    return {*view.span.first_frame_ns, "frame"};
  }
  return {view.end_ns(), name_of(view.span.how)};
}

spread watch_repeats::times() const {
  std::vector<double> all;
  all.reserve(runs.size());
  for (const run_mark& each : runs) all.push_back(seconds(each.ns));
  return spread_of(all);
}

bool can_be_median(std::size_t before, std::size_t seen, std::size_t all) {
  const std::size_t median = (all - 1) / 2;
  return before <= median && before + (all - seen) >= median;
}

void add_samples_of(const watch::load_view& view, const run_mark& mark, const std::string& home,
                    sample_collector& to) {
  to.add_value(measure_kind::load, "load", seconds(mark.ns));
  if (view.span.first_frame_ns) {
    to.add_value(measure_kind::load, "first frame", seconds(*view.span.first_frame_ns));
  }
  for (const watch::main_part& each : watch::main_parts(view)) {
    to.add_value(each.is_wait ? measure_kind::wait : measure_kind::stage, each.what,
                 seconds(each.ns));
  }
  // Of several of a kind, each may be part of another.
  std::map<watch::finding_kind, std::uint64_t> longest;
  for (const watch::finding& each : watch::findings_of(view)) {
    longest[each.kind] = std::max(longest[each.kind], each.ns);
  }
  for (const auto& [kind, ns] : longest) {
    to.add_value(measure_kind::finding, watch::to_string(kind), seconds(ns));
  }
  add_files(view, home, to);
  to.end_load();
}

run_mark watch_runs::add(std::vector<watch::watched_process> all) {
  const watch::watched_process& process = all[process_to_show(all)];
  const watch::load_view view = watch::view_of(process);
  const run_mark mark = mark_of(view, plan_.until);
  add_samples_of(view, mark, plan_.home, samples_);
  program_ = watch::without_home(process.program, plan_.home);
  kept_.emplace(count(), std::move(all));
  repeats_.runs.push_back(mark);
  std::erase_if(kept_, [&](const auto& each) {
    return !can_be_median(shorter_than(each.first), count(), plan_.runs);
  });
  return mark;
}

std::size_t watch_runs::shorter_than(std::size_t run) const {
  std::size_t number = 0;
  for (std::size_t i = 0; i < count(); ++i) {
    if (std::pair(repeats_.runs[i].ns, i) < std::pair(repeats_.runs[run].ns, run)) ++number;
  }
  return number;
}

watch_runs::shown_run watch_runs::finish() && {
  const auto median = std::find_if(kept_.begin(), kept_.end(), [&](const auto& each) {
    return shorter_than(each.first) == (count() - 1) / 2;
  });
  repeats_.shown = median->first;
  repeats_.samples = samples_.finish();
  repeats_.samples.program = program_;
  repeats_.samples.is_cold = plan_.is_cold;
  return {std::move(median->second), std::move(repeats_)};
}

read_files files_read(const std::vector<watch::watched_process>& processes) {
  std::set<std::string> content;
  std::set<std::string> code;
  for (const watch::watched_process& process : processes) {
    for (const watch::watched_thread& thread : process.threads) {
      for (const watch::watched_event& each : thread.events) {
        if (watch::opens_content(process, each)) content.emplace(process.name(each.id));
      }
    }
    for (const watch::watched_module& each : process.modules) code.insert(each.path);
  }
  return {{content.begin(), content.end()}, {code.begin(), code.end()}};
}

}  // namespace overture::cli

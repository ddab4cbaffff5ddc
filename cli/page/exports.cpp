// SPDX-License-Identifier: Zlib
#include "page/exports.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "report/page/thread_time.hpp"
#include "report/report_model.hpp"
#include "terminal/display.hpp"

namespace overture::cli {

namespace {

std::string csv_field(std::string_view text) {
  std::string field = printable(text);
  if (field.find_first_of(",\" ") == std::string::npos) return field;
  for (std::size_t at = field.find('"'); at != std::string::npos; at = field.find('"', at + 2)) {
    field.insert(at, 1, '"');
  }
  return '"' + field + '"';
}

std::string csv_microseconds(std::uint64_t ns) {
  return fmt::format("{}.{:03}", ns / 1000, ns % 1000);
}

// A frame may have neither the separator nor a line end.
std::string folded_frame(std::string_view text) {
  std::string frame = printable(text);
  std::replace(frame.begin(), frame.end(), ';', ':');
  return frame;
}

}  // namespace

std::string files_csv(const load_model& load) {
  std::string text = "path,mount,state,bytes,began_us";
  for (std::size_t i = 0; i < load_stage_count; ++i) {
    text += fmt::format(",{}_us", to_string(static_cast<load_stage>(i)));
  }
  text += ",device_us,room_us\n";
  std::vector<std::uint64_t> room_ns(load.what.files.size());
  for (const picture_delay& delay : load.picture.delays) {
    const bool is_room = delay.name == picture_delay::for_room && delay.file < room_ns.size();
    if (is_room) room_ns[delay.file] += delay.end_ns - delay.begin_ns;
  }
  const auto to = std::back_inserter(text);
  for (std::size_t i = 0; i < load.what.files.size(); ++i) {
    const report_row& row = load.what.files[i];
    const bool is_known = row.mount < load.what.mounts.size();
    fmt::format_to(to, "{},{},{},{},{}", csv_field(row.path),
                   is_known ? csv_field(load.what.mounts[row.mount].path) : "",
                   to_string(row.state), row.bytes, csv_microseconds(row.began_ns));
    for (const std::uint64_t ns : row.stage_ns) text += ',' + csv_microseconds(ns);
    fmt::format_to(to, ",{},{}\n", csv_microseconds(row.device_ns), csv_microseconds(room_ns[i]));
  }
  return text;
}

std::string folded_stacks(const timeline_picture& picture) {
  std::map<std::string, std::uint64_t> stacks;
  for (const picture_lane& lane : picture.lanes) {
    const std::string thread = folded_frame(lane.name);
    each_innermost(lane, picture.load_begin_ns, picture.total_ns,
                   [&](std::uint64_t begin, std::uint64_t end, const auto& open) {
                     std::string stack = thread;
                     for (const picture_span* const span : open) {
                       const picture_name& name = picture.names[span->name];
                       stack += (name.is_wait ? ";waiting: " : ";") + folded_frame(name.name);
                     }
                     if (open.empty()) stack += std::string(";") + unknown_time;
                     stacks[stack] += end - begin;
                   });
  }
  std::string text;
  for (const auto& [stack, ns] : stacks) text += fmt::format("{} {}\n", stack, ns);
  return text;
}

}  // namespace overture::cli

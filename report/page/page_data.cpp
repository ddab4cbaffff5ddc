// SPDX-License-Identifier: Zlib
#include "report/page/page_data.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "overture/base/path.hpp"
#include "report/model/load_advice.hpp"
#include "report/page/markup.hpp"

namespace overture::report_detail {

namespace {

// All times of the data are in these: microseconds would hide short stages.
constexpr std::uint64_t tick_ns = 100;

using file_state_of_row = overture::file_state;

std::uint64_t ticks(std::uint64_t ns) {
  return ns / tick_ns;
}
std::uint64_t microseconds(std::uint64_t ns) {
  return ns / 1000;
}

const char* text_of(lane_kind kind) {
  switch (kind) {
    case lane_kind::main:
      return "main";
    case lane_kind::worker:
      return "worker";
    case lane_kind::background:
      return "background";
  }
  return "";
}

// How far paths are alike, without cutting a character.
std::size_t common_bytes(std::string_view a, std::string_view b) {
  std::size_t count = 0;
  while (count < a.size() && count < b.size() && a[count] == b[count] &&
         static_cast<unsigned char>(a[count]) < 0x80) {
    ++count;
  }
  return count;
}

class data_writer {
 public:
  data_writer(const load_report& what, const timeline_picture& picture, const drawn_timeline& drawn)
      : what_(what), picture_(picture), drawn_(drawn) {}

  std::string write() {
    out_.begin('{');
    facts();
    names();
    lanes();
    reads();
    counters();
    files();
    mounts();
    delays();
    wakes();
    critical();
    out_.end();
    return out_.take();
  }

 private:
  // Files are numbered as in the tree; 0 stands for none.
  [[nodiscard]] static std::int64_t file_number(std::uint32_t file) {
    return file == no_subject ? 0 : std::int64_t{file} + 1;
  }

  void facts() {
    out_.key("ticks_per_us").number(1000 / tick_ns);
    out_.key("total_us").number(microseconds(picture_.total_ns));
    out_.key("load_us").number(microseconds(what_.summary.ns));
    out_.key("mount_us").number(microseconds(what_.mount_ns));
    out_.key("threads").number(what_.threads);
    out_.key("reads_at_once").number(reads_at_once());
    out_.key("events_lost").number(picture_.events_lost());
  }

  void names() {
    out_.key("names").begin('[');
    for (const picture_name& each : picture_.names) {
      out_.begin('{').key("name").text(each.name).key("wait").boolean(each.is_wait);
      out_.key("colour").text(colour_of(each)).end();
    }
    out_.end();
  }

  void lanes() {
    out_.key("lanes").begin('[');
    for (std::size_t i = 0; i < picture_.lanes.size(); ++i) {
      const picture_lane& lane = picture_.lanes[i];
      out_.begin('{').key("id").number(i).key("name").text(lane.name);
      out_.key("kind").text(text_of(lane.kind)).key("lost").number(lane.events_lost);
      const std::vector<drawn_span>& spans = drawn_.lanes[i];
      out_.key("count").number(spans.size()).key("spans").numbers(spans_of(spans));
      sums(spans);
      out_.end();
    }
    out_.end();
  }

  static varint_text spans_of(const std::vector<drawn_span>& spans) {
    varint_text numbers;
    std::uint64_t begin = 0;
    std::int64_t file = 0;
    for (const drawn_span& span : spans) {
      const std::uint64_t now = ticks(span.begin_ns);
      numbers.add(now - begin);
      numbers.add(ticks(span.end_ns) - now);
      numbers.add(span.name);
      numbers.add_signed(file_number(span.file) - file);
      begin = now;
      file = file_number(span.file);
    }
    return numbers;
  }

  // Which spans stand for how many.
  void sums(const std::vector<drawn_span>& spans) {
    varint_text numbers;
    std::uint64_t count = 0;
    std::size_t last = 0;
    for (std::size_t i = 0; i < spans.size(); ++i) {
      if (spans[i].count == 1) continue;
      numbers.add(i - std::exchange(last, i));
      numbers.add(spans[i].count);
      ++count;
    }
    if (count == 0) return;
    out_.key("sums").begin('{').key("count").number(count);
    out_.key("list").numbers(numbers).end();
  }

  void reads() {
    varint_text numbers;
    std::uint64_t begin = 0;
    std::int64_t file = 0;
    for (const drawn_read& read : drawn_.reads) {
      const std::uint64_t now = ticks(read.begin_ns);
      const std::uint64_t served = ticks(read.served_ns);
      numbers.add(now - begin);
      numbers.add(served - now);
      numbers.add(ticks(read.end_ns) - served);
      numbers.add_signed(file_number(read.file) - file);
      numbers.add(read.bytes);
      const bool has_block = read.unpack_ns + read.block_wait_ns != 0;
      numbers.add((read.is_cached ? 1u : 0u) + (has_block ? 2u : 0u) + (read.count > 1 ? 4u : 0u));
      if (has_block) {
        numbers.add(ticks(read.block_wait_ns));
        numbers.add(ticks(read.unpack_ns));
      }
      if (read.count > 1) numbers.add(read.count);
      begin = now;
      file = file_number(read.file);
    }
    out_.key("reads").begin('{').key("count").number(drawn_.reads.size());
    out_.key("spans").numbers(numbers).end();
  }

  // How many reads the device had at a time, while it had any.
  [[nodiscard]] std::uint64_t reads_at_once() const {
    std::uint64_t sum = 0;
    std::uint64_t covered = 0;
    std::uint64_t end = 0;
    std::vector<const picture_read*> by_service;
    for (const picture_read& read : picture_.reads) {
      if (!read.is_cached) by_service.push_back(&read);
    }
    std::sort(by_service.begin(), by_service.end(),
              [](const auto* a, const auto* b) { return a->read_begin_ns() < b->read_begin_ns(); });
    for (const picture_read* read : by_service) {
      sum += read->device_ns();
      const std::uint64_t begin = std::max(read->read_begin_ns(), end);
      if (read->read_end_ns() > begin) covered += read->read_end_ns() - begin;
      end = std::max(end, read->read_end_ns());
    }
    return covered == 0 ? 1 : std::max<std::uint64_t>(1, (sum + covered / 2) / covered);
  }

  void counters() {
    out_.key("counters").begin('[');
    for (const picture_counter& counter : drawn_.counters) {
      out_.begin('{').key("name").text(counter.name).key("times").begin('[');
      for (const counter_value& each : counter.values) out_.number(ticks(each.at_ns));
      out_.end().key("values").begin('[');
      for (const counter_value& each : counter.values) out_.number(each.value);
      out_.end().end();
    }
    out_.end();
  }

  template <class Value>
  void column(std::string_view name, Value value) {
    varint_text numbers;
    for (const report_row& file : what_.files) numbers.add(value(file));
    out_.key(name).numbers(numbers);
  }

  void files() {
    out_.key("files").begin('{').key("paths").begin('[');
    std::string_view last;
    for (const report_row& file : what_.files) {
      const std::size_t same = common_bytes(last, file.path);
      out_.text(std::to_string(same) + '|' + file.path.substr(same));
      last = file.path;
    }
    out_.end().key("states").begin('[');
    for (int i = 0; i <= static_cast<int>(file_state_of_row::skipped); ++i) {
      out_.text(to_string(static_cast<file_state_of_row>(i)));
    }
    out_.end();
    column("state", [](const report_row& file) { return static_cast<std::uint64_t>(file.state); });
    column("mount", [&](const report_row& file) {
      return std::min<std::uint64_t>(file.mount, what_.mounts.size());
    });
    column("bytes", [](const report_row& file) { return file.bytes; });
    column("device", [](const report_row& file) { return ticks(file.device_ns); });
    for (std::size_t stage = 0; stage < load_stage_count; ++stage) {
      column("stage" + std::to_string(stage),
             [&](const report_row& file) { return ticks(file.stage_ns[stage]); });
    }
    contents();
    out_.end();
    ends();
    order();
  }

  // What is in those that have something to say.
  void contents() {
    out_.key("what").begin('{');
    for (std::size_t i = 0; i < what_.files.size(); ++i) {
      const report_row& file = what_.files[i];
      const std::string content = content_of({.width = file.width,
                                              .height = file.height,
                                              .sample_rate = file.sample_rate,
                                              .sound_frames = file.sound_frames});
      if (!content.empty()) out_.key(std::to_string(i)).text(content);
    }
    out_.end();
  }

  // When files were done, by time.
  void ends() {
    std::vector<std::uint64_t> end_ns(what_.files.size());
    for (const picture_lane& lane : picture_.lanes) {
      for (const picture_span& span : lane.spans) {
        if (span.file < end_ns.size()) {
          end_ns[span.file] = std::max(end_ns[span.file], span.end_ns);
        }
      }
    }
    std::sort(end_ns.begin(), end_ns.end());
    varint_text numbers;
    std::uint64_t count = 0;
    std::uint64_t last = 0;
    for (const std::uint64_t ns : end_ns) {
      if (ns == 0) continue;
      numbers.add(ticks(ns) - last);
      last = ticks(ns);
      ++count;
    }
    out_.key("files_done").begin('{').key("count").number(count);
    out_.key("times").numbers(numbers).end();
  }

  // The files that were loaded, in the order in which they began.
  void order() {
    std::vector<std::uint32_t> begun;
    for (std::uint32_t i = 0; i < what_.files.size(); ++i) {
      if (what_.files[i].began_ns > 0) begun.push_back(i);
    }
    std::sort(begun.begin(), begun.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tie(what_.files[a].began_ns, a) < std::tie(what_.files[b].began_ns, b);
    });
    varint_text numbers;
    std::int64_t last = 0;
    for (const std::uint32_t each : begun) {
      numbers.add_signed(std::int64_t{each} - last);
      last = each;
    }
    out_.key("order").begin('{').key("count").number(begun.size());
    out_.key("files").numbers(numbers).end();
  }

  void mounts() {
    out_.key("mounts").begin('[');
    for (const report_mount& mount : what_.mounts) {
      out_.begin('{').key("name").text(mount.path).end();
    }
    out_.end();
  }

  // Of name 0: for room in the memory budget.
  void delays() {
    varint_text numbers;
    std::uint64_t begin = 0;
    for (const picture_delay& delay : drawn_.delays) {
      const std::uint64_t now = ticks(delay.begin_ns);
      numbers.add(now - begin);
      numbers.add(ticks(delay.end_ns) - now);
      numbers.add(static_cast<std::uint64_t>(file_number(delay.file)));
      numbers.add(static_cast<std::uint64_t>(file_number(delay.ended_by)));
      numbers.add(delay.name == picture_delay::for_room ? 0 : std::uint64_t{delay.name} + 1);
      begin = now;
    }
    out_.key("delays").begin('{').key("count").number(drawn_.delays.size());
    out_.key("list").numbers(numbers).end();
  }

  // Lane 0 is a read.
  void wakes() {
    varint_text numbers;
    std::int64_t to = 0;
    for (const picture_wake& wake : drawn_.wakes) {
      const auto now = static_cast<std::int64_t>(ticks(wake.to_ns));
      numbers.add(wake.to_lane);
      numbers.add_signed(now - to);
      numbers.add(wake.from_lane == picture_wake::by_read ? 0 : wake.from_lane + 1);
      numbers.add(ticks(wake.to_ns) - std::min(ticks(wake.from_ns), ticks(wake.to_ns)));
      to = now;
    }
    out_.key("wakes").begin('{').key("count").number(drawn_.wakes.size());
    out_.key("list").numbers(numbers).end();
  }

  // Each step begins where the last one ended; lane 0 is a read. A turn to another lane is 1 if it
  // is guessed, 2 if it is recorded.
  void critical() {
    varint_text numbers;
    for (const path_step& step : drawn_.critical) {
      numbers.add(step.lane == path_step::in_read ? 0 : step.lane + 1);
      numbers.add(ticks(step.end_ns) - ticks(step.begin_ns));
      numbers.add(static_cast<std::uint64_t>(step.leads));
    }
    out_.key("critical").begin('{').key("count").number(drawn_.critical.size());
    out_.key("steps").numbers(numbers).end();
  }

  const load_report& what_;
  const timeline_picture& picture_;
  const drawn_timeline& drawn_;
  script_json out_;
};

}  // namespace

std::string page_data(const load_report& what, const timeline_picture& picture,
                      const drawn_timeline& drawn) {
  return data_writer(what, picture, drawn).write();
}

namespace {

// "decode", "decode (png_read_image)"
bool is_work_of(std::string_view name, std::string_view stage) {
  return name.starts_with(stage) &&
         (name.size() == stage.size() || name.substr(stage.size()).starts_with(" ("));
}

}  // namespace

const char* colour_of(const picture_name& name) {
  if (name.is_wait) return "wait";
  for (std::size_t i = 0; i < load_stage_count; ++i) {
    const char* const stage = to_string(static_cast<load_stage>(i));
    if (is_work_of(name.name, stage)) return stage;
  }
  if (is_work_of(name.name, "mount") || name.name == "freeze") return "mount";
  if (name.name == "other" || name.name == "unknown") return "other";
  // The same in every page.
  constexpr const char* zones[] = {"zone-0", "zone-1", "zone-2", "zone-3", "zone-4", "zone-5"};
  return zones[hash64(name.name) % std::size(zones)];
}

}  // namespace overture::report_detail

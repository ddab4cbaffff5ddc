// SPDX-License-Identifier: Zlib
#include "report/page/traced_load.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>

#include "overture/base/path.hpp"
#include "report/model/collect.hpp"
#include "report/model/report_model.hpp"
#include "report/page/thread_time.hpp"
#include "report/words/printable.hpp"

namespace overture::report_detail {

namespace {

constexpr std::size_t slow_files_max = 10;

std::optional<std::size_t> stage_number(std::string_view name) {
  for (std::size_t i = 0; i < load_stage_count; ++i) {
    if (name == to_string(static_cast<load_stage>(i))) return i;
  }
  return {};
}

std::size_t index_of(load_stage stage) {
  return static_cast<std::size_t>(stage);
}

std::uint64_t sum_of(const stage_times& times) {
  return std::accumulate(times.begin(), times.end(), std::uint64_t{0});
}

// The time that so much of them does not take longer than.
std::uint64_t quantile(std::vector<std::uint64_t>& ns, std::size_t percent) {
  if (ns.empty()) return 0;
  const auto at = ns.begin() + static_cast<std::ptrdiff_t>((ns.size() - 1) * percent / 100);
  std::nth_element(ns.begin(), at, ns.end());
  return *at;
}

// What the threads of a program without a load did, by the names of its zones.
void tell_zones(load_report& what, const timeline_picture& picture) {
  std::map<std::pair<std::string, bool>, std::uint64_t> sums;
  report_verdict told;
  for (const thread_time& thread : time_of_threads(picture)) {
    for (const time_part& part : thread.parts) {
      sums[{part.name, part.is_wait}] += part.ns;
      told.worker_ns += part.ns;
    }
  }
  for (const auto& [name, ns] : sums) told.shares.push_back({name.first, name.second, ns});
  std::sort(told.shares.begin(), told.shares.end(), [](const auto& a, const auto& b) {
    return std::tie(b.ns, a.name, a.waiting) < std::tie(a.ns, b.name, b.waiting);
  });
  if (!told.shares.empty()) {
    const report_share& most = told.shares.front();
    told.name = most.waiting ? "mostly waiting" : "mostly " + most.name;
  }
  what.is_load = false;
  what.threads = static_cast<unsigned>(picture.lanes.size());
  what.verdict = std::move(told);
}

}  // namespace

void traced_load::add(const trace_line& line) {
  if (line.phase == 'M') {
    if (line.name != "thread_name") return;
    track& named = track_of(line);
    named.lane.name = line.given_name;
    named.lane.events_lost = line.events_lost;
    named.cpu_ns = line.cpu_ns;
    return;
  }
  if (!line.begin_ns || (line.phase == 'X' && !line.duration_ns)) {
    ++foreign_events_;
    return;
  }
  switch (line.phase) {
    case 'X':
      if (line.category == "request") {
        add_request(line);
      } else if (line.category == "room" || line.category == "delay") {
        add_delay(line);
      } else {
        add_span(line);
      }
      break;
    case 'i':
      add_mark(line);
      break;
    case 's':
      flows_[line.id] = {{line.process, line.thread}, *line.begin_ns + 1};
      break;
    case 'f':
      add_flow_end(line);
      break;
    case 'C':
      if (line.value) builder_.add_value(line.name, {*line.begin_ns, *line.value});
      break;
    default:
      ++foreign_events_;
      return;
  }
  ++events_;
  last_track_ = {line.process, line.thread};
  last_ns_ = std::max(last_ns_, *line.begin_ns + line.duration_ns.value_or(0));
}

// From the track of a read it is a read that woke.
void traced_load::add_flow_end(const trace_line& line) {
  const auto begin = flows_.extract(line.id);
  if (begin.empty() || line.name != "wake") return;
  const auto& [from, from_ns] = begin.mapped();
  picture_builder::wake made{
      .to_track = track_of(line).number, .to_ns = *line.begin_ns + 1, .from_ns = from_ns};
  const track& by = track_of(from);
  if (by.has_requests) {
    const auto read = by.read_at.find(from_ns);
    if (read == by.read_at.end()) return;
    made.from_read = read->second;
  } else {
    made.from_track = by.number;
  }
  builder_.add_wake(made);
}

void traced_load::add_mark(const trace_line& line) {
  if (line.name == load_begins) marked_begin_ = line.begin_ns;
  if (line.name != load_ends) return;
  marked_end_ = line.begin_ns;
  told_ns_ = line.value;
}

void traced_load::add_span(const trace_line& line) {
  const bool is_wait = line.category == "wait";
  const std::uint64_t begin = *line.begin_ns;
  const std::uint64_t end = begin + *line.duration_ns;
  track& on = track_of(line);
  const traced_name& name = name_of(line.name, is_wait);
  const event_kind kind = is_wait ? event_kind::wait : event_kind::zone;
  trace_total& total = on.totals[{name.text, kind}];
  total.name = name.text;
  total.kind = kind;
  ++total.count;
  total.ns += *line.duration_ns;
  total.value += line.bytes;
  const std::uint32_t file = line.has_subject ? number_of(line.subject) : no_subject;
  on.lane.spans.push_back({begin, end, name.number, file});
  if (line.is_sync) builder_.add_read({begin, begin, end, file, line.bytes, line.is_cached});
  if (!name.stage) return;
  first_stage_ns_ = std::min(first_stage_ns_, begin);
  last_stage_ns_ = std::max(last_stage_ns_, end);
  // What a thread of the read queue reads is in its requests.
  const bool is_request = on.lane.name.starts_with(io_name) && !line.is_block;
  if (file != no_subject && !is_request) add_to_stage(line, *name.stage, file);
}

void traced_load::add_to_stage(const trace_line& line, std::size_t stage, std::uint32_t number) {
  traced_file& of = files_[number];
  of.began_ns = std::min(of.began_ns, *line.begin_ns);
  of.stage_ns[stage] += *line.duration_ns;
  of.stage_bytes[stage] += line.bytes;
  // A block may be unpacked, and the file not.
  if (!line.is_block) of.stages = static_cast<std::uint8_t>(of.stages | 1u << stage);
  if (!line.layer.empty()) of.layer = line.layer;
}

void traced_load::add_request(const trace_line& line) {
  const std::uint64_t begin = *line.begin_ns;
  const std::uint64_t end = begin + *line.duration_ns;
  const std::uint64_t served = std::min(begin + line.queue_ns, end);
  track& on = track_of(line);
  on.has_requests = true;
  on.read_at[end] = builder_.reads();
  const std::uint32_t number = line.has_subject ? number_of(line.subject) : no_subject;
  picture_read read{begin, served, end, number, line.bytes, line.is_cached};
  if (line.is_block) {
    read.bytes = line.packed_bytes;
    read.unpack_ns = std::min(line.unpack_ns, end - served);
    read.block_wait_ns = std::min(line.block_wait_ns, read.read_end_ns() - served);
  }
  builder_.add_read(read);
  if (number == no_subject) return;
  files_[number].queued_ns += served - begin;
  files_[number].device_ns += read.device_ns();
  if (!line.layer.empty()) files_[number].layer = line.layer;
}

void traced_load::add_delay(const trace_line& line) {
  track_of(line).has_requests = true;
  const bool is_room = line.category == "room";
  builder_.add_delay({*line.begin_ns, *line.begin_ns + *line.duration_ns,
                      line.has_subject ? number_of(line.subject) : no_subject,
                      line.ended_by ? number_of(*line.ended_by) : no_subject,
                      is_room ? picture_delay::for_room : builder_.number_of(line.name, true)});
}

std::uint32_t traced_load::number_of(const std::string& subject) {
  const auto [at, is_new] =
      numbers_.try_emplace(subject, static_cast<std::uint32_t>(files_.size()));
  if (is_new) files_.emplace_back().path = subject;
  return at->second;
}

traced_load::track& traced_load::track_of(const track_id& id) {
  const auto [at, is_new] = tracks_.try_emplace(id);
  if (is_new) at->second.number = static_cast<std::uint32_t>(tracks_.size() - 1);
  return at->second;
}

const traced_load::traced_name& traced_load::name_of(const std::string& name, bool is_wait) {
  const auto [at, is_new] = names_[is_wait ? 1 : 0].try_emplace(name);
  if (is_new) {
    at->second = {at->first.c_str(), builder_.number_of(name, is_wait),
                  is_wait ? std::nullopt : stage_number(name)};
  }
  return at->second;
}

std::string traced_load::last_thread() const {
  const auto found = tracks_.find(last_track_);
  return found == tracks_.end() ? std::string() : found->second.lane.name;
}

void traced_load::finish(ending with) {
  const bool has_stages = last_stage_ns_ > 0 && with == ending::last_stage;
  end_ns_ = marked_end_ ? *marked_end_ : has_stages ? last_stage_ns_ : last_ns_;
  begin_ns_ = marked_begin_ ? *marked_begin_ : first_stage_ns_ == UINT64_MAX ? 0 : first_stage_ns_;
  begin_ns_ = std::min(begin_ns_, end_ns_);
  order_files();
  for (auto& [id, each] : tracks_) {
    if (each.lane.name.empty()) each.lane.name = std::to_string(id.second);
    if (each.has_requests) continue;
    builder_.add_lane({each.lane.name, {}, each.lane.events_lost, std::move(each.lane.spans)},
                      each.number);
  }
  picture_ = builder_.finish(end_ns_, begin_ns_);
}

// As in a tree: by path.
void traced_load::order_files() {
  std::vector<std::uint32_t> order(files_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return files_[a].path < files_[b].path; });
  std::vector<traced_file> ordered;
  ordered.reserve(files_.size());
  std::vector<std::uint32_t> number_of_old(files_.size());
  for (const std::uint32_t old : order) {
    number_of_old[old] = static_cast<std::uint32_t>(ordered.size());
    ordered.push_back(std::move(files_[old]));
  }
  files_ = std::move(ordered);
  const auto renumber = [&](std::uint32_t& number) {
    if (number != no_subject) number = number_of_old[number];
  };
  for (auto& [id, each] : tracks_) {
    for (picture_span& span : each.lane.spans) renumber(span.file);
  }
  builder_.each_read([&](picture_read& read) { renumber(read.file); });
  builder_.each_delay([&](picture_delay& delay) {
    renumber(delay.file);
    renumber(delay.ended_by);
  });
}

load_report traced_load::report_of_trace() const {
  load_report what;
  what.summary.ns = load_ns();
  what.mount_ns = begin_ns_;
  std::vector<thread_sums> threads;
  for (const auto& [id, each] : tracks_) {
    if (each.has_requests) continue;
    thread_sums sums{each.lane.name, {}, each.cpu_ns, each.lane.events_lost};
    for (const auto& [name, total] : each.totals) sums.totals.push_back(total);
    threads.push_back(std::move(sums));
  }
  collect_threads(what, threads, load_ns());
  for (const picture_lane& lane : picture_.lanes) {
    if (lane.kind != lane_kind::background) ++what.threads;
  }
  sum_files(what);
  sum_reads(what);
  sum_types(what);
  find_slowest(what);
  if (what.summary.files == 0 && !marked_begin_) tell_zones(what, picture_);
  return what;
}

void traced_load::sum_files(load_report& what) const {
  std::map<std::string, report_mount> mounts;
  for (const traced_file& each : files_) {
    if (each.stages == 0) continue;
    for (std::size_t i = 0; i < load_stage_count; ++i) {
      stage_summary& stage = what.summary.stages[i];
      stage.ns += each.stage_ns[i];
      stage.bytes += each.stage_bytes[i];
      stage.files += each.stages >> i & 1u;
    }
    ++what.summary.files;
    const std::uint64_t bytes = each.stage_bytes[index_of(load_stage::unpack)];
    what.summary.bytes += bytes;
    what.summary.packed_bytes += each.stage_bytes[index_of(load_stage::read)];
    what.summary.decoded_bytes += each.stage_bytes[index_of(load_stage::decode)];
    if (each.layer.empty()) continue;
    report_mount& mount = mounts[each.layer];
    mount.path = each.layer;
    mount.format = "unknown";
    ++mount.files;
    mount.bytes += bytes;
  }
  for (auto& [path, mount] : mounts) what.mounts.push_back(std::move(mount));
}

void traced_load::sum_reads(load_report& what) const {
  std::vector<std::uint64_t> device_ns;
  read_summary& sum = what.summary.reads;
  for (const picture_read& read : picture_.reads) {
    if (read.is_cached) {
      sum.cached_bytes += read.bytes;
      continue;
    }
    sum.disk_bytes += read.bytes;
    sum.queue_ns += read.served_ns - read.begin_ns;
    sum.device_ns += read.device_ns();
    sum.block_wait_ns += read.block_wait_ns;
    // Of a block that was unpacked already nothing is read.
    if (read.bytes != 0) device_ns.push_back(read.device_ns());
  }
  sum.median_ns = quantile(device_ns, 50);
  sum.p99_ns = quantile(device_ns, 99);
}

void traced_load::sum_types(load_report& what) const {
  std::map<std::string, report_type> types;
  for (const traced_file& each : files_) {
    if (each.stages == 0) continue;
    const std::string name = lower_case(extension(each.path));
    report_type& type = types[name];
    type.extension = name;
    ++type.files;
    type.bytes += each.stage_bytes[index_of(load_stage::unpack)];
    type.decoded_bytes += each.stage_bytes[index_of(load_stage::decode)];
    type.ns += sum_of(each.stage_ns);
  }
  for (auto& [name, type] : types) what.types.push_back(std::move(type));
  std::sort(what.types.begin(), what.types.end(), [](const auto& a, const auto& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.extension < b.extension;
  });
}

void traced_load::find_slowest(load_report& what) const {
  std::vector<const traced_file*> slowest;
  for (const traced_file& each : files_) {
    if (each.stages != 0) slowest.push_back(&each);
  }
  const auto slower = [](const traced_file* a, const traced_file* b) {
    const auto key = [](const traced_file* f) { return sum_of(f->stage_ns) + f->device_ns; };
    return key(a) != key(b) ? key(a) > key(b) : a->path < b->path;
  };
  const std::size_t count = std::min(slow_files_max, slowest.size());
  std::partial_sort(slowest.begin(), slowest.begin() + static_cast<std::ptrdiff_t>(count),
                    slowest.end(), slower);
  slowest.resize(count);
  for (const traced_file* const each : slowest) {
    report_file& row = what.slowest.emplace_back();
    row.path = each->path;
    row.mount = each->layer;
    row.bytes = each->stage_bytes[index_of(load_stage::unpack)];
    row.stage_ns = each->stage_ns;
    row.queued_ns = each->queued_ns;
    row.device_ns = each->device_ns;
  }
}

std::vector<report_row> traced_load::rows_for(const load_report& what) const {
  std::map<std::string_view, std::uint32_t> mounts;
  for (std::size_t i = 0; i < what.mounts.size(); ++i) {
    mounts.emplace(what.mounts[i].path, static_cast<std::uint32_t>(i));
  }
  std::set<std::string_view> failed;
  for (const report_failure& each : what.failures) failed.insert(each.path);
  std::vector<report_row> rows;
  rows.reserve(files_.size());
  for (const traced_file& each : files_) {
    report_row& row = rows.emplace_back();
    row.path = each.path;
    const auto mount = mounts.find(each.layer);
    row.mount = mount == mounts.end() ? report_row::unknown_mount : mount->second;
    // What is not decoded ends there.
    const bool is_done = (each.stages >> index_of(load_stage::unpack)) != 0;
    row.state = failed.contains(each.path) ? file_state::failed
                : is_done                  ? file_state::ready
                                           : file_state::none;
    row.bytes = each.stage_bytes[index_of(load_stage::unpack)];
    if (each.stages != 0) row.began_ns = std::max(each.began_ns, begin_ns_ + 1) - begin_ns_;
    row.stage_ns = each.stage_ns;
    row.device_ns = each.device_ns;
  }
  return rows;
}

}  // namespace overture::report_detail

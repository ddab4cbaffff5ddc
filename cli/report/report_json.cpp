// SPDX-License-Identifier: Zlib
#include "report/report_json.hpp"

#include <fmt/core.h>

#include "overture/base/version.hpp"
#include "report/model/load_advice.hpp"
#include "report/report_model.hpp"
#include "terminal/json_output.hpp"
#include "terminal/units.hpp"

namespace overture::cli {

namespace {

constexpr int report_schema = 1;  // increments when a field is removed or changes its meaning

const char* stage_name(std::size_t stage) {
  return to_string(static_cast<load_stage>(stage));
}

json stage_seconds(const stage_times& times) {
  json object = json::object();
  for (std::size_t i = 0; i < load_stage_count; ++i) object.set(stage_name(i), seconds(times[i]));
  return object;
}

json stages(const load_summary& summary) {
  json object = json::object();
  for (std::size_t i = 0; i < load_stage_count; ++i) {
    const stage_summary& stage = summary.stages[i];
    object.set(stage_name(i),
               {{"seconds", seconds(stage.ns)}, {"bytes", stage.bytes}, {"files", stage.files}});
  }
  return object;
}

json reads(const read_summary& summary) {
  return {{"disk_bytes", summary.disk_bytes},
          {"cached_bytes", summary.cached_bytes},
          {"queue_seconds", seconds(summary.queue_ns)},
          {"device_seconds", seconds(summary.device_ns)},
          {"block_wait_seconds", seconds(summary.block_wait_ns)},
          {"median_seconds", seconds(summary.median_ns)},
          {"p99_seconds", seconds(summary.p99_ns)}};
}

json waits(const report_verdict& verdict) {
  json object = json::object();
  for (const report_share& share : verdict.shares) {
    if (share.waiting) object.set(share.name, seconds(share.ns));
  }
  return object;
}

json verdict_shares(const report_verdict& verdict) {
  json list = json::array();
  for (const report_share& share : verdict.shares) {
    const double whole = static_cast<double>(verdict.worker_ns);
    list.push_back({{"name", share.name},
                    {"waiting", share.waiting},
                    {"seconds", seconds(share.ns)},
                    {"share", whole > 0 ? static_cast<double>(share.ns) / whole : 0}});
  }
  return list;
}

json mounts(const report& what) {
  json list = json::array();
  for (const report_mount& mount : what.mounts) {
    list.push_back({{"path", mount.path},
                    {"format", mount.format},
                    {"entries", mount.entries},
                    {"files", mount.files},
                    {"failed", mount.failed},
                    {"bytes", mount.bytes},
                    {"hidden", mount.hidden},
                    {"skipped", mount.skipped},
                    {"mount_seconds", seconds(mount.mount_ns)},
                    {"blocks", mount.blocks},
                    {"block_seconds", seconds(mount.block_ns)}});
  }
  return list;
}

json types(const report& what) {
  json list = json::array();
  for (const report_type& type : what.types) {
    list.push_back({{"extension", type.extension},
                    {"files", type.files},
                    {"failed", type.failed},
                    {"bytes", type.bytes},
                    {"decoded_bytes", type.decoded_bytes},
                    {"what", type.what},
                    {"seconds", seconds(type.ns)}});
  }
  return list;
}

json cores(const report& what) {
  json list = json::array();
  for (const report_thread& thread : what.threads_used) {
    list.push_back({{"name", thread.name},
                    {"worker", thread.is_worker},
                    {"busy_seconds", seconds(thread.busy_ns())},
                    {"waiting_seconds", seconds(thread.waiting_ns)},
                    {"cpu_seconds", seconds(thread.cpu_ns)},
                    {"stages", stage_seconds(thread.stage_ns)},
                    {"events_lost", thread.events_lost}});
  }
  return list;
}

json slowest(const report& what) {
  json list = json::array();
  for (const report_file& file : what.slowest) {
    list.push_back(
        {{"path", file.path},
         {"mount", file.mount},
         {"bytes", file.bytes},
         {"seconds", seconds(file.total_ns())},
         {"queued_seconds", seconds(file.queued_ns)},
         {"device_seconds", seconds(file.device_ns)},
         {"block_wait_seconds", seconds(file.block_wait_ns)},
         {"width", file.width},
         {"height", file.height},
         {"sample_rate", file.sample_rate},
         {"sound_seconds", file.sample_rate > 0 ? static_cast<double>(file.sound_frames) /
                                                      static_cast<double>(file.sample_rate)
                                                : 0.0},
         {"stages", stage_seconds(file.stage_ns)}});
  }
  return list;
}

json overrides(const report& what) {
  json list = json::array();
  for (const report_override& file : what.overrides) {
    list.push_back({{"path", file.path}, {"winner", file.winner}, {"loser", file.loser}});
  }
  return list;
}

json group(const report_group& of) {
  return {{"files", of.files},
          {"decode_seconds", seconds(of.decode_ns)},
          {"decoded_bytes", of.decoded_bytes},
          {"slowest", {{"path", of.slowest}, {"decode_seconds", seconds(of.slowest_ns)}}}};
}

json changes(const std::vector<advice>& list) {
  json changes = json::array();
  for (const advice& each : list) {
    changes.push_back(
        {{"sentence", each.sentence}, {"path", each.path}, {"seconds", seconds(each.gain_ns)}});
  }
  return changes;
}

json in_flight(const load_summary& summary) {
  json object = json::object();
  for (std::size_t tag = 0; tag < memory_tag_count; ++tag) {
    const std::uint64_t bytes = summary.in_flight_by_module[tag];
    if (bytes != 0) object.set(to_string(static_cast<memory_tag>(tag)), bytes);
  }
  return object;
}

json memory(const report& what) {
  json object = json::object();
  for (const report_memory& module : what.memory) object.set(module.module, module.peak_bytes);
  object.set("total", what.memory_peak_bytes);
  return object;
}

json taken(const spread& times) {
  return {{"median", seconds(times.median_ns)},
          {"least", seconds(times.least_ns)},
          {"most", seconds(times.most_ns)}};
}

json repeats(const report& what) {
  json times = json::object();
  for (const report_time& time : times_of(what.repeats)) times.set(time.name, taken(time.taken));
  return {
      {"loads", what.repeats.loads}, {"seconds", times}, {"measures", measures_json(what.repeats)}};
}

json compared(const report& what) {
  if (!what.baseline) return nullptr;
  json times = json::object();
  for (const report_comparison& time : what.baseline->times) {
    times.set(time.name,
              {{"was", taken(time.was)}, {"now", taken(time.now)}, {"slower", time.slower}});
  }
  return {{"file", what.baseline->file},
          {"slower", what.baseline->slower},
          {"differences", what.baseline->differences},
          {"seconds", times}};
}

json kept(const report& what) {
  const kept_total total = what.kept.value_or(kept_total{});
  json kinds = json::object();
  for (std::size_t i = 0; i < asset_kind_count; ++i) {
    const kept_kind& kind = total.kinds[i];
    if (kind.files == 0) continue;
    const auto which = static_cast<asset_kind>(i);
    kinds.set(which == asset_kind::none ? "undecoded" : to_string(which),
              {{"files", kind.files}, {"bytes", kind.bytes}});
  }
  return {{"files", total.files}, {"bytes", total.bytes}, {"kinds", kinds}};
}

}  // namespace

json failures_json(const report& what) {
  json list = json::array();
  for (const report_failure& failure : what.failures) {
    list.push_back({{"path", failure.path},
                    {"mount", failure.mount},
                    {"stage", failure.stage},
                    {"code", failure.code},
                    {"reason", failure.reason}});
  }
  return list;
}

json warnings_json(const std::vector<report_warning>& warnings) {
  json list = json::array();
  for (const report_warning& warning : warnings) {
    list.push_back({{"path", warning.path},
                    {"mount", warning.mount},
                    {"reason", warning.reason},
                    {"offset", warning.offset}});
  }
  return list;
}

json mount_failures_json(const report& what) {
  json list = json::array();
  for (const report_failure& failure : what.mount_failures) {
    list.push_back({{"path", failure.path},
                    {"mount", failure.mount},
                    {"code", failure.code},
                    {"reason", failure.reason}});
  }
  return list;
}

json skipped_json(const std::vector<report_skipped>& names) {
  json list = json::array();
  for (const report_skipped& name : names) {
    list.push_back({{"mount", name.mount}, {"name", name.name}, {"reason", name.reason}});
  }
  return list;
}

std::string report_json(const report& what) {
  const load_summary& summary = what.summary;
  const std::vector<advice> list = load_advice(what);
  const json object = {
      {"schema", report_schema},
      {"version", version},
      {"verdict", verdict_sentence(what)},
      {"interrupted", what.interrupted},
      {"files", summary.files},
      {"failed", summary.failed},
      {"cancelled", summary.cancelled},
      {"warnings", summary.warnings},
      {"skipped", what.skipped.size()},
      {"overridden", what.overrides.size()},
      {"bytes", summary.bytes},
      {"packed_bytes", summary.packed_bytes},
      {"decoded_bytes", summary.decoded_bytes},
      {"hash", hash_text(what)},
      {"seconds", seconds(summary.ns)},
      {"mount_seconds", seconds(what.mount_ns)},
      {"time", load_time_text(what)},
      {"threads", what.threads},
      {"io_threads", what.io_threads},
      {"first_wins", what.first_wins},
      {"tells_page_cache", what.tells_page_cache},
      {"bound", what.verdict.name},
      {"verdict_shares", verdict_shares(what.verdict)},
      {"stages", stages(summary)},
      {"reads", reads(summary.reads)},
      {"waits", waits(what.verdict)},
      {"cores", cores(what)},
      {"mounts", mounts(what)},
      {"types", types(what)},
      {"slowest", slowest(what)},
      {"overrides", overrides(what)},
      {"failures", failures_json(what)},
      {"mount_failures", mount_failures_json(what)},
      {"file_warnings", warnings_json(what.warnings)},
      {"skipped_names", skipped_json(what.skipped)},
      {"hints", what.hints},
      {"noise", noise_sentence(what)},
      {"missing", what.missing},
      {"memory", memory(what)},
      {"long_sounds", group(what.long_sounds)},
      {"images", group(what.images)},
      {"deflated",
       {{"files", what.deflated.files}, {"unpack_seconds", seconds(what.deflated.unpack_ns)}}},
      {"advice", sentences_of(list)},
      {"changes", changes(list)},
      {"budget_bytes", what.budget_bytes},
      {"largest",
       {{"path", what.largest.path},
        {"bytes", what.largest.total()},
        {"packed_bytes", what.largest.packed_bytes},
        {"decoded_bytes", what.largest.decoded_bytes}}},
      {"in_flight_bytes_max", summary.in_flight_bytes_max},
      {"in_flight_by_module", in_flight(summary)},
      {"kept", kept(what)},
      {"repeats", repeats(what)},
      {"baseline", compared(what)},
      {"exceeded", what.exceeded},
  };
  return json_text(object);
}

}  // namespace overture::cli

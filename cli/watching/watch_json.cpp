// SPDX-License-Identifier: Zlib
#include "report/repeats.hpp"
#include "terminal/json_output.hpp"
#include "watch/model/tables.hpp"
#include "watching/watch_report.hpp"

namespace overture::cli {

namespace {

using watch::call_sites;
using watch::code_row;
using watch::code_rows;
using watch::file_use;
using watch::finding;
using watch::load_view;
using watch::lock_row;
using watch::lock_rows;
using watch::site_row;
using watch::thread_row;
using watch::thread_rows;
using watch::watched_process;

json finding_json(const finding& each) {
  return {{"kind", watch::to_string(each.kind)},
          {"ns", each.ns},
          {"what", each.what},
          {"evidence", each.evidence},
          {"advice", each.advice}};
}

json gain_json(const watch::gain& each) {
  return {{"kind", watch::to_string(each.kind)},
          {"ns", each.ns ? json(*each.ns) : json()},
          {"what", each.what},
          {"basis", each.basis}};
}

json files_json(const load_view& view) {
  json list = json::array();
  for (const file_use& each : view.files) {
    list.push_back({{"path", view.process.name(each.name)},
                    {"first_ns", each.first_ns},
                    {"opens", each.opens},
                    {"misses", each.misses},
                    {"look_ups", each.look_ups},
                    {"lists", each.lists},
                    {"entries", each.entries},
                    {"reads", each.reads},
                    {"tiny_reads", each.tiny_reads},
                    {"bytes", each.bytes},
                    {"bytes_again", each.again_bytes},
                    {"bytes_written", each.written_bytes},
                    {"open_ns", each.open_ns},
                    {"read_ns", each.read_ns},
                    {"look_up_ns", each.look_up_ns},
                    {"list_ns", each.list_ns},
                    {"write_ns", each.write_ns}});
  }
  return list;
}

json locks_json(const load_view& view) {
  json list = json::array();
  for (const lock_row& each : lock_rows(view)) {
    list.push_back({{"address", each.address},
                    {"waits", each.waits},
                    {"ns", each.ns},
                    {"threads", each.threads},
                    {"place", view.process.place_of(each.caller)}});
  }
  return list;
}

json sites_json(const load_view& view) {
  json list = json::array();
  for (const site_row& each : call_sites(view)) {
    list.push_back({{"place", view.process.place_of(each.caller)},
                    {"what", each.what},
                    {"waits", each.is_wait},
                    {"calls", each.calls},
                    {"ns", each.ns}});
  }
  return list;
}

json threads_json(const load_view& view) {
  json list = json::array();
  for (const thread_row& each : thread_rows(view.process)) {
    json row = {{"name", each.name}, {"life_ns", each.life_ns}, {"wait_ns", each.wait_ns}};
    const bool known = each.is_known;
    row.set("core_ns", known ? json(each.core_ns) : json());
    row.set("queued_ns", known ? json(each.queued_ns) : json());
    row.set("unknown_ns", known ? json(each.unknown_ns) : json());
    list.push_back(std::move(row));
  }
  return list;
}

json code_json(const load_view& view) {
  json list = json::array();
  for (const code_row& each : code_rows(view)) {
    list.push_back(
        {{"code", each.place}, {"main_ns", each.main_ns}, {"others_ns", each.others_ns}});
  }
  return list;
}

json repeats_json(const watch_repeats& of) {
  json runs = json::array();
  for (const run_mark& each : of.runs) {
    runs.push_back({{"ns", each.ns}, {"ends_with", each.name}});
  }
  const spread times = of.times();
  return {{"loads", of.samples.loads},
          {"cold", of.samples.is_cold},
          {"shown", of.shown},
          {"median_ns", times.median_ns},
          {"least_ns", times.least_ns},
          {"most_ns", times.most_ns},
          {"runs", runs},
          {"measures", measures_json(of.samples)}};
}

json machine_json(const watched_machine& of) {
  return {{"processors", of.processors},
          {"processor", of.processor},
          {"system", of.system},
          {"date", of.date}};
}

}  // namespace

std::string watch_json(const watch_report& what) {
  const std::optional<std::uint64_t> device = device_bytes(what.view.process);
  const load_view& view = what.view;
  const watched_process& process = view.process;
  json list = json::array();
  for (const finding& each : what.findings) list.push_back(finding_json(each));
  json gains = json::array();
  for (const watch::gain& each : what.gains) gains.push_back(gain_json(each));
  const auto& frame = view.span.first_frame_ns;
  return json_text({{"overture_watch", 1},
                    {"program", process.program},
                    {"verdict", watch::verdict_of(view)},
                    {"load_ns", view.end_ns()},
                    {"load_ends_with", name_of(view.span.how)},
                    {"first_frame_ns", frame ? json(*frame) : json()},
                    {"frames", view.span.frames},
                    {"main_ns", process.main_ns ? json(*process.main_ns) : json()},
                    {"run_ns", process.end_ns},
                    {"lost_events", process.lost_events},
                    {"lost_names", process.lost_names},
                    {"machine", machine_json(what.machine)},
                    {"device_bytes", device ? json(*device) : json()},
                    {"repeats", repeats_json(what.repeats)},
                    {"findings", list},
                    {"gains", gains},
                    {"limits", watch::limits_of(view)},
                    {"threads", threads_json(view)},
                    {"locks", locks_json(view)},
                    {"call_sites", sites_json(view)},
                    {"sample_ns", process.sample_ns},
                    {"code", code_json(view)},
                    {"files", files_json(view)}});
}

}  // namespace overture::cli

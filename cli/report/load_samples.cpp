// SPDX-License-Identifier: Zlib
#include "report/load_samples.hpp"

#include <algorithm>
#include <utility>

#include "report/repeats.hpp"
#include "report/report_model.hpp"
#include "terminal/units.hpp"

namespace overture::cli {

namespace {

constexpr std::size_t files_max = 50;
constexpr const char* kind_names[measure_kind_count] = {"load", "stage",   "cpu",  "wait", "mount",
                                                        "type", "finding", "file", "bytes"};

double sum_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double each : values) sum += each;
  return sum;
}

std::uint64_t work_of(const report_row& file) {
  std::uint64_t ns = 0;
  for (const std::uint64_t each : file.stage_ns) ns += each;
  return ns;
}

// Without the files that take little in all loads.
void keep_slowest_files(std::vector<measure>& measures) {
  const auto files = std::find_if(measures.begin(), measures.end(), [](const measure& each) {
    return each.kind == measure_kind::file;
  });
  const auto end = std::find_if(
      files, measures.end(), [](const measure& each) { return each.kind != measure_kind::file; });
  std::sort(files, end, [](const measure& a, const measure& b) {
    const double first = sum_of(a.values);
    const double second = sum_of(b.values);
    return first != second ? first > second : a.name < b.name;
  });
  if (static_cast<std::size_t>(end - files) > files_max) {
    measures.erase(files + static_cast<std::ptrdiff_t>(files_max), end);
  }
}

}  // namespace

const char* to_string(measure_kind kind) {
  return kind_names[static_cast<std::size_t>(kind)];
}

std::optional<measure_kind> measure_kind_of(std::string_view name) {
  for (std::size_t i = 0; i < measure_kind_count; ++i) {
    if (name == kind_names[i]) return static_cast<measure_kind>(i);
  }
  return {};
}

const measure* load_samples::find(measure_kind kind, std::string_view name) const {
  for (const measure& each : measures) {
    if (each.kind == kind && each.name == name) return &each;
  }
  return nullptr;
}

void sample_collector::add_value(measure_kind kind, const std::string& name, double value) {
  std::vector<double>& values = values_[{kind, name}];
  values.resize(loads_ + 1);
  values.back() += value;
}

void sample_collector::add(const report& load) {
  const auto in_load = [this](const char* name, double value) {
    add_value(measure_kind::load, name, value);
  };
  in_load("load", seconds(load.summary.ns));
  in_load("mount", seconds(load.mount_ns));
  std::uint64_t cpu_ns = 0;
  for (const report_thread& thread : load.threads_used) cpu_ns += thread.cpu_ns;
  in_load("processor", seconds(cpu_ns));
  std::uint64_t waiting_ns = 0;
  for (const report_share& share : load.verdict.shares) {
    if (!share.waiting) continue;
    waiting_ns += share.ns;
    add_value(measure_kind::wait, share.name, seconds(share.ns));
  }
  in_load("waiting", seconds(waiting_ns));
  in_load("threads", seconds(load.verdict.worker_ns));
  for (std::size_t stage = 0; stage < load_stage_count; ++stage) {
    add_value(measure_kind::stage, to_string(static_cast<load_stage>(stage)),
              seconds(load.summary.stages[stage].ns));
  }
  for (std::size_t stage = 0; stage < load_stage_count; ++stage) {
    std::uint64_t ns = 0;
    for (const report_thread& thread : load.threads_used) ns += thread.stage_cpu_ns[stage];
    if (ns == 0) continue;  // not measured, or not by this system
    add_value(measure_kind::cpu, to_string(static_cast<load_stage>(stage)), seconds(ns));
  }
  for (const report_type& type : load.types) {
    add_value(measure_kind::type, type.extension, seconds(type.ns));
  }
  for (const report_row& file : load.files) {
    add_value(measure_kind::file, file.path, seconds(work_of(file) + file.device_ns));
    if (file.mount < load.mounts.size()) {
      add_value(measure_kind::mount, load.mounts[file.mount].path, seconds(work_of(file)));
    }
  }
  const auto in_bytes = [this](const char* name, std::uint64_t value) {
    add_value(measure_kind::bytes, name, static_cast<double>(value));
  };
  in_bytes("peak memory", load.memory_peak_bytes);
  in_bytes("from disk", load.summary.reads.disk_bytes);
  in_bytes("from cache", load.summary.reads.cached_bytes);
  end_load();
  hash_ = hash_text(load);
  threads_ = load.threads;
}

load_samples sample_collector::finish() const {
  load_samples samples{.loads = loads_, .hash = hash_, .threads = threads_};
  for (const auto& [key, values] : values_) {
    samples.measures.push_back({key.first, key.second, values});
    samples.measures.back().values.resize(loads_);
  }
  keep_slowest_files(samples.measures);
  return samples;
}

std::vector<report_time> times_of(const load_samples& samples) {
  std::vector<report_time> times;
  const auto add = [&](measure_kind kind, const char* name) {
    if (const measure* const found = samples.find(kind, name)) {
      times.push_back({name, spread_of(found->values)});
    }
  };
  add(measure_kind::load, "load");
  add(measure_kind::load, "mount");
  for (std::size_t stage = 0; stage < load_stage_count; ++stage) {
    add(measure_kind::stage, to_string(static_cast<load_stage>(stage)));
  }
  return times;
}

json measures_json(const load_samples& samples) {
  json list = json::array();
  for (const measure& each : samples.measures) {
    json values = json::array();
    for (const double value : each.values) values.push_back(value);
    list.push_back({{"kind", to_string(each.kind)}, {"name", each.name}, {"values", values}});
  }
  return list;
}

}  // namespace overture::cli

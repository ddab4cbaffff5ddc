// SPDX-License-Identifier: Zlib
#include "report/report_read.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "report/samples_file.hpp"
#include "terminal/display.hpp"

namespace overture::cli {

namespace {

using json_value = nlohmann::ordered_json;

constexpr double read_seconds_max = 1e7;  // a hundred days
constexpr std::uint64_t read_threads_max = 1u << 16;

// Where a text is not what it should be.
struct report_mistake {
  std::string what;
};

// One object. What is missing stays as it is in a report of nothing: it is of an older version.
class row_reader {
 public:
  explicit row_reader(const json_value& from, std::string name = {})
      : from_(from), name_(std::move(name)) {
    if (!from.is_object()) throw report_mistake{fmt::format("'{}' is no object", name_)};
  }

  void read(const char* name, bool& into) const {
    const json_value* const found = find(name);
    if (!found) return;
    if (!found->is_boolean()) wrong(name, "is neither true nor false");
    into = found->get<bool>();
  }
  template <std::unsigned_integral Number>
    requires(!std::same_as<Number, bool>)
  void read(const char* name, Number& into, std::uint64_t most = UINT64_MAX) const {
    const json_value* const found = find(name);
    if (!found) return;
    if (!found->is_number_unsigned() || found->get<std::uint64_t>() > most) {
      wrong(name, "is no number that it can be");
    }
    into = static_cast<Number>(found->get<std::uint64_t>());
  }
  void read_seconds(const char* name, std::uint64_t& into) const {
    if (const json_value* const found = find(name)) into = ns_of(*found, name);
  }
  // What a file is called: it may have any characters.
  void read(const char* name, std::string& into) const {
    const json_value* const found = find(name);
    if (!found) return;
    if (!found->is_string()) wrong(name, "is no text");
    into = found->get<std::string>();
  }
  // One of Overture's own words, which are shown as they are.
  void read_word(const char* name, std::string& into) const {
    read(name, into);
    into = printable(into);
  }
  template <class Take>
  void each_in(const char* name, Take take) const {
    const json_value* const found = find(name);
    if (!found) return;
    if (!found->is_array()) wrong(name, "is no list");
    for (const json_value& each : *found) take(each);
  }
  template <class Take>
  void each_row(const char* name, Take take) const {
    each_in(name, [&](const json_value& each) { take(row_reader(each, name)); });
  }
  template <class Take>
  void read_object(const char* name, Take take) const {
    const json_value* const found = find(name);
    if (found && !found->is_null()) take(row_reader(*found, name));
  }
  template <class Take>
  void each_member(Take take) const {
    for (const auto& [name, each] : from_.items()) take(name, each);
  }
  [[nodiscard]] bool has(const char* name) const { return from_.contains(name); }

  [[nodiscard]] std::uint64_t ns_of(const json_value& from, std::string_view name) const {
    const double seconds = from.is_number() ? from.get<double>() : -1;
    const bool is_time = seconds >= 0 && seconds <= read_seconds_max;
    if (!is_time) wrong(name, "is no time");
    return static_cast<std::uint64_t>(std::llround(seconds * 1e9));
  }
  [[noreturn]] void wrong(std::string_view name, const char* how) const {
    throw report_mistake{name_.empty()
                             ? fmt::format("'{}' {}", printable(name), how)
                             : fmt::format("'{}' in '{}' {}", printable(name), name_, how)};
  }

 private:
  [[nodiscard]] const json_value* find(const char* name) const {
    const auto found = from_.find(name);
    return found == from_.end() ? nullptr : &*found;
  }

  const json_value& from_;
  std::string name_;
};

std::optional<std::size_t> stage_named(std::string_view name) {
  for (std::size_t i = 0; i < load_stage_count; ++i) {
    if (name == to_string(static_cast<load_stage>(i))) return i;
  }
  return {};
}

std::optional<std::size_t> module_named(std::string_view name) {
  for (std::size_t i = 0; i < memory_tag_count; ++i) {
    if (name == to_string(static_cast<memory_tag>(i))) return i;
  }
  return {};
}

void read_stages(const row_reader& from, stage_times& into) {
  from.read_object("stages", [&](const row_reader& stages) {
    stages.each_member([&](const std::string& name, const json_value& each) {
      if (const auto stage = stage_named(name)) into[*stage] = stages.ns_of(each, name);
    });
  });
}

void read_summary_of(const row_reader& from, load_summary& into) {
  from.read("files", into.files);
  from.read("failed", into.failed);
  from.read("cancelled", into.cancelled);
  from.read("warnings", into.warnings);
  from.read("bytes", into.bytes);
  from.read("packed_bytes", into.packed_bytes);
  from.read("decoded_bytes", into.decoded_bytes);
  from.read("in_flight_bytes_max", into.in_flight_bytes_max);
  from.read_seconds("seconds", into.ns);
  std::string hash;
  from.read("hash", hash);
  (void)std::from_chars(hash.data(), hash.data() + hash.size(), into.hash, 16);
  from.read_object("stages", [&](const row_reader& stages) {
    stages.each_member([&](const std::string& name, const json_value& each) {
      const auto stage = stage_named(name);
      if (!stage) return;
      const row_reader row(each, name);
      row.read_seconds("seconds", into.stages[*stage].ns);
      row.read("bytes", into.stages[*stage].bytes);
      row.read("files", into.stages[*stage].files);
    });
  });
  from.read_object("reads", [&](const row_reader& reads) {
    reads.read("disk_bytes", into.reads.disk_bytes);
    reads.read("cached_bytes", into.reads.cached_bytes);
    reads.read_seconds("queue_seconds", into.reads.queue_ns);
    reads.read_seconds("device_seconds", into.reads.device_ns);
    reads.read_seconds("block_wait_seconds", into.reads.block_wait_ns);
    reads.read_seconds("median_seconds", into.reads.median_ns);
    reads.read_seconds("p99_seconds", into.reads.p99_ns);
  });
  from.read_object("in_flight_by_module", [&](const row_reader& modules) {
    modules.each_member([&](const std::string& name, const json_value&) {
      if (const auto tag = module_named(name)) {
        modules.read(name.c_str(), into.in_flight_by_module[*tag]);
      }
    });
  });
}

void read_verdict(const row_reader& from, report_verdict& into) {
  from.read_word("bound", into.name);
  from.each_row("verdict_shares", [&](const row_reader& row) {
    report_share share;
    row.read_word("name", share.name);
    row.read("waiting", share.waiting);
    row.read_seconds("seconds", share.ns);
    into.worker_ns += share.ns;  // they add up
    into.shares.push_back(std::move(share));
  });
}

void read_mounts_and_types(const row_reader& from, report& into) {
  from.each_row("mounts", [&](const row_reader& row) {
    report_mount& mount = into.mounts.emplace_back();
    row.read("path", mount.path);
    row.read_word("format", mount.format);
    row.read("entries", mount.entries);
    row.read("files", mount.files);
    row.read("failed", mount.failed);
    row.read("bytes", mount.bytes);
    row.read("hidden", mount.hidden);
    row.read("skipped", mount.skipped);
    row.read_seconds("mount_seconds", mount.mount_ns);
    row.read("blocks", mount.blocks);
    row.read_seconds("block_seconds", mount.block_ns);
  });
  from.each_row("types", [&](const row_reader& row) {
    report_type& type = into.types.emplace_back();
    row.read("extension", type.extension);
    row.read("files", type.files);
    row.read("failed", type.failed);
    row.read("bytes", type.bytes);
    row.read("decoded_bytes", type.decoded_bytes);
    row.read_word("what", type.what);
    row.read_seconds("seconds", type.ns);
  });
}

void read_threads(const row_reader& from, report& into) {
  from.each_row("cores", [&](const row_reader& row) {
    report_thread& thread = into.threads_used.emplace_back();
    row.read("name", thread.name);
    row.read("worker", thread.is_worker);
    row.read_seconds("waiting_seconds", thread.waiting_ns);
    row.read_seconds("cpu_seconds", thread.cpu_ns);
    row.read("events_lost", thread.events_lost);
    read_stages(row, thread.stage_ns);
  });
}

void read_slowest(const row_reader& from, report& into) {
  from.each_row("slowest", [&](const row_reader& row) {
    report_file& file = into.slowest.emplace_back();
    row.read("path", file.path);
    row.read("mount", file.mount);
    row.read("bytes", file.bytes);
    row.read_seconds("queued_seconds", file.queued_ns);
    row.read_seconds("device_seconds", file.device_ns);
    row.read_seconds("block_wait_seconds", file.block_wait_ns);
    row.read("width", file.width, UINT32_MAX);
    row.read("height", file.height, UINT32_MAX);
    row.read("sample_rate", file.sample_rate, UINT32_MAX);
    read_stages(row, file.stage_ns);
    std::uint64_t sound_ns = 0;
    row.read_seconds("sound_seconds", sound_ns);
    file.sound_frames = static_cast<std::uint64_t>(
        std::llround(static_cast<double>(sound_ns) / 1e9 * file.sample_rate));
  });
}

report_failure failure_from(const row_reader& row, const char* stage) {
  report_failure failure;
  failure.stage = stage;
  row.read("path", failure.path);
  row.read("mount", failure.mount);
  row.read_word("stage", failure.stage);
  row.read_word("code", failure.code);
  row.read("reason", failure.reason);
  return failure;
}

void read_lists(const row_reader& from, report& into) {
  from.each_row("failures",
                [&](const row_reader& row) { into.failures.push_back(failure_from(row, "")); });
  from.each_row("mount_failures", [&](const row_reader& row) {
    into.mount_failures.push_back(failure_from(row, "mount"));
  });
  from.each_row("overrides", [&](const row_reader& row) {
    report_override& file = into.overrides.emplace_back();
    row.read("path", file.path);
    row.read("winner", file.winner);
    row.read("loser", file.loser);
  });
  from.each_row("file_warnings", [&](const row_reader& row) {
    report_warning& warning = into.warnings.emplace_back();
    row.read("path", warning.path);
    row.read("mount", warning.mount);
    row.read("reason", warning.reason);
    row.read("offset", warning.offset);
  });
  from.each_row("skipped_names", [&](const row_reader& row) {
    report_skipped& name = into.skipped.emplace_back();
    row.read("mount", name.mount);
    row.read("name", name.name);
    row.read("reason", name.reason);
  });
  const auto sentences = [&](const char* name, std::vector<std::string>& list) {
    from.each_in(name, [&](const json_value& each) {
      if (!each.is_string()) from.wrong(name, "has more than sentences");
      list.push_back(printable(each.get<std::string>()));
    });
  };
  sentences("hints", into.hints);
  sentences("missing", into.missing);
}

void read_memory(const row_reader& from, report& into) {
  from.read_object("memory", [&](const row_reader& modules) {
    modules.each_member([&](const std::string& name, const json_value&) {
      std::uint64_t bytes = 0;
      modules.read(name.c_str(), bytes);
      if (name == "total") {
        into.memory_peak_bytes = bytes;
      } else {
        into.memory.push_back({name, bytes});
      }
    });
  });
  from.read("budget_bytes", into.budget_bytes);
  from.read_object("largest", [&](const row_reader& row) {
    report_need& need = into.largest;
    row.read("path", need.path);
    row.read("packed_bytes", need.packed_bytes);
    row.read("decoded_bytes", need.decoded_bytes);
    std::uint64_t all = 0;
    row.read("bytes", all);
    const std::uint64_t others = need.packed_bytes + need.decoded_bytes;
    need.bytes = all - std::min(all, others);
  });
}

void read_groups(const row_reader& from, report& into) {
  const auto group = [&](const char* name, report_group& files) {
    from.read_object(name, [&](const row_reader& row) {
      row.read("files", files.files);
      row.read_seconds("decode_seconds", files.decode_ns);
      row.read("decoded_bytes", files.decoded_bytes);
      row.read_object("slowest", [&](const row_reader& slowest) {
        slowest.read("path", files.slowest);
        slowest.read_seconds("decode_seconds", files.slowest_ns);
      });
    });
  };
  group("long_sounds", into.long_sounds);
  group("images", into.images);
  from.read_object("deflated", [&](const row_reader& row) {
    row.read("files", into.deflated.files);
    row.read_seconds("unpack_seconds", into.deflated.unpack_ns);
  });
  from.read_object("kept", [&](const row_reader& row) {
    kept_total total;
    row.read("files", total.files);
    row.read("bytes", total.bytes);
    row.read_object("kinds", [&](const row_reader& kinds) {
      for (std::size_t i = 0; i < asset_kind_count; ++i) {
        const auto which = static_cast<asset_kind>(i);
        kinds.read_object(which == asset_kind::none ? "undecoded" : to_string(which),
                          [&](const row_reader& kind) {
                            kind.read("files", total.kinds[i].files);
                            kind.read("bytes", total.kinds[i].bytes);
                          });
      }
    });
    if (total.files > 0) into.kept = total;
  });
}

spread spread_of_row(const row_reader& row) {
  spread times;
  row.read_seconds("median", times.median_ns);
  row.read_seconds("least", times.least_ns);
  row.read_seconds("most", times.most_ns);
  return times;
}

void read_comparisons(const row_reader& from, report& into) {
  from.read_object("baseline", [&](const row_reader& row) {
    report_baseline& old = into.baseline.emplace();
    row.read("file", old.file);
    row.read("slower", old.slower);
    row.each_in("differences", [&](const json_value& each) {
      if (each.is_string()) old.differences.push_back(printable(each.get<std::string>()));
    });
    row.read_object("seconds", [&](const row_reader& times) {
      times.each_member([&](const std::string& name, const json_value& each) {
        const row_reader time(each, name);
        report_comparison& compared = old.times.emplace_back();
        compared.name = printable(name);
        time.read("slower", compared.slower);
        time.read_object("was", [&](const row_reader& was) { compared.was = spread_of_row(was); });
        time.read_object("now", [&](const row_reader& now) { compared.now = spread_of_row(now); });
      });
    });
  });
  from.each_in("exceeded", [&](const json_value& each) {
    if (each.is_string()) into.exceeded.push_back(printable(each.get<std::string>()));
  });
}

report report_from(const row_reader& from) {
  std::uint64_t schema = 0;
  from.read("schema", schema);
  if (schema != 1)
    throw report_mistake{fmt::format("its schema is {}, and this version reads 1", schema)};
  for (const char* const name : {"seconds", "threads", "verdict_shares", "stages"}) {
    if (!from.has(name)) throw report_mistake{fmt::format("it has no '{}'", name)};
  }
  report what;
  from.read("interrupted", what.interrupted);
  from.read("first_wins", what.first_wins);
  from.read("threads", what.threads, read_threads_max);
  from.read("io_threads", what.io_threads, read_threads_max);
  from.read_seconds("mount_seconds", what.mount_ns);
  from.read("tells_page_cache", what.tells_page_cache);
  read_summary_of(from, what.summary);
  read_verdict(from, what.verdict);
  read_mounts_and_types(from, what);
  read_threads(from, what);
  read_slowest(from, what);
  read_lists(from, what);
  read_memory(from, what);
  read_groups(from, what);
  read_comparisons(from, what);
  return what;
}

}  // namespace

std::variant<report, std::string> parse_report(std::string_view text) {
  const auto object = json_value::parse(text, nullptr, false);
  if (object.is_discarded()) return std::string("it is no whole JSON: it is damaged, or was cut");
  try {
    report what = report_from(row_reader(object));
    if (std::optional<load_samples> samples = samples_of(object)) {
      what.repeats = std::move(*samples);
    }
    return what;
  } catch (const report_mistake& found) {
    return found.what;
  }
}

}  // namespace overture::cli

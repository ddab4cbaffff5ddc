// SPDX-License-Identifier: Zlib
#include "report/model/collect.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "overture/base/path.hpp"
#include "report/model/undecoded.hpp"
#include "report/words/printable.hpp"

namespace overture::report_detail {

namespace {

constexpr std::size_t slowest_max = 10;

std::uint64_t work_of(const loaded_file& file) {
  std::uint64_t sum = 0;
  for (const std::uint64_t ns : file.stage_ns) sum += ns;
  return sum;
}

// What macOS keeps beside files is named after them.
std::string type_of(const loaded_file& file, const entry_info& entry) {
  if (file.decoder && std::string_view(file.decoder) == "appledouble")
    return "AppleDouble of macOS";
  return lower_case(extension(entry.path));
}

// Builds the per-file parts of a report in one pass over all files.
class file_collector {
 public:
  file_collector(const file_system& files, load_report& what, const collect_options& options)
      : files_(files), what_(what), options_(options) {}

  void add_mounts() {
    for (std::size_t i = 0; i < files_.mount_count(); ++i) {
      const mount_info mount = files_.mount_at(i);
      row_of_[mount.id.value] = i;
      report_mount row;
      row.path = mount.path;
      row.format = to_string(mount.format);
      row.entries = mount.entries;
      row.skipped = mount.skipped;
      what_.mounts.push_back(row);
    }
  }

  void add(const loaded_file& file) {
    const entry_info entry = files_.entry(file.entry);
    const std::size_t row = row_of_.at(entry.mount.value);
    note_block(file, row);
    if (options_.with_rows) add_row(file, entry.path, static_cast<std::uint32_t>(row));
    report_mount& mount = what_.mounts[row];
    if (file.cancelled) return;
    if (file.skipped) {
      ++mount.skipped;
      what_.skipped.push_back({mount.path, std::string(entry.path), options_.excluded});
      return;
    }

    report_type& type = types_[type_of(file, entry)];
    type.ns += work_of(file);
    if (file.failure) {
      ++mount.failed;
      ++type.failed;
      what_.failures.push_back({std::string(entry.path), mount.path, to_string(file.failed_in),
                                to_string(file.failure->code), options_.reason(*file.failure)});
      return;
    }
    if (file.warning) {
      what_.warnings.push_back(
          {std::string(entry.path), mount.path, file.warning->reason, file.warning->offset});
    }
    ++mount.files;
    mount.bytes += file.bytes;
    ++type.files;
    type.bytes += file.bytes;
    type.decoded_bytes += file.decoded_bytes;
    keep_if_slow(file);
    keep_if_large(file, entry);
    if (type.example == UINT32_MAX) {
      type.example = file.entry;
      type.what = file.decoder ? what_is(file.decoder) : "";
    }
    add_to_groups(file, entry);
  }

  // A block counts for the file whose read unpacked it.
  void note_block(const loaded_file& file, std::size_t mount) {
    if (file.block_unpack_ns == 0) return;
    block_ns_[{mount, files_.block_of(file.entry).offset}] +=
        file.block_unpack_ns + file.device_ns +
        file.stage_ns[static_cast<std::size_t>(load_stage::read)];
  }

  void add_to_groups(const loaded_file& file, const entry_info& entry) {
    const std::uint64_t ns = file.stage_ns[static_cast<std::size_t>(load_stage::decode)];
    const auto add = [&](report_group& to) {
      ++to.files;
      to.decode_ns += ns;
      if (ns > to.slowest_ns) {
        to.slowest = entry.path;
        to.slowest_ns = ns;
      }
      to.decoded_bytes += file.decoded_bytes;
    };
    if (file.sample_rate > 0 && file.sound_frames / file.sample_rate > long_sound_seconds) {
      add(what_.long_sounds);
    }
    constexpr std::string_view textures[] = {"dds", "hdr"};
    const bool is_image =
        file.decoder && file.width > 0 &&
        std::ranges::find(textures, std::string_view(file.decoder)) == std::end(textures);
    if (is_image) add(what_.images);
    if (file.method == compression::deflate || file.method == compression::zlib) {
      ++what_.deflated.files;
      what_.deflated.unpack_ns += file.stage_ns[static_cast<std::size_t>(load_stage::unpack)];
    }
  }

  void keep_if_large(const loaded_file& file, const entry_info& entry) {
    const bool packed = file.packed_bytes != file.bytes;
    report_need need{{}, packed ? file.packed_bytes : 0, file.bytes, file.decoded_bytes};
    if (need.total() <= what_.largest.total()) return;
    what_.largest = need;
    what_.largest.path = entry.path;
  }

  void finish() {
    for (const auto& [block, ns] : block_ns_) {
      ++what_.mounts[block.first].blocks;
      what_.mounts[block.first].block_ns += ns;
    }
    for (auto& [name, type] : types_) {
      type.extension = name;
      what_.types.push_back(type);
    }
    std::sort(what_.types.begin(), what_.types.end(), [](const auto& a, const auto& b) {
      return a.bytes != b.bytes ? a.bytes > b.bytes : a.extension < b.extension;
    });
    for (const loaded_file& file : slowest_) {
      const entry_info entry = files_.entry(file.entry);
      report_file row;
      row.path = entry.path;
      row.mount = mount_path(entry.mount);
      row.bytes = file.bytes;
      std::copy(std::begin(file.stage_ns), std::end(file.stage_ns), row.stage_ns.begin());
      row.queued_ns = file.queued_ns;
      row.device_ns = file.device_ns;
      row.block_wait_ns = file.block_wait_ns;
      row.width = file.width;
      row.height = file.height;
      row.sample_rate = file.sample_rate;
      row.sound_frames = file.sound_frames;
      what_.slowest.push_back(row);
    }
  }

  void add_overrides() {
    for (std::size_t i = 0; i < files_.hidden_count(); ++i) {
      const hidden_entry hidden = files_.hidden(i);
      ++what_.mounts[row_of_.at(hidden.loser.value)].hidden;
      what_.overrides.push_back({std::string(files_.entry(hidden.entry).path),
                                 mount_path(hidden.winner), mount_path(hidden.loser)});
    }
  }

  void add_mount_failures() {
    for (std::size_t i = 0; i < files_.failure_count(); ++i) {
      const mount_failure failure = files_.failure(i);
      what_.mount_failures.push_back({std::string(failure.path), mount_path(failure.mount), "mount",
                                      to_string(failure.why.code), options_.reason(failure.why)});
    }
  }

 private:
  static file_state state_of(const loaded_file& file) {
    if (file.cancelled) return file_state::cancelled;
    if (file.skipped) return file_state::skipped;
    return file.failure ? file_state::failed : file_state::ready;
  }

  void add_row(const loaded_file& file, std::string_view path, std::uint32_t mount) {
    report_row row;
    row.path = path;
    row.mount = mount;
    row.state = state_of(file);
    row.bytes = file.bytes;
    row.began_ns = file.began_ns;
    std::copy(std::begin(file.stage_ns), std::end(file.stage_ns), row.stage_ns.begin());
    row.device_ns = file.device_ns;
    row.width = file.width;
    row.height = file.height;
    row.sample_rate = file.sample_rate;
    row.sound_frames = file.sound_frames;
    what_.files.push_back(std::move(row));
  }

  [[nodiscard]] const std::string& mount_path(mount_id mount) const {
    return what_.mounts[row_of_.at(mount.value)].path;
  }

  void keep_if_slow(const loaded_file& file) {
    const auto slower = [](const loaded_file& a, const loaded_file& b) {
      return work_of(a) + a.device_ns > work_of(b) + b.device_ns;
    };
    if (slowest_.size() == slowest_max && !slower(file, slowest_.back())) return;
    slowest_.insert(std::upper_bound(slowest_.begin(), slowest_.end(), file, slower), file);
    if (slowest_.size() > slowest_max) slowest_.pop_back();
  }

  const file_system& files_;
  load_report& what_;
  const collect_options& options_;
  std::map<std::uint32_t, std::size_t> row_of_;  // of what_.mounts, by mount_id
  std::map<std::string, report_type> types_;
  std::map<std::pair<std::size_t, std::uint64_t>, std::uint64_t> block_ns_;  // by mount and offset
  std::vector<loaded_file> slowest_;
};

// A load's threads live, waiting, a little longer than the load. Totals carry no times, so waits
// are clipped to the load's duration.
report_thread thread_of(const thread_sums& thread, std::uint64_t wall_ns) {
  report_thread row;
  row.name = thread.name;
  row.is_worker = !row.name.starts_with(io_name);
  row.cpu_ns = thread.cpu_ns;
  row.events_lost = thread.events_lost;
  for (const trace_total& total : thread.totals) {
    if (total.kind == event_kind::wait) row.waiting_ns += total.ns;
    if (total.kind != event_kind::zone) continue;
    for (std::size_t stage = 0; stage < load_stage_count; ++stage) {
      if (std::string_view(total.name) == to_string(static_cast<load_stage>(stage))) {
        row.stage_ns[stage] += total.ns;
        row.stage_cpu_ns[stage] += total.cpu_ns;
      }
    }
  }
  row.waiting_ns = std::min(row.waiting_ns, wall_ns - std::min(wall_ns, row.busy_ns()));
  return row;
}

}  // namespace

std::string plain_reason(const error& failure) {
  std::string reason = failure.reason;
  if (reason.empty()) reason = to_string(failure.code);
  if (failure.os_error != 0) {
    reason += " (" + std::system_category().message(failure.os_error) + ")";
  }
  if (failure.offset != 0 && failure.code != errc::out_of_memory) {
    reason += ", at byte " + std::to_string(failure.offset);
  }
  return reason;
}

std::vector<report_skipped> skipped_names(const file_system& files) {
  std::vector<report_skipped> names;
  const std::size_t count = files.skipped_count();
  names.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const skipped_name found = files.skipped(i);
    names.push_back(
        {std::string(files.mount_of(found.mount).path), std::string(found.name), found.reason});
  }
  return names;
}

void collect_files(load_report& what, const file_system& files, const load_scope& scope,
                   const collect_options& options) {
  what.summary = scope.summary();
  what.skipped = skipped_names(files);  // files that are left out follow
  file_collector collector(files, what, options);
  collector.add_mounts();
  scope.for_each_file([&](const loaded_file& file) { collector.add(file); });
  collector.add_overrides();
  collector.add_mount_failures();
  collector.finish();
}

void collect_threads(load_report& what, const timeline& record, const load_window& window) {
  std::vector<thread_sums> threads;
  for (std::size_t i = 0; i < record.track_count(); ++i) {
    const timeline_track& track = record.track(i);
    const bool is_main = std::string_view(track.name()) == main_name;
    threads.push_back({track.name(),
                       {track.totals().begin(), track.totals().end()},
                       is_main ? window.main_cpu_ns : track.cpu_ns(),
                       track.events_lost()});
  }
  collect_threads(what, threads, window.end_ns - window.begin_ns);
}

void collect_threads(load_report& what, std::span<const thread_sums> threads,
                     std::uint64_t wall_ns) {
  std::vector<thread_totals> totals;
  for (const thread_sums& each : threads) totals.push_back({each.name, each.totals});
  const load_verdict verdict = judge(totals, wall_ns, worker_name);
  what.verdict.name = verdict.name;
  what.verdict.worker_ns = verdict.worker_ns;
  for (std::size_t i = 0; i < verdict.share_count; ++i) {
    const time_share& share = verdict.shares[i];
    what.verdict.shares.push_back({share.name, share.waiting, share.ns});
  }
  for (const thread_sums& each : threads) what.threads_used.push_back(thread_of(each, wall_ns));
  what.io_threads = static_cast<unsigned>(
      std::count_if(what.threads_used.begin(), what.threads_used.end(),
                    [](const report_thread& thread) { return !thread.is_worker; }));
  // Threads attach in the order in which the system starts them; list main, then workers by number.
  std::sort(what.threads_used.begin(), what.threads_used.end(),
            [](const report_thread& a, const report_thread& b) {
              const auto key = [](const report_thread& t) {
                return std::tuple(!t.is_worker, t.name != main_name, t.name.size(), t.name);
              };
              return key(a) < key(b);
            });
}

// A ring is reserved as a whole, and the system gives memory for what is written.
std::uint64_t unused_ring_bytes(const timeline& record, std::uint32_t events_per_thread) {
  if (events_per_thread == 0) return 0;
  std::uint64_t unused = 0;
  for (std::size_t i = 0; i < record.track_count(); ++i) {
    std::uint64_t written = 0;
    (void)record.track(i).for_each_event([&](const trace_event&) { ++written; });
    unused += std::bit_ceil(events_per_thread) -
              std::min<std::uint64_t>(written, std::bit_ceil(events_per_thread));
  }
  return unused * sizeof(trace_event);
}

void collect_memory(load_report& what, const tracking_allocator& memory,
                    std::uint64_t reserved_bytes) {
  for (std::size_t tag = 0; tag < memory_tag_count; ++tag) {
    std::uint64_t peak = memory.usage(static_cast<memory_tag>(tag)).peak_bytes;
    if (static_cast<memory_tag>(tag) == memory_tag::trace) peak -= std::min(peak, reserved_bytes);
    if (peak == 0) continue;
    what.memory.push_back({to_string(static_cast<memory_tag>(tag)), peak});
  }
  const std::uint64_t peak = memory.total().peak_bytes;
  what.memory_peak_bytes = peak - std::min(peak, reserved_bytes);
}

}  // namespace overture::report_detail

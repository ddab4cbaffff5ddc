// SPDX-License-Identifier: Zlib
#include "load/stage_times.hpp"

#include <utility>

namespace overture::load_detail {

void end_part(loader& by, const load_item& item, load_stage stage, std::uint64_t bytes) noexcept {
  const std::uint64_t begin_ns = std::exchange(by.clock_ns, now_ns());
  by.load.record_of(item).stage_ns[static_cast<std::size_t>(stage)] += by.clock_ns - begin_ns;
  record({.begin_ns = begin_ns,
          .end_ns = by.clock_ns,
          .name = to_string(stage),
          .value = bytes,
          .subject = item.entry,
          .kind = event_kind::zone,
          .flags = std::exchange(by.zone_flags, std::uint16_t{0})});
}

// Files in solid blocks are read from memory, whatever their block was read from.
void note_read(load_state& load, const load_item& item, const read_request& request) noexcept {
  file_record& kept = load.record_of(item);
  const std::uint64_t device_ns = request.finished_ns - request.started_ns;
  kept.queued_ns += request.started_ns - request.queued_ns;
  kept.device_ns += device_ns;
  if (!request.outcome || load.files.block_of(item.entry).bytes != 0) return;
  load.disk_times.add(device_ns);
  kept.disk_bytes += request.destination.size();
}

void note_cached(load_state& load, const load_item& item, std::uint64_t bytes) noexcept {
  load.record_of(item).cached_bytes += bytes;
}

void wait_for_read(loader& by, const load_item& item, load_stage stage, read_request& request,
                   countdown& left) noexcept {
  end_part(by, item, stage, 0);
  by.load.reads.wait(left);
  note_read(by.load, item, request);
  by.clock_ns = now_ns();
}

std::chrono::nanoseconds time_left(const load_state& load, const load_item& item) noexcept {
  const std::chrono::nanoseconds allowed = load.options.file_time_max;
  if (allowed.count() == 0) return std::chrono::nanoseconds::max();
  const file_record& kept = load.records[item.number];
  std::uint64_t spent_ns = kept.device_ns;
  for (const std::uint64_t ns : kept.stage_ns) spent_ns += ns;
  return allowed - std::chrono::nanoseconds(spent_ns);
}

}  // namespace overture::load_detail

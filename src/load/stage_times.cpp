// SPDX-License-Identifier: Zlib
#include "load/stage_times.hpp"

#include <algorithm>
#include <utility>

#include "io/files/block_work_here.hpp"

namespace overture::load_detail {

namespace {

void record_part(const load_item& item, load_stage stage, std::uint64_t begin_ns,
                 std::uint64_t end_ns, std::uint64_t bytes, std::uint16_t flags) noexcept {
  record({.begin_ns = begin_ns,
          .end_ns = end_ns,
          .name = to_string(stage),
          .value = bytes,
          .subject = item.entry,
          .kind = event_kind::zone,
          .flags = flags});
}

std::uint64_t& stage_ns(file_record& kept, load_stage stage) noexcept {
  return kept.stage_ns[static_cast<std::size_t>(stage)];
}

// Counts for the file what its reads did about a block, whatever their thread.
void note_block(file_record& kept, const block_work& done) noexcept {
  stage_ns(kept, load_stage::unpack) += done.unpack_ns;
  kept.block_unpack_ns += done.unpack_ns;
  kept.block_wait_ns += done.wait_ns;
}

}  // namespace

// Of a part that was also to unpack a block, or to wait for one: first it waited, which the
// timeline has already, and last it unpacked.
void end_part(loader& by, const load_item& item, load_stage stage, std::uint64_t bytes) noexcept {
  std::uint64_t begin_ns = std::exchange(by.clock_ns, now_ns());
  std::uint64_t end_ns = by.clock_ns;
  file_record& kept = by.load.record_of(item);
  if (by.block.used) {
    const block_work done = std::exchange(by.block, {});
    note_block(kept, done);
    begin_ns = std::min(begin_ns + done.wait_ns, end_ns);
    end_ns = std::max(end_ns - done.unpack_ns, begin_ns);
  }
  stage_ns(kept, stage) += end_ns - begin_ns;
  // First what needs the processor: the CPU time since the event before is counted for it.
  if (end_ns != by.clock_ns) {
    record_part(item, load_stage::unpack, end_ns, by.clock_ns, 0, request_flags::block);
  }
  record_part(item, stage, begin_ns, end_ns, bytes, std::exchange(by.zone_flags, std::uint16_t{0}));
}

bool read_if_cached(loader& by, const load_item& item, const read_request& request) noexcept {
  bool there = false;
  {
    const io_detail::block_work_scope noted(by.block);
    there = by.load.reads.read_if_cached(request);
  }
  // Packed bytes that were read in vain are read again.
  if (!there) {
    by.block.packed_bytes = 0;
    return false;
  }
  by.load.record_of(item).cached_bytes +=
      by.block.used ? std::exchange(by.block.packed_bytes, 0) : request.destination.size();
  return true;
}

void note_read(load_state& load, const load_item& item, const read_request& request) noexcept {
  file_record& kept = load.record_of(item);
  const block_work& block = request.block;
  const std::uint64_t all_ns = request.finished_ns - request.started_ns;
  const std::uint64_t device_ns = all_ns - std::min(all_ns, block.unpack_ns + block.wait_ns);
  kept.queued_ns += request.started_ns - request.queued_ns;
  kept.device_ns += device_ns;
  note_block(kept, block);
  const std::uint64_t bytes = block.used ? block.packed_bytes : request.destination.size();
  if (!request.outcome || bytes == 0) return;
  load.disk_times.add(device_ns);
  kept.disk_bytes += bytes;
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

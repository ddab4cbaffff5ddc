// SPDX-License-Identifier: Zlib
#include "io/schedule/waiting_requests.hpp"

#include <algorithm>

namespace overture::io_detail {

read_request* waiting_requests::choose(std::uint64_t now_ns) noexcept {
  read_request* const stored = stored_.size() > 0 ? stored_.choose_next(head_, now_ns) : nullptr;
  read_request* const packed = packed_.size() > 0 ? packed_.choose_next(head_, now_ns) : nullptr;
  if (!packed || !has_room_for(*packed)) return stored;
  if (!stored) return packed;
  const moment at{head_, now_ns + rules_.store.danger_ns};
  return goes_before(packed_.candidate_of(*packed), stored_.candidate_of(*stored), at) ? packed
                                                                                       : stored;
}

void waiting_requests::take_into(read_operation& op, read_request& chosen,
                                 std::uint8_t level) noexcept {
  op.begin();
  add_member(op, chosen);
  op.level = level;
  if (rules_.merge_bytes_max > 0) add_neighbours(op, chosen, level);
  op.end_position = position_of(chosen.sort_key, chosen.source, op.end());
  head_ = op.end_position;
}

void waiting_requests::add_member(read_operation& op, read_request& request) noexcept {
  // One that was about to share a read and came too late has left the store already.
  request_store& store = store_of(request);
  if (store.holds(request)) store.remove(request);
  if (request.method != compression::none) {
    packed_bytes_ += request.packed_bytes;
    packed_bytes_peak_ = std::max(packed_bytes_peak_, packed_bytes_);
  }
  op.add(request);
}

// Those of both stores, in order of their offsets.
void waiting_requests::add_neighbours(read_operation& op, read_request& first,
                                      std::uint8_t level) noexcept {
  read_request* near[2][read_operation::members_max];
  const disk_position from = position_of(first.sort_key, first.source, first.offset);
  std::size_t left[2] = {stored_.following(from, level, near[0]),
                         packed_.following(from, level, near[1])};
  read_request** next[2] = {near[0], near[1]};
  while (left[0] + left[1] > 0) {
    const bool packed = left[0] == 0 || (left[1] > 0 && (*next[1])->offset < (*next[0])->offset);
    read_request& nearest = **next[packed];
    if (!op.accepts(nearest, rules_.merge_bytes_max, rules_.merge_gap_max)) return;
    if (packed && !has_room_for(nearest)) return;
    add_member(op, nearest);
    ++next[packed];
    --left[packed];
  }
}

}  // namespace overture::io_detail

// SPDX-License-Identifier: Zlib
#include "io/schedule/request_store.hpp"

#include <algorithm>

namespace overture::io_detail {
namespace {

constexpr std::uint8_t highest_level = read_priority_count - 1;

std::uint8_t clamped(read_priority priority) noexcept {
  return std::min(static_cast<std::uint8_t>(priority), highest_level);
}
constexpr std::size_t void_entries_max = 64;  // beside as many as there are valid ones

}  // namespace

request_store::request_store(allocator& memory, const store_rules& rules) noexcept
    : rules_(rules),
      tickets_(memory, memory_tag::io),
      tags_(memory, memory_tag::io),
      sources_(memory, memory_tag::io),
      positions_(memory, memory_tag::io),
      deadlines_(memory, memory_tag::io),
      levels_(memory, memory_tag::io),
      priorities_(memory, memory_tag::io),
      requests_(memory, memory_tag::io),
      free_slots_(memory, memory_tag::io),
      levels_state_{level_state(memory), level_state(memory), level_state(memory),
                    level_state(memory), level_state(memory), level_state(memory)},
      by_deadline_(memory, memory_tag::io) {
  static_assert(read_priority_count == 6);
}

bool request_store::is_later(const deadline_entry& a, const deadline_entry& b) noexcept {
  return a.deadline_ns != b.deadline_ns ? a.deadline_ns > b.deadline_ns : a.ticket > b.ticket;
}

bool request_store::take_slot(std::uint32_t& slot) noexcept {
  if (free_slots_.empty()) {
    const std::size_t before = requests_.size();
    const std::size_t after = std::max<std::size_t>(64, before * 2);
    if (!tickets_.resize(after) || !tags_.resize(after) || !sources_.resize(after) ||
        !positions_.resize(after) || !deadlines_.resize(after) || !levels_.resize(after) ||
        !priorities_.resize(after) || !free_slots_.reserve(after) || !requests_.resize(after)) {
      return false;
    }
    for (std::size_t i = after; i-- > before;) {
      (void)free_slots_.push_back(static_cast<std::uint32_t>(i));
    }
  }
  slot = free_slots_.back();
  return true;
}

bool request_store::add(read_request& request, std::uint64_t now_ns) noexcept {
  return add_at(request, clamped(request.priority), now_ns);
}

bool request_store::put_back(read_request& request, std::uint8_t level) noexcept {
  const std::uint8_t priority = clamped(request.priority);
  const std::uint64_t lifted = level > priority ? level - priority : 0;
  const std::uint64_t since_ns =
      lifted == 0 ? request.queued_ns : request.queued_ns + lifted * rules_.ageing_ns;
  if (!add_at(request, level, since_ns)) return false;
  put_in_order(levels_state_[level].line);
  return true;
}

// The last entry goes before those that have waited less.
void request_store::put_in_order(waiting_line& line) noexcept {
  line_entry* const last = line.entries.end() - 1;
  line_entry* const position = std::upper_bound(
      line.entries.begin() + line.begin, last, last->since_ns,
      [](std::uint64_t since_ns, const line_entry& each) { return since_ns < each.since_ns; });
  std::rotate(position, last, last + 1);
}

bool request_store::add_at(read_request& request, std::uint8_t level,
                           std::uint64_t since_ns) noexcept {
  std::uint32_t slot = 0;
  if (!take_slot(slot)) return false;
  sources_[slot] = request.source;
  positions_[slot] = position_of(request.sort_key, request.source, request.offset);
  deadlines_[slot] = candidate::no_deadline;
  const std::uint8_t priority = clamped(request.priority);
  if (!line_up(slot, level, since_ns)) return false;
  tags_[slot] = request.tag;
  priorities_[slot] = priority;
  requests_[slot] = &request;
  request.slot = slot;
  free_slots_.pop_back();
  ++waiting_[priority];
  ++size_;
  if (request.deadline_ns != 0 && !set_deadline(request, request.deadline_ns)) {
    remove(request);
    return false;
  }
  return true;
}

bool request_store::line_up(std::uint32_t slot, std::uint8_t level, std::uint64_t now_ns) noexcept {
  level_state& in = levels_state_[level];
  tidy(in.line, in.size);
  const std::uint64_t ticket = last_ticket_ + 1;
  if (!in.line.entries.push_back({ticket, now_ns, slot})) return false;
  if (!in.positions.add({positions_[slot], ticket, slot}, tickets_.data(), in.size)) {
    in.line.entries.pop_back();
    return false;
  }
  if (deadlines_[slot] != candidate::no_deadline) {
    tidy_deadlines();
    if (!by_deadline_.push_back({deadlines_[slot], ticket, slot})) {
      in.line.entries.pop_back();
      return false;  // the index by position has a void entry more
    }
    std::push_heap(by_deadline_.begin(), by_deadline_.end(), is_later);
  }
  next_lift_ns_ = std::min(next_lift_ns_, lifted_at(now_ns));
  last_ticket_ = ticket;
  tickets_[slot] = ticket;
  levels_[slot] = level;
  ++in.size;
  return true;
}

void request_store::leave_level(std::uint8_t level) noexcept {
  level_state& of = levels_state_[level];
  if (--of.size != 0) return;
  of.positions.clear();
  of.line.entries.clear();
  of.line.begin = 0;
}

void request_store::remove(read_request& request) noexcept {
  const std::uint32_t slot = request.slot;
  tickets_[slot] = 0;
  requests_[slot] = nullptr;
  request.slot = read_request::no_slot;
  if (deadlines_[slot] != candidate::no_deadline && --with_deadline_ == 0) by_deadline_.clear();
  leave_level(levels_[slot]);
  --waiting_[priorities_[slot]];
  --size_;
  (void)free_slots_.push_back(slot);  // there is room for every slot
}

bool request_store::set_priority(read_request& request, read_priority priority,
                                 std::uint64_t now_ns) noexcept {
  if (!holds(request)) return false;
  const std::uint32_t slot = request.slot;
  const std::uint8_t wanted = clamped(priority);
  const std::uint8_t before = levels_[slot];
  if (!line_up(slot, wanted, now_ns)) return false;
  leave_level(before);
  --waiting_[priorities_[slot]];
  ++waiting_[wanted];
  priorities_[slot] = wanted;
  request.priority = priority;
  return true;
}

bool request_store::set_deadline(read_request& request, std::uint64_t deadline_ns) noexcept {
  if (!holds(request)) return false;
  const std::uint32_t slot = request.slot;
  const std::uint64_t wanted = deadline_ns == 0 ? candidate::no_deadline : deadline_ns;
  const bool had = deadlines_[slot] != candidate::no_deadline;
  if (wanted != candidate::no_deadline) {
    tidy_deadlines();
    if (!by_deadline_.push_back({wanted, tickets_[slot], slot})) return false;
    std::push_heap(by_deadline_.begin(), by_deadline_.end(), is_later);
    with_deadline_ += had ? 0 : 1;
  } else if (had && --with_deadline_ == 0) {
    by_deadline_.clear();
  }
  deadlines_[slot] = wanted;
  request.deadline_ns = deadline_ns;
  return true;
}

// --- The choice ----------------------------------------------------------------------------------

request_store::line_entry* request_store::oldest(level_state& in) noexcept {
  waiting_line& line = in.line;
  while (line.begin < line.entries.size()) {
    line_entry& first = line.entries[line.begin];
    if (tickets_[first.slot] == first.ticket) return &first;
    ++line.begin;
  }
  return nullptr;
}

std::uint64_t request_store::lifted_at(std::uint64_t since_ns) const noexcept {
  return rules_.ageing_ns < UINT64_MAX - since_ns ? since_ns + rules_.ageing_ns : UINT64_MAX;
}

// From the top, so that nothing is lifted twice at once.
void request_store::lift_aged(std::uint64_t now_ns) noexcept {
  if (now_ns < next_lift_ns_) return;
  next_lift_ns_ = UINT64_MAX;
  for (std::size_t level = read_priority_count; level-- > 0;) {
    level_state& in = levels_state_[level];
    while (const line_entry* const first = oldest(in)) {
      const std::uint64_t due_ns = lifted_at(first->since_ns);
      if (now_ns < due_ns) {
        next_lift_ns_ = std::min(next_lift_ns_, due_ns);
        break;
      }
      const std::uint32_t slot = first->slot;
      ++in.line.begin;  // its turn to be looked at comes once only, whatever becomes of it
      if (level == highest_level) {
        // It cannot rise any further, and others may have come between again and again.
        if (deadlines_[slot] > now_ns) {
          const std::uint64_t own = requests_[slot]->deadline_ns;
          (void)set_deadline(*requests_[slot], now_ns);
          requests_[slot]->deadline_ns = own;
        }
      } else if (line_up(slot, static_cast<std::uint8_t>(level + 1), now_ns)) {
        leave_level(static_cast<std::uint8_t>(level));
      }
    }
  }
}

read_request* request_store::choose_next(const disk_position& head, std::uint64_t now_ns) noexcept {
  if (size_ == 0) return nullptr;
  lift_aged(now_ns);
  while (!by_deadline_.empty()) {
    const deadline_entry& first = *by_deadline_.begin();
    if (tickets_[first.slot] == first.ticket && deadlines_[first.slot] == first.deadline_ns) {
      if (first.deadline_ns > now_ns && first.deadline_ns - now_ns > rules_.danger_ns) break;
      return requests_[first.slot];
    }
    std::pop_heap(by_deadline_.begin(), by_deadline_.end(), is_later);
    by_deadline_.pop_back();
  }
  for (std::size_t level = read_priority_count; level-- > 0;) {
    level_state& in = levels_state_[level];
    if (in.size == 0) continue;
    if (const position_entry* const next = in.positions.next(head, tickets_.data())) {
      return requests_[next->slot];
    }
  }
  return nullptr;
}

std::size_t request_store::following(const disk_position& position, std::uint8_t level,
                                     std::span<read_request*> out) noexcept {
  level_state& in = levels_state_[level];
  if (in.size == 0) return 0;
  const std::size_t most = std::min(following_max, out.size());
  const std::size_t seen =
      in.positions.following(position, tickets_.data(), std::span(following_).first(most));
  for (std::size_t i = 0; i < seen; ++i) out[i] = requests_[following_[i].slot];
  return seen;
}

candidate request_store::candidate_of(std::size_t slot) const noexcept {
  return {.position = positions_[slot],
          .deadline_ns = deadlines_[slot],
          .ticket = tickets_[slot],
          .slot = static_cast<std::uint32_t>(slot),
          .level = levels_[slot]};
}

// --- Void entries --------------------------------------------------------------------------------

void request_store::tidy(waiting_line& line, std::size_t live) noexcept {
  if (line.entries.size() < 2 * live + void_entries_max ||
      line.entries.size() < line.entries.capacity()) {
    return;
  }
  std::size_t kept = 0;
  for (std::size_t i = line.begin; i < line.entries.size(); ++i) {
    const line_entry entry = line.entries[i];
    if (tickets_[entry.slot] == entry.ticket) line.entries[kept++] = entry;
  }
  while (line.entries.size() > kept) line.entries.pop_back();
  line.begin = 0;
}

void request_store::tidy_deadlines() noexcept {
  if (by_deadline_.size() < 2 * with_deadline_ + void_entries_max) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < by_deadline_.size(); ++i) {
    const deadline_entry entry = by_deadline_[i];
    if (tickets_[entry.slot] == entry.ticket && deadlines_[entry.slot] == entry.deadline_ns) {
      by_deadline_[kept++] = entry;
    }
  }
  while (by_deadline_.size() > kept) by_deadline_.pop_back();
  std::make_heap(by_deadline_.begin(), by_deadline_.end(), is_later);
}

}  // namespace overture::io_detail

// SPDX-License-Identifier: Zlib
//
// The requests that wait, as columns: the fields that the choice and cancel_tag() look at are kept
// together, and the requests themselves are not touched until they are taken.
//
// Each request has a slot, and a ticket that is new whenever it changes its position in line. The
// indexes (by position, by age, by deadline) name slot and ticket, so that taking a request out of
// all of them is one store.
//
// One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/vec.hpp"
#include "io/schedule/position_index.hpp"
#include "overture/io/read_queue.hpp"

namespace overture::io_detail {

struct store_rules {
  std::uint64_t ageing_ns = 500'000'000;  // waiting that long lifts a request by one level
  std::uint64_t danger_ns = 5'000'000;    // deadlines nearer than this are in danger
};

class request_store {
 public:
  request_store(allocator& memory, const store_rules& rules) noexcept;

  // False if the memory was refused; then the request is not in the store. Its fields are copied;
  // request.slot tells where it is until it is taken.
  [[nodiscard]] bool add(read_request& request, std::uint64_t now_ns) noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t size(read_priority priority) const noexcept {
    return waiting_[static_cast<std::size_t>(priority)];
  }
  [[nodiscard]] bool holds(const read_request& request) const noexcept {
    return request.slot < requests_.size() && requests_[request.slot] == &request;
  }

  // For a request that was removed to be read and was not begun: it gets its old position back, and
  // the level it had reached.
  [[nodiscard]] bool put_back(read_request& request, std::uint8_t level) noexcept;
  // Whether something waits that goes before requests of this level, or may.
  [[nodiscard]] bool outranks(std::uint8_t level) const noexcept {
    if (with_deadline_ != 0) return true;
    for (std::size_t above = level + 1u; above < read_priority_count; ++above) {
      if (levels_state_[above].size != 0) return true;
    }
    return false;
  }
  [[nodiscard]] bool has_deadlines() const noexcept { return with_deadline_ != 0; }

  // The one to read next, or null. It stays in the store until remove().
  [[nodiscard]] read_request* choose_next(const disk_position& head, std::uint64_t now_ns) noexcept;
  // What the choice sees of a request that is in the store.
  [[nodiscard]] candidate candidate_of(const read_request& request) const noexcept {
    return candidate_of(request.slot);
  }
  [[nodiscard]] std::uint8_t level_of(const read_request& request) const noexcept {
    return levels_[request.slot];
  }
  // Copies those of a level that lie in one file at this position or after it, by offset; how
  // many.
  [[nodiscard]] std::size_t following(const disk_position& position, std::uint8_t level,
                                      std::span<read_request*> out) noexcept;
  void remove(read_request& request) noexcept;

  // False if it is not in the store, or if the memory was refused; then nothing has changed.
  [[nodiscard]] bool set_priority(read_request& request, read_priority priority,
                                  std::uint64_t now_ns) noexcept;
  [[nodiscard]] bool set_deadline(read_request& request, std::uint64_t deadline_ns) noexcept;

  // Removes those of the tag or the source and calls visit(request) for each.
  template <class Visit>
  void remove_tagged(std::uint64_t mask, std::uint64_t value, Visit visit) noexcept {
    for (std::size_t slot = 0; slot < requests_.size(); ++slot) {
      if ((tags_[slot] & mask) == value && requests_[slot]) take_out(slot, visit);
    }
  }
  // Calls `visit` for each.
  template <class Visit>
  void visit_tagged(std::uint64_t mask, std::uint64_t value, Visit visit) noexcept {
    for (std::size_t slot = 0; slot < requests_.size(); ++slot) {
      if ((tags_[slot] & mask) == value && requests_[slot]) visit(*requests_[slot]);
    }
  }
  template <class Visit>
  void remove_source(source_id source, Visit visit) noexcept {
    for (std::size_t slot = 0; slot < requests_.size(); ++slot) {
      if (sources_[slot] == source && requests_[slot]) take_out(slot, visit);
    }
  }
  // Entries of all indexes by position, void ones too.
  [[nodiscard]] std::size_t index_entries() const noexcept {
    std::size_t sum = 0;
    for (const level_state& each : levels_state_) sum += each.positions.entries();
    return sum;
  }
  // Calls visit(candidate) for each, in no order.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t slot = 0; slot < requests_.size(); ++slot) {
      if (requests_[slot]) visit(candidate_of(slot));
    }
  }

 private:
  struct line_entry {
    std::uint64_t ticket = 0;
    std::uint64_t since_ns = 0;
    std::uint32_t slot = 0;
  };
  // First in, first out.
  struct waiting_line {
    explicit waiting_line(allocator& memory) noexcept : entries(memory, memory_tag::io) {}
    base_detail::vec<line_entry> entries;
    std::size_t begin = 0;
  };
  struct level_state {
    explicit level_state(allocator& memory) noexcept : positions(memory), line(memory) {}
    position_index positions;
    waiting_line line;
    std::size_t size = 0;
  };
  struct deadline_entry {
    std::uint64_t deadline_ns = 0;
    std::uint64_t ticket = 0;
    std::uint32_t slot = 0;
  };
  static bool is_later(const deadline_entry& a, const deadline_entry& b) noexcept;

  [[nodiscard]] bool take_slot(std::uint32_t& slot) noexcept;
  [[nodiscard]] bool add_at(read_request& request, std::uint8_t level,
                            std::uint64_t since_ns) noexcept;
  static void put_in_order(waiting_line& line) noexcept;
  // Puts the slot's request in line with a new ticket. False if the memory was refused; then its
  // position is unchanged.
  [[nodiscard]] bool line_up(std::uint32_t slot, std::uint8_t level, std::uint64_t now_ns) noexcept;
  void leave_level(std::uint8_t level) noexcept;
  // When one that has waited since then is lifted.
  [[nodiscard]] std::uint64_t lifted_at(std::uint64_t since_ns) const noexcept;
  void lift_aged(std::uint64_t now_ns) noexcept;
  [[nodiscard]] line_entry* oldest(level_state& in) noexcept;
  void tidy(waiting_line& line, std::size_t live) noexcept;
  void tidy_deadlines() noexcept;
  [[nodiscard]] candidate candidate_of(std::size_t slot) const noexcept;
  template <class Visit>
  void take_out(std::size_t slot, Visit& visit) noexcept {
    read_request& request = *requests_[slot];
    remove(request);
    visit(request);
  }

  store_rules rules_;
  // Columns, by slot. The ticket of an empty slot is 0.
  base_detail::vec<std::uint64_t> tickets_;
  base_detail::vec<std::uint64_t> tags_;
  base_detail::vec<source_id> sources_;
  base_detail::vec<disk_position> positions_;
  base_detail::vec<std::uint64_t> deadlines_;
  base_detail::vec<std::uint8_t> levels_;
  base_detail::vec<std::uint8_t> priorities_;
  base_detail::vec<read_request*> requests_;
  base_detail::vec<std::uint32_t> free_slots_;

  static constexpr std::size_t following_max = 32;
  position_entry
      following_[following_max];  // of following(): to make it anew costs more than to fill it

  level_state levels_state_[read_priority_count];
  base_detail::vec<deadline_entry> by_deadline_;  // a heap, the earliest on top
  std::size_t with_deadline_ = 0;
  std::size_t waiting_[read_priority_count] = {};
  std::size_t size_ = 0;
  std::uint64_t last_ticket_ = 0;
  std::uint64_t next_lift_ns_ = UINT64_MAX;  // no request is lifted before
};

}  // namespace overture::io_detail

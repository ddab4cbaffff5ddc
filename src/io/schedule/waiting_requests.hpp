// SPDX-License-Identifier: Zlib
//
// The requests that wait to be read, and which of them goes next.
//
// Packed requests have a store of their own, so that they can wait for room while the others go on:
// bytes that were taken to be read and are not unpacked yet are bounded. They count from
// take_into() until free_packed().
//
// One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "io/schedule/read_operation.hpp"
#include "io/schedule/request_store.hpp"

namespace overture::io_detail {

struct waiting_rules {
  store_rules store;
  std::uint64_t packed_bytes_max = UINT64_MAX;  // one request alone may be larger
  std::size_t merge_bytes_max = 0;              // 0: requests are never merged
  std::size_t merge_gap_max = 0;
};

class waiting_requests {
 public:
  waiting_requests(allocator& memory, const waiting_rules& rules) noexcept
      : rules_(rules), stored_(memory, rules.store), packed_(memory, rules.store) {}

  // --- Requests come and go ---
  // False: memory was refused, and it does not wait.
  [[nodiscard]] bool add(read_request& request, std::uint64_t now_ns) noexcept {
    return store_of(request).add(request, now_ns);
  }
  // For one that was taken and not begun; `level` is the one it had reached.
  [[nodiscard]] bool put_back(read_request& request, std::uint8_t level) noexcept {
    return store_of(request).put_back(request, level);
  }
  [[nodiscard]] bool holds(const read_request& request) noexcept {
    return store_of(request).holds(request);
  }
  void remove(read_request& request) noexcept { store_of(request).remove(request); }
  // Remove all of a tag or a source, and call visit(request) for each.
  template <class Visit>
  void remove_tagged(std::uint64_t mask, std::uint64_t value, Visit visit) noexcept {
    stored_.remove_tagged(mask, value, visit);
    packed_.remove_tagged(mask, value, visit);
  }
  template <class Visit>
  void remove_source(source_id source, Visit visit) noexcept {
    stored_.remove_source(source, visit);
    packed_.remove_source(source, visit);
  }
  // Calls visit(request) for each.
  template <class Visit>
  void visit_tagged(std::uint64_t mask, std::uint64_t value, Visit visit) noexcept {
    stored_.visit_tagged(mask, value, visit);
    packed_.visit_tagged(mask, value, visit);
  }
  // False if it does not wait, or if memory was refused.
  [[nodiscard]] bool set_priority(read_request& request, read_priority priority,
                                  std::uint64_t now_ns) noexcept {
    return store_of(request).set_priority(request, priority, now_ns);
  }
  [[nodiscard]] bool set_deadline(read_request& request, std::uint64_t deadline_ns) noexcept {
    return store_of(request).set_deadline(request, deadline_ns);
  }

  // --- What waits ---
  [[nodiscard]] std::size_t size() const noexcept { return stored_.size() + packed_.size(); }
  [[nodiscard]] std::size_t size(read_priority priority) const noexcept {
    return stored_.size(priority) + packed_.size(priority);
  }
  [[nodiscard]] bool has_packed() const noexcept { return packed_.size() > 0; }
  [[nodiscard]] bool has_deadlines() const noexcept {
    return stored_.has_deadlines() || packed_.has_deadlines();
  }
  // Whether something waits that goes before requests of this level, or may.
  [[nodiscard]] bool outranks(std::uint8_t level) const noexcept {
    return stored_.outranks(level) || packed_.outranks(level);
  }

  // --- The choice ---
  // The request to read next, or null. It waits until take_into().
  [[nodiscard]] read_request* choose(std::uint64_t now_ns) noexcept;
  // Whether choose() would find one. Cheaper where stored requests wait.
  [[nodiscard]] bool has_choice(std::uint64_t now_ns) noexcept {
    return stored_.size() > 0 || choose(now_ns) != nullptr;
  }
  [[nodiscard]] std::uint8_t level_of(const read_request& request) noexcept {
    return store_of(request).level_of(request);
  }
  // Makes `op` the read of the chosen request and of its neighbours.
  void take_into(read_operation& op, read_request& chosen, std::uint8_t level) noexcept;
  // The next read is the nearest from here.
  void set_head(const disk_position& head) noexcept { head_ = head; }

  // --- Packed bytes ---
  void free_packed(std::uint64_t bytes) noexcept { packed_bytes_ -= bytes; }
  [[nodiscard]] std::uint64_t packed_bytes() const noexcept { return packed_bytes_; }
  [[nodiscard]] std::uint64_t packed_bytes_peak() const noexcept { return packed_bytes_peak_; }

 private:
  [[nodiscard]] request_store& store_of(const read_request& request) noexcept {
    return request.method == compression::none ? stored_ : packed_;
  }
  [[nodiscard]] bool has_room_for(const read_request& packed) const noexcept {
    return packed_bytes_ == 0 || (packed_bytes_ < rules_.packed_bytes_max &&
                                  packed.packed_bytes <= rules_.packed_bytes_max - packed_bytes_);
  }
  void add_member(read_operation& op, read_request& request) noexcept;
  void add_neighbours(read_operation& op, read_request& first, std::uint8_t level) noexcept;

  const waiting_rules rules_;
  request_store stored_;
  request_store packed_;
  disk_position head_;
  std::uint64_t packed_bytes_ = 0;
  std::uint64_t packed_bytes_peak_ = 0;
};

}  // namespace overture::io_detail

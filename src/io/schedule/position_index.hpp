// SPDX-License-Identifier: Zlib
//
// The waiting requests of one level in the order of the disk.
//
// Sorted runs, each longer than the next, and a few new entries that are not sorted yet: adding one
// is a store, and sorting costs log n for each all in all. Nothing is taken out of the middle: an
// entry is void once its slot has another ticket, and goes when runs are merged or when skipping
// void ones has cost as much as removing them will.
//
// Source of the method: runs of like length merged as O'Neil et al. do in the LSM-tree (1996).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "base/vec.hpp"
#include "io/schedule/choice.hpp"

namespace overture::io_detail {

struct position_entry {
  disk_position position;
  std::uint64_t ticket = 0;
  std::uint32_t slot = 0;
};

// The ticket of each slot's request; an entry with another one is void.
using ticket_column = const std::uint64_t*;

inline bool is_valid(const position_entry& entry, ticket_column tickets) noexcept {
  return tickets[entry.slot] == entry.ticket;
}

class position_index {
 public:
  explicit position_index(allocator& memory) noexcept
      : memory_(memory), fresh_(memory, memory_tag::io) {}
  ~position_index();
  position_index(const position_index&) = delete;
  position_index& operator=(const position_index&) = delete;

  // False if the memory was refused; then nothing was added. `live`: how many entries are valid;
  // void ones go when there are more of them than that.
  [[nodiscard]] bool add(const position_entry& entry, ticket_column tickets,
                         std::size_t live) noexcept {
    if (entries_ > 2 * live + void_max) remove_void(tickets);
    if (!fresh_.push_back(entry)) return false;
    ++entries_;
    return true;
  }
  // How many it holds, void ones too.
  [[nodiscard]] std::size_t entries() const noexcept { return entries_; }
  void clear() noexcept;

  // The valid entry that goes first from `head` on, as goes_before() has it among equal levels.
  [[nodiscard]] const position_entry* next(const disk_position& head,
                                           ticket_column tickets) noexcept;

  // Copies the valid entries that lie in one file at `from` or after it, in order of their
  // positions, until `out` is full; how many.
  [[nodiscard]] std::size_t following(const disk_position& from, ticket_column tickets,
                                      std::span<position_entry> out) noexcept;

 private:
  struct run {
    explicit run(allocator& memory) noexcept : entries(memory, memory_tag::io) {}
    base_detail::vec<position_entry> entries;
    std::size_t cursor = 0;   // where the last look ended
    std::size_t skipped = 0;  // void entries looked at since they were last removed
  };
  static constexpr std::size_t runs_max = 48;
  static constexpr std::size_t fresh_max = 32;
  static constexpr std::size_t void_max = 256;

  void remove_void(ticket_column tickets) noexcept;
  void settle(ticket_column tickets) noexcept;
  [[nodiscard]] run* merge(const run& a, const run& b, ticket_column tickets) noexcept;
  [[nodiscard]] static std::size_t first_from(run& in, const disk_position& position,
                                              ticket_column tickets) noexcept;
  void compact(run& in, ticket_column tickets) noexcept;

  allocator& memory_;
  base_detail::vec<position_entry> fresh_;
  std::size_t entries_ = 0;
  // Runs that are not used keep their memory for the next: a warm index allocates nothing.
  [[nodiscard]] run* take_run(std::size_t entries) noexcept;
  void give_back(run* left) noexcept;
  static constexpr std::size_t spare_max = 4;

  run* runs_[runs_max] = {};
  std::size_t run_count_ = 0;
  run* spare_[spare_max] = {};
  std::size_t spare_count_ = 0;
};

}  // namespace overture::io_detail

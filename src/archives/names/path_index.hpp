// SPDX-License-Identifier: Zlib
//
// A hash table from normalised paths to numbers, filled once.
//
// A slot holds a number and half of the path's hash. A look-up touches one slot, and compares
// texts, which the caller has, only if these halves are equal. The slot depends on the table's
// address, so an attacker cannot craft names that share one.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/vec.hpp"
#include "overture/base/path.hpp"
#include "overture/base/prefetch.hpp"

namespace overture::archives_detail {

class path_index {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;
  struct slot {
    std::uint32_t value = none;  // none: the slot is empty
    std::uint32_t tag = 0;       // of the path's id
  };

  explicit path_index(allocator& memory) noexcept : slots_(memory, memory_tag::vfs) {}

  // Empties the table and makes room for `count` paths. False if out of memory.
  [[nodiscard]] bool reset(std::size_t count) noexcept {
    const std::size_t capacity = std::bit_ceil(count + count / 2 + 16);
    slots_.clear();
    if (!slots_.resize(capacity)) return false;
    shift_ = 64 - std::countr_zero(capacity);
    multiplier_ = hash_of_address() | 1;
    return true;
  }

  // The first slot in this id's probe sequence that is empty or whose value `match` accepts.
  template <class Match>
  [[nodiscard]] slot& probe(path_id id, Match match) noexcept {
    return slots_[place_of(id, match)];
  }
  template <class Match>
  [[nodiscard]] const slot& probe(path_id id, Match match) const noexcept {
    return slots_[place_of(id, match)];
  }
  // Prefetches the first slot that probe() will look at.
  void fetch_ahead(path_id id) const noexcept {
    prefetch_to_write(&slots_[(id.value * multiplier_) >> shift_]);
  }
  // Fills a slot returned by probe() for this id.
  static void set(slot& at, path_id id, std::uint32_t value) noexcept { at = {value, tag_of(id)}; }

 private:
  template <class Match>
  [[nodiscard]] std::size_t place_of(path_id id, Match match) const noexcept {
    const std::size_t mask = slots_.size() - 1;
    const std::uint32_t tag = tag_of(id);
    for (std::size_t i = (id.value * multiplier_) >> shift_;; i = (i + 1) & mask) {
      const slot& at = slots_[i];
      if (at.value == none || (at.tag == tag && match(at.value))) return i;
    }
  }
  static std::uint32_t tag_of(path_id id) noexcept {
    return static_cast<std::uint32_t>(id.value >> 32);
  }
  [[nodiscard]] std::uint64_t hash_of_address() const noexcept {
    return detail::xxh_round(reinterpret_cast<std::uintptr_t>(slots_.data()),
                             reinterpret_cast<std::uintptr_t>(this));
  }

  base_detail::vec<slot> slots_;
  std::uint64_t multiplier_ = 1;
  int shift_ = 60;
};

}  // namespace overture::archives_detail

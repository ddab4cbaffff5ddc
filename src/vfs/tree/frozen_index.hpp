// SPDX-License-Identifier: Zlib
//
// The hash table of a frozen tree: from normalised paths to numbers, filled once.
//
// A look-up touches two cache lines, the minimum for a table that compares whole paths: a group of
// seven slots, whose tags are compared all at once, and a copy of the text. Texts of up to 62 bytes
// do not cross a cache line. The group depends on the table's address, so an attacker cannot craft
// names that share one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/vec.hpp"
#include "overture/base/path.hpp"
#include "vfs/tree/same_text.hpp"
#include "vfs/tree/tag_word.hpp"

namespace overture::vfs_detail {

class frozen_index {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;

  explicit frozen_index(allocator& memory) noexcept
      : groups_(memory, memory_tag::vfs), texts_(memory, memory_tag::vfs) {}

  // The position of the next text of this length, if the texts before it end at `*end`; advances
  // `*end`. In units of `unit_bytes`.
  [[nodiscard]] static std::uint64_t reserve_text(std::size_t bytes, std::uint64_t* end) noexcept {
    const std::uint64_t units = (sizeof(std::uint16_t) + bytes + unit_bytes - 1) / unit_bytes;
    const std::uint64_t left_of_line = units_of_line - *end % units_of_line;
    if (units <= units_of_line && units > left_of_line) *end += left_of_line;
    *end += units;
    return *end - units;
  }
  // The maximum of `*end` in reserve_text().
  static constexpr std::uint64_t end_max = UINT32_MAX;

  // Empties the table and makes room for `count` paths whose texts end at `end`. False if out of
  // memory.
  [[nodiscard]] bool reset(std::size_t count, std::uint64_t end) noexcept {
    groups_.clear();
    texts_.clear();
    end_ = 0;
    if (!groups_.resize(count / paths_of_group + 1)) return false;
    if (!texts_.resize(static_cast<std::size_t>(end / units_of_line + 1))) return false;
    multiplier_ = detail::xxh_round(reinterpret_cast<std::uintptr_t>(groups_.data()),
                                    reinterpret_cast<std::uintptr_t>(this)) |
                  1;
    return true;
  }
  // Adds a path that is not in the table. Add paths in the order in which reserve_text() counted
  // them.
  void add(const asset_path& path, std::uint32_t value) noexcept {
    const std::uint64_t at = reserve_text(path.text.size(), &end_);
    char* const record = texts_[0].bytes + at * unit_bytes;
    const auto length = static_cast<std::uint16_t>(path.text.size());
    std::memcpy(record, &length, sizeof length);
    if (length != 0) std::memcpy(record + sizeof length, path.text.data(), length);
    std::size_t i = group_of(path.id);
    for (; groups_[i].tags.first_empty() == tag_word::slots; i = after(i)) {
      groups_[i].tags.set_more(true);
    }
    group& into = groups_[i];
    const std::uint32_t slot_number = into.tags.first_empty();
    into.slots[slot_number] = {static_cast<std::uint32_t>(at), value};
    into.tags.set(slot_number, path.id);
  }

  // The value of the path, or none.
  [[nodiscard]] std::uint32_t find(const asset_path& path) const noexcept {
    const std::int64_t likely = find_likely(path);
    return likely == unsure ? find_anywhere(path) : static_cast<std::uint32_t>(likely);
  }
  // The same with -1 for none, or `unsure` if find() must be called. The first candidate nearly
  // always is the path, and its group nearly always has room for all; only that case is inlined,
  // without a call. The result is wider than the values so that no value is special.
  static constexpr std::int64_t unsure = -2;
  [[nodiscard, gnu::always_inline]] std::int64_t find_likely(
      const asset_path& path) const noexcept {
    const group& at = groups_[group_of(path.id)];
    const std::uint32_t slot_number = at.tags.likely_slot(path.id);
    if (slot_number == tag_word::slots) return at.tags.more() ? unsure : -1;
    const slot& likely = at.slots[slot_number];
    return same_usual_text(text_of(likely), path.text) ? std::int64_t{likely.value} : unsure;
  }
  // The first value of a path that may have this id and that `match` accepts, or none.
  template <class Match>
  [[nodiscard]] std::uint32_t find_value(path_id id, Match match) const noexcept {
    return probe(id, [&](const slot& at) { return match(at.value); });
  }

 private:
  struct slot {
    std::uint32_t text;  // in units
    std::uint32_t value;
  };
  struct alignas(64) group {
    tag_word tags;
    slot slots[tag_word::slots];
  };
  static_assert(sizeof(group) == 64);
  struct alignas(64) text_line {
    char bytes[64];
  };
  static constexpr std::size_t unit_bytes = 8;
  static constexpr std::size_t units_of_line = sizeof(text_line) / unit_bytes;
  static constexpr std::size_t paths_of_group = 4;  // on average; 1 group in 20 then overflows

  template <class Is>
  [[nodiscard]] std::uint32_t probe(path_id id, Is is) const noexcept {
    for (std::size_t i = group_of(id);; i = after(i)) {
      const group& at = groups_[i];
      const std::uint32_t slot_number =
          at.tags.find(id, [&](std::uint32_t candidate) { return is(at.slots[candidate]); });
      if (slot_number != tag_word::slots) return at.slots[slot_number].value;
      if (!at.tags.more()) return none;
    }
  }
  [[nodiscard]] std::uint32_t find_anywhere(const asset_path& path) const noexcept {
    return probe(path.id, [&](const slot& at) { return same_text(text_of(at), path.text); });
  }
  [[nodiscard]] std::string_view text_of(const slot& at) const noexcept {
    const char* const record = texts_[0].bytes + std::size_t{at.text} * unit_bytes;
    std::uint16_t length = 0;
    std::memcpy(&length, record, sizeof length);
    return {record + sizeof length, length};
  }
  [[nodiscard]] std::size_t group_of(path_id id) const noexcept {
    return static_cast<std::size_t>((id.value * multiplier_ >> 32) * groups_.size() >> 32);
  }
  [[nodiscard]] std::size_t after(std::size_t i) const noexcept {
    return i + 1 == groups_.size() ? 0 : i + 1;
  }

  base_detail::vec<group> groups_;
  base_detail::vec<text_line> texts_;
  std::uint64_t end_ = 0;  // of the texts
  std::uint64_t multiplier_ = 1;
};

}  // namespace overture::vfs_detail

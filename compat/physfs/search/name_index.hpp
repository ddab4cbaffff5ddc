// SPDX-License-Identifier: Zlib
//
// Which mount of a search path is the first that may have a name, so that a look-up under a hundred
// mods asks one archive and not each in turn.
//
// It knows hashes only. That is enough to say that an archive does not have a name; one that may
// have it is asked. Folders, whose files come and go, and archivers of the host are always asked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace physfs {

struct mount;

class name_index {
 public:
  // Of mounts whose archives have `names` files together. Null if out of memory, which is no error.
  [[nodiscard]] static const name_index* make(mount* const* mounts, std::uint32_t count,
                                              std::uint64_t names) noexcept;
  static void destroy(const name_index* index) noexcept;
  name_index(const name_index&) = delete;
  name_index& operator=(const name_index&) = delete;

  // The position of the first archive that may have the name, or the number of mounts.
  [[nodiscard]] std::uint32_t first_with(std::string_view name) const noexcept;
  // The first mount at or after `from` that must be asked for a name with this first archive.
  [[nodiscard]] std::uint32_t next(std::uint32_t from, std::uint32_t first) const noexcept {
    if (from > first) return from;
    const std::uint32_t always = always_asked_[from];
    return always < first ? always : first;
  }

 private:
  struct slot {
    std::uint32_t tag = 0;    // of the name's hash
    std::uint32_t first = 0;  // position + 1; 0 if the slot is free
  };

  name_index(std::uint32_t count, std::size_t slots) noexcept;
  [[nodiscard]] static std::size_t bytes_for(std::uint32_t count, std::size_t slots) noexcept;
  [[nodiscard]] static name_index* allocate(std::uint32_t count, std::size_t slots) noexcept;
  // These return false if the slots do not suffice, or out of memory.
  [[nodiscard]] bool fill(mount* const* mounts) noexcept;
  [[nodiscard]] bool add_names_of(const mount& added, std::uint32_t position) noexcept;
  [[nodiscard]] bool add(std::string_view name, std::uint32_t position) noexcept;
  [[nodiscard]] bool is_full() const noexcept { return used_ > slots_max_ - slots_max_ / 4; }
  // The name's slot, or a free one.
  [[nodiscard]] slot& slot_of(std::uint64_t hash) const noexcept;

  const std::uint32_t count_;  // of the mounts
  const std::size_t slots_max_;
  std::size_t used_ = 0;
  std::uint64_t multiplier_;
  int shift_;
  slot* slots_;
  std::uint32_t* always_asked_;  // for each position, the next mount whose names are not known
};

}  // namespace physfs

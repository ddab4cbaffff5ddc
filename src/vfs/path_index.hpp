// A hash table from normal paths to numbers, filled once.
//
// A slot holds the address and length of its path, so a look-up touches the slot and the text, and
// compares the whole path. The texts belong to somebody else and must outlive the table. Where a
// slot lies depends on the table's address: names cannot be crafted to fall into one place.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/vec.hpp"
#include "overture/path.hpp"
#include "overture/prefetch.hpp"
#include "vfs/same_text.hpp"

namespace overture::vfs {

class path_index {
 public:
  struct slot {
    const char* path = nullptr;  // null: the slot is empty
    std::uint32_t value = 0;
    std::uint16_t length = 0;
    std::uint16_t tag = 0;  // of the path's id, so that other paths' texts are rarely looked at
  };

  explicit path_index(allocator& memory) noexcept : slots_(memory, memory_tag::vfs) {}

  // Room for `count` paths, none of them in yet. False if the memory was refused.
  [[nodiscard]] bool reset(std::size_t count) noexcept {
    const std::size_t capacity = std::bit_ceil(count + count / 2 + 16);
    slots_.clear();
    if (!slots_.resize(capacity)) return false;
    shift_ = 64 - std::countr_zero(capacity);
    multiplier_ = hash_of_address() | 1;
    return true;
  }

  // The first slot on the way of this id that is empty or that `match` accepts.
  template <class Match>
  [[nodiscard]] const slot& probe(path_id id, Match match) const noexcept {
    const std::size_t mask = slots_.size() - 1;
    const std::uint16_t tag = tag_of(id);
    for (std::size_t i = (id.value * multiplier_) >> shift_;; ++i) {
      const slot& at = slots_[i & mask];
      if (at.path == nullptr || (at.tag == tag && match(at))) return at;
    }
  }
  // Brings what probe() looks at first into the cache.
  void fetch_ahead(path_id id) const noexcept {
    prefetch_to_write(&slots_[(id.value * multiplier_) >> shift_]);
  }
  [[nodiscard]] const slot& find(const asset_path& path) const noexcept {
    return probe(path.id,
                 [&](const slot& at) { return same_text({at.path, at.length}, path.text); });
  }

  // Fills a slot that probe() or find() gave.
  void set(const slot& at, const asset_path& path, std::uint32_t value) noexcept {
    slots_[static_cast<std::size_t>(&at - slots_.data())] = slot{
        path.text.data(), value, static_cast<std::uint16_t>(path.text.size()), tag_of(path.id)};
  }

 private:
  static std::uint16_t tag_of(path_id id) noexcept {
    return static_cast<std::uint16_t>(id.value >> 48);
  }
  [[nodiscard]] std::uint64_t hash_of_address() const noexcept {
    return detail::xxh_round(reinterpret_cast<std::uintptr_t>(slots_.data()),
                             reinterpret_cast<std::uintptr_t>(this));
  }

  vec<slot> slots_;
  std::uint64_t multiplier_ = 1;
  int shift_ = 60;
};

}  // namespace overture::vfs

// SPDX-License-Identifier: Zlib
//
// slot_table: finds the slot of an asset by its path, type, part and settings. Slots stay until the
// table ends.
//
// Not synchronised: the store's lock guards it.
#pragma once

#include "assets/slot.hpp"
#include "base/vec.hpp"

namespace overture::assets_detail {

class slot_table {
 public:
  explicit slot_table(allocator& memory) noexcept
      : memory_(memory),
        buckets_(memory, memory_tag::load),
        paths_(memory, memory_tag::load),
        chunks_(memory, memory_tag::load) {}
  ~slot_table();
  slot_table(const slot_table&) = delete;
  slot_table& operator=(const slot_table&) = delete;

  // The slot, made if there is none; null without memory.
  [[nodiscard]] slot* find_or_add(const asset_path& path,
                                  const overture::detail::asset_wanted& what) noexcept;
  // The slots of a path, whatever their type: the first, and the one after another.
  [[nodiscard]] slot* first_of(const asset_path& path) noexcept;
  [[nodiscard]] static slot* next_of(const slot& one) noexcept;
  // The slot that this address is in; null if it is in none.
  [[nodiscard]] slot* slot_at_address(const void* address) const noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] slot& at(std::size_t index) const noexcept {
    return chunks_[index / chunk_slots]->slots[index % chunk_slots];
  }

 private:
  static constexpr std::size_t chunk_slots = 64;
  struct chunk {
    slot slots[chunk_slots];
  };
  struct text_block {
    text_block* next = nullptr;
    std::size_t bytes = 0;
  };

  [[nodiscard]] bool grow() noexcept;
  [[nodiscard]] bool copy(std::string_view text, std::string_view& to) noexcept;
  [[nodiscard]] slot*& bucket(std::uint64_t hash) noexcept {
    return buckets_[hash & (buckets_.size() - 1)];
  }
  [[nodiscard]] slot*& bucket_of_path(path_id id) noexcept {
    return paths_[id.value & (paths_.size() - 1)];
  }
  void link(slot& one) noexcept;

  allocator& memory_;
  base_detail::vec<slot*> buckets_;  // by all that makes a slot what it is; a power of two
  base_detail::vec<slot*> paths_;    // as many, of the first slot of each path
  base_detail::vec<chunk*> chunks_;
  std::size_t size_ = 0;
  text_block* texts_ = nullptr;
  std::size_t text_left_ = 0;  // of the first
};

}  // namespace overture::assets_detail

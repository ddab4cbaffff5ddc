// SPDX-License-Identifier: Zlib
#include "assets/slot_table.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace overture::assets_detail {

slot_table::~slot_table() {
  for (chunk* const each : chunks_) base_detail::destroy_object(memory_, memory_tag::load, each);
  while (text_block* const block = texts_) {
    texts_ = block->next;
    memory_.deallocate(block, sizeof(text_block) + block->bytes, alignof(text_block),
                       memory_tag::load);
  }
}

bool slot_table::grow() noexcept {
  if (size_ < buckets_.size()) return true;
  base_detail::vec<slot*> wider(memory_, memory_tag::load);
  if (!wider.resize(std::max<std::size_t>(buckets_.size() * 2, 256))) return false;
  buckets_ = std::move(wider);
  for (std::size_t i = 0; i < size_; ++i) {
    slot& each = at(i);
    slot*& first = bucket(each.path.id);
    each.next_in_bucket = first;
    first = &each;
  }
  return true;
}

bool slot_table::copy(std::string_view text, std::string_view& to) noexcept {
  if (text.size() > text_left_) {
    const std::size_t bytes = std::max<std::size_t>(text.size(), 16u << 10);
    void* const place =
        memory_.allocate(sizeof(text_block) + bytes, alignof(text_block), memory_tag::load);
    if (place == nullptr) return false;
    texts_ = ::new (place) text_block{texts_, bytes};
    text_left_ = bytes;
  }
  char* const at = reinterpret_cast<char*>(texts_ + 1) + (texts_->bytes - text_left_);
  if (!text.empty()) std::memcpy(at, text.data(), text.size());
  text_left_ -= text.size();
  to = {at, text.size()};
  return true;
}

namespace {

slot* same_path(slot* from, const asset_path& path) noexcept {
  while (from != nullptr && (from->path.id != path.id || from->path.text != path.text)) {
    from = from->next_in_bucket;
  }
  return from;
}

}  // namespace

slot* slot_table::first_of(const asset_path& path) noexcept {
  return buckets_.empty() ? nullptr : same_path(bucket(path.id), path);
}

slot* slot_table::next_of(const slot& one) noexcept {
  return same_path(one.next_in_bucket, one.path);
}

slot* slot_table::slot_at_address(const void* address) const noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (chunk* const each : chunks_) {
    const auto begin = reinterpret_cast<std::uintptr_t>(each->slots);
    if (at < begin || at - begin >= sizeof each->slots) continue;
    return &each->slots[(at - begin) / sizeof(slot)];
  }
  return nullptr;
}

slot* slot_table::find_or_add(const asset_path& path,
                              const overture::detail::asset_wanted& what) noexcept {
  const type_key type = key_of(*what.type);
  // Without memory for more buckets those that are there have to do.
  if (!grow() && buckets_.empty()) return nullptr;
  slot*& first = bucket(path.id);
  for (slot* each = first_of(path); each != nullptr; each = next_of(*each)) {
    if (each->type == type && each->part == what.part && each->settings == what.settings) {
      return each;
    }
  }
  if (size_ == chunks_.size() * chunk_slots) {
    chunk* const fresh = base_detail::make_object<chunk>(memory_, memory_tag::load);
    if (fresh == nullptr) return nullptr;
    if (!chunks_.push_back(fresh)) {
      base_detail::destroy_object(memory_, memory_tag::load, fresh);
      return nullptr;
    }
  }
  slot& made = at(size_);
  if (!copy(path.text, made.path.text) || !copy(what.part, made.part) ||
      !copy(what.settings, made.settings)) {
    return nullptr;
  }
  made.path.id = path.id;
  made.type = type;
  made.next_in_bucket = first;
  first = &made;
  ++size_;
  return &made;
}

}  // namespace overture::assets_detail

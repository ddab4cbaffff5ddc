// SPDX-License-Identifier: Zlib
#include "assets/slot_table.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "overture/base/hash.hpp"

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
  const std::size_t count = std::max<std::size_t>(buckets_.size() * 2, 256);
  base_detail::vec<slot*> wider(memory_, memory_tag::load);
  base_detail::vec<slot*> wider_paths(memory_, memory_tag::load);
  if (!wider.resize(count) || !wider_paths.resize(count)) return false;
  buckets_ = std::move(wider);
  paths_ = std::move(wider_paths);
  for (std::size_t i = 0; i < size_; ++i) link(at(i));
  return true;
}

// Into its bucket, and after the first of its path or as that.
void slot_table::link(slot& one) noexcept {
  slot*& first = bucket(one.hash);
  one.next_in_bucket = first;
  first = &one;
  if (slot* const of_path = first_of(one.path)) {
    one.first_of_path = of_path;
    one.next_of_path = std::exchange(of_path->next_of_path, &one);
    return;
  }
  slot*& path = bucket_of_path(one.path.id);
  one.first_of_path = &one;
  one.next_of_path = nullptr;
  one.next_in_paths = path;
  path = &one;
}

bool slot_table::copy(std::string_view text, std::string_view& to) noexcept {
  to = {};
  if (text.empty()) return true;
  if (text.size() > text_left_) {
    const std::size_t bytes = std::max<std::size_t>(text.size(), 16u << 10);
    void* const place =
        memory_.allocate(sizeof(text_block) + bytes, alignof(text_block), memory_tag::load);
    if (place == nullptr) return false;
    texts_ = ::new (place) text_block{texts_, bytes};
    text_left_ = bytes;
  }
  char* const at = reinterpret_cast<char*>(texts_ + 1) + (texts_->bytes - text_left_);
  std::memcpy(at, text.data(), text.size());
  text_left_ -= text.size();
  to = {at, text.size()};
  return true;
}

namespace {

std::uint64_t hash_of(const asset_path& path, const type_key& type, std::string_view part,
                      std::string_view settings) noexcept {
  std::uint64_t hash = path.id.value ^ type.id * 0x9E3779B97F4A7C15u;
  if (!part.empty()) hash = hash * 31 + hash64(part);
  if (!settings.empty()) hash = hash * 31 + hash64(settings);
  return hash ^ hash >> 32;
}

}  // namespace

slot* slot_table::first_of(const asset_path& path) noexcept {
  slot* one = paths_.empty() ? nullptr : bucket_of_path(path.id);
  while (one != nullptr && (one->path.id != path.id || one->path.text != path.text)) {
    one = one->next_in_paths;
  }
  return one;
}

slot* slot_table::next_of(const slot& one) noexcept {
  return one.next_of_path;
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
  const std::uint64_t hash = hash_of(path, type, what.part, what.settings);
  for (slot* each = bucket(hash); each != nullptr; each = each->next_in_bucket) {
    const bool same_path = each->path.id == path.id && each->path.text == path.text;
    const bool same_rest = each->part == what.part && each->settings == what.settings;
    if (same_path && each->type == type && same_rest) return each;
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
  made.hash = hash;
  link(made);
  ++size_;
  return &made;
}

}  // namespace overture::assets_detail

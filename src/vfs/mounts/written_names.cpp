// SPDX-License-Identifier: Zlib
#include "vfs/mounts/written_names.hpp"

#include <cstring>
#include <new>
#include <utility>

namespace overture::vfs_detail {
namespace {

std::size_t bytes_for(std::size_t path, std::size_t on_disk) noexcept {
  return sizeof(written_name) + path + 1 + on_disk + 1;
}

// The next two bits of the hash choose the child.
std::size_t take_branch(std::uint64_t& hash) noexcept {
  const std::size_t branch = hash >> 62;
  hash <<= 2;
  return branch;
}

void put_in_front(atomic<written_name*>& first, written_name* name, written_name*& next) noexcept {
  next = first.load();
  while (!first.compare_exchange_strong(next, name)) {
  }
}

}  // namespace

written_names::~written_names() {
  written_name* name = newest_.load();
  while (name) free(std::exchange(name, name->older));
}

const written_name* written_names::find(const asset_path& path) const noexcept {
  const written_name* at = root_.load(std::memory_order_acquire);
  for (std::uint64_t hash = path.id.value; at;) {
    if (at->id == path.id && at->path() == path.text) return at;
    at = at->children[take_branch(hash)].load(std::memory_order_acquire);
  }
  return nullptr;
}

written_name* written_names::insert(const asset_path& path, std::string_view on_disk,
                                    written_name* folder) noexcept {
  written_name* made = nullptr;
  atomic<written_name*>* link = &root_;
  for (std::uint64_t hash = path.id.value;;) {
    written_name* at = link->load(std::memory_order_acquire);
    if (!at) {
      if (!made) made = make(path, on_disk);
      if (!made) return nullptr;
      if (link->compare_exchange_strong(at, made)) break;
      // Another thread was faster; `at` is its name.
    }
    if (at->id == path.id && at->path() == path.text) {
      if (made) free(made);
      return at;
    }
    link = &at->children[take_branch(hash)];
  }
  put_in_front(newest_, made, made->older);
  put_in_front(folder ? folder->newest_below : newest_in_root_, made, made->older_sibling);
  return made;
}

written_name* written_names::make(const asset_path& path, std::string_view on_disk) noexcept {
  void* const room = memory_.allocate(bytes_for(path.text.size(), on_disk.size()),
                                      alignof(written_name), memory_tag::vfs);
  if (!room) return nullptr;
  auto* const made = ::new (room) written_name;
  auto* text = reinterpret_cast<char*>(made + 1);
  std::memcpy(text, path.text.data(), path.text.size());
  text[path.text.size()] = '/';
  made->id = path.id;
  made->number = made_count_.fetch_add(1);
  made->length = static_cast<std::uint16_t>(path.text.size());
  text += path.text.size() + 1;
  std::memcpy(text, on_disk.data(), on_disk.size());
  text[on_disk.size()] = '\0';
  made->on_disk = text;
  return made;
}

void written_names::free(written_name* name) noexcept {
  memory_.deallocate(name, bytes_for(name->length, std::strlen(name->on_disk)),
                     alignof(written_name), memory_tag::vfs);
}

}  // namespace overture::vfs_detail

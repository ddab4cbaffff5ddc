// SPDX-License-Identifier: Zlib
#include "vfs/mounts/sources.hpp"

#include <new>

#include "base/limit_text.hpp"

namespace overture::vfs_detail {
using namespace base_detail;

source_table::~source_table() {
  for (atomic<slot*>& chunk : chunks_) {
    memory_.deallocate(chunk.load(std::memory_order_relaxed), sizeof(slot) * chunk_slots,
                       alignof(slot), memory_tag::vfs);
  }
}

source_table::slot* source_table::slot_of(std::uint32_t index) const noexcept {
  if (index >= chunk_slots * chunks_max) return nullptr;
  slot* const chunk = chunks_[index / chunk_slots].load(std::memory_order_acquire);
  return chunk ? chunk + index % chunk_slots : nullptr;
}

result<std::uint32_t> source_table::take_slot() noexcept {
  const std::uint32_t reused = free_.pop(links());
  if (reused != index_stack::none) return reused;
  void* const room = memory_.allocate(sizeof(slot) * chunk_slots, alignof(slot), memory_tag::vfs);
  if (!room) return fail(errc::out_of_memory, "out of memory for the list of open files");
  auto* const slots = static_cast<slot*>(room);
  for (std::uint32_t i = 0; i < chunk_slots; ++i) ::new (static_cast<void*>(slots + i)) slot;
  // Threads that run out of slots at the same time each add a chunk.
  const std::uint32_t chunk = chunk_count_.fetch_add(1, std::memory_order_relaxed);
  if (chunk >= chunks_max) {
    chunk_count_.fetch_sub(1, std::memory_order_relaxed);
    memory_.deallocate(room, sizeof(slot) * chunk_slots, alignof(slot), memory_tag::vfs);
    return fail(errc::limit, limit_text::open_files);
  }
  chunks_[chunk].store(slots, std::memory_order_release);
  const std::uint32_t first = chunk * chunk_slots;
  for (std::uint32_t i = chunk_slots - 1; i > 0; --i) free_.push(first + i, links());
  return first;
}

result<source_id> source_table::add(os_handle handle, source_owner owner) noexcept {
  const result<std::uint32_t> index = take_slot();
  if (!index) return tl::unexpected(index.error());
  slot& taken = *slot_of(*index);
  // Released: a find() of the slot's last id that sees one of these also sees that the id ended.
  taken.handle.store(handle.value, std::memory_order_release);
  taken.mount.store(owner.mount.value, std::memory_order_release);
  taken.entry.store(owner.entry, std::memory_order_release);
  taken.os.store(owner.os, std::memory_order_release);
  // Odd generations are in use. The release makes the slot visible to all threads that know the id.
  const std::uint32_t generation = taken.generation.load(std::memory_order_relaxed) + 1;
  taken.generation.store(generation, std::memory_order_release);
  return source_id{*index, generation};
}

os_handle source_table::remove(source_id id) noexcept {
  slot& left = *slot_of(id.index);
  const os_handle handle{left.handle.load(std::memory_order_relaxed)};
  left.generation.store(id.generation + 1, std::memory_order_release);
  free_.push(id.index, links());
  return handle;
}

bool source_table::find(source_id id, os_handle& handle, source_owner& owner) const noexcept {
  const slot* const at = slot_of(id.index);
  if (!at || id.generation % 2 == 0) return false;
  if (at->generation.load(std::memory_order_acquire) != id.generation) return false;
  handle = {at->handle.load(std::memory_order_acquire)};
  owner = {{at->mount.load(std::memory_order_acquire)},
           at->entry.load(std::memory_order_acquire),
           at->os.load(std::memory_order_acquire)};
  return at->generation.load(std::memory_order_relaxed) == id.generation;
}

}  // namespace overture::vfs_detail

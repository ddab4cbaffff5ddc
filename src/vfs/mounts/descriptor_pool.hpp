// SPDX-License-Identifier: Zlib
//
// Shares a few descriptors among many mounts.
//
// The first mounts keep a descriptor each, up to half of those the process had left at the first
// mount; the pool costs them nothing. Further mounts are parked: they share the pool's slots, are
// opened when they are read, and closed by the clock algorithm when others need the slot (Corbató,
// "A paging experiment with the Multics system", 1968). A file or folder must still be the same
// when it is reopened: if an archive has changed, the directory we have read is worthless.
//
// A parked file looks like an operating_system with one additional handle, so its readers need no
// special case.
#pragma once

#include <cstddef>
#include <cstdint>

#include "archives/handle.hpp"
#include "base/vec.hpp"
#include "overture/base/os.hpp"
#include "overture/sync/event_count.hpp"
#include "sync/mutex.hpp"

namespace overture::vfs_detail {

class parked_file;
struct pooled_file;

// Threads: any. Files are opened without the lock held.
class descriptor_pool {
 public:
  static constexpr std::size_t slots_max = 16;

  // Whether one more mount may keep a descriptor until give_back().
  [[nodiscard]] bool claim() noexcept;
  void give_back() noexcept;

 private:
  friend class parked_file;
  [[nodiscard]] result<os_handle> pin(parked_file& file, bool may_wait) noexcept;
  void unpin(parked_file& file) noexcept;
  void forget(parked_file& file) noexcept;
  [[nodiscard]] static pooled_file& of(parked_file& file, const sync_detail::mutex& held) noexcept
      REQUIRES(held);
  [[nodiscard]] bool take_slot(parked_file& file, archives_detail::owned_handle& evicted) noexcept
      REQUIRES(lock_);
  result<os_handle> open_again(parked_file& file) noexcept;
  void measure() noexcept REQUIRES(lock_);

  sync_detail::mutex lock_;
  event_count changed_;
  bool measured_ GUARDED_BY(lock_) = false;
  std::size_t kept_ GUARDED_BY(lock_) = 0;
  std::size_t kept_max_ GUARDED_BY(lock_) = 0;
  std::size_t slot_count_ GUARDED_BY(lock_) = 0;
  std::size_t hand_ GUARDED_BY(lock_) = 0;
  parked_file* slots_[slots_max] GUARDED_BY(lock_) = {};
};

// A mount's claim to a descriptor of its own; the destructor gives it back.
class kept_descriptor {
 public:
  kept_descriptor() = default;
  kept_descriptor(const kept_descriptor&) = delete;
  kept_descriptor& operator=(const kept_descriptor&) = delete;
  ~kept_descriptor() {
    if (pool_) pool_->give_back();
  }
  [[nodiscard]] bool claim(descriptor_pool& pool) noexcept {
    if (pool.claim()) pool_ = &pool;
    return pool_ != nullptr;
  }

 private:
  descriptor_pool* pool_ = nullptr;
};

// What the pool keeps about a file.
struct pooled_file {
  enum class phase : std::uint8_t { closed, opening, open, closing } now = phase::closed;
  bool used = false;  // since the clock hand passed
  std::uint32_t pins = 0;
  std::size_t slot = 0;
  os_handle handle;
};

class parked_file final : public operating_system {
 public:
  // The handle of the parked file itself. No real handle has this value.
  static constexpr os_handle root{INT64_MIN};

  explicit parked_file(allocator& memory) noexcept : path_(memory, memory_tag::vfs) {}

  // Parks a file or folder that was opened by this path and has been closed. Error: out_of_memory.
  [[nodiscard]] result<void> begin(descriptor_pool& pool, operating_system& os, const char* path,
                                   const file_status& status) noexcept;

  // Opens the file if necessary and keeps it open until unpin(). Errors: those of opening;
  // replaced; busy if it would have to wait and may not.
  [[nodiscard]] result<os_handle> pin(bool may_wait) noexcept {
    return pool_->pin(*this, may_wait);
  }
  void unpin() noexcept { pool_->unpin(*this); }
  [[nodiscard]] operating_system& system() const noexcept { return *os_; }

  result<os_handle> open(const char* path) noexcept override { return os_->open(path); }
  result<os_handle> open_below(os_handle folder, const char* path) noexcept override {
    return with(folder, [&](os_handle at) { return os_->open_below(at, path); });
  }
  void close(os_handle handle) noexcept override {
    is_root(handle) ? pool_->forget(*this) : os_->close(handle);
  }
  result<file_status> status(os_handle handle) noexcept override {
    return with(handle, [&](os_handle at) { return os_->status(at); });
  }
  result<std::size_t> read_at(os_handle handle, std::uint64_t offset,
                              std::span<std::byte> bytes) noexcept override {
    return with(handle, [&](os_handle at) { return os_->read_at(at, offset, bytes); });
  }
  result<std::size_t> read_parts_at(os_handle handle, std::uint64_t offset,
                                    std::span<const std::span<std::byte>> parts) noexcept override {
    return with(handle, [&](os_handle at) { return os_->read_parts_at(at, offset, parts); });
  }
  result<std::size_t> read_cached_at(os_handle handle, std::uint64_t offset,
                                     std::span<std::byte> bytes) noexcept override {
    return with(
        handle, [&](os_handle at) { return os_->read_cached_at(at, offset, bytes); }, false);
  }
  // The parked file's own descriptor may be closed at any time; use pin().
  int descriptor(os_handle handle) noexcept override {
    return is_root(handle) ? -1 : os_->descriptor(handle);
  }
  result<file_status> status(const char* path, bool follow_links) noexcept override {
    return os_->status(path, follow_links);
  }
  result<void> list(const char* path,
                    function_ref<void(const folder_entry&) noexcept> visit) noexcept override {
    return os_->list(path, visit);
  }
  result<std::size_t> canonical_path(const char* path, std::span<char> text) noexcept override {
    return os_->canonical_path(path, text);
  }
  result<std::size_t> write_at(os_handle handle, std::uint64_t offset,
                               std::span<const std::byte> bytes) noexcept override {
    return os_->write_at(handle, offset, bytes);
  }
  result<void> sync(os_handle handle) noexcept override {
    return with(handle, [&](os_handle at) { return os_->sync(at); });
  }
  result<mapping> map(os_handle handle) noexcept override {
    return with(handle, [&](os_handle at) { return os_->map(at); });
  }
  void unmap(mapping memory) noexcept override { os_->unmap(memory); }
  result<os_handle> open_to_write(os_handle folder, const char* path,
                                  write_mode mode) noexcept override {
    return with(folder, [&](os_handle at) { return os_->open_to_write(at, path, mode); });
  }
  result<void> make_folder_below(os_handle folder, const char* path) noexcept override {
    return with(folder, [&](os_handle at) { return os_->make_folder_below(at, path); });
  }
  result<void> remove_below(os_handle folder, const char* path) noexcept override {
    return with(folder, [&](os_handle at) { return os_->remove_below(at, path); });
  }
  result<void> rename_below(os_handle folder, const char* from, const char* to) noexcept override {
    return with(folder, [&](os_handle at) { return os_->rename_below(at, from, to); });
  }

 private:
  friend class descriptor_pool;
  static bool is_root(os_handle handle) noexcept { return handle.value == root.value; }

  // Calls `act` with the system's handle.
  template <class Act>
  auto with(os_handle handle, Act act, bool may_wait = true) noexcept -> decltype(act(handle)) {
    if (!is_root(handle)) return act(handle);
    const result<os_handle> open = pin(may_wait);
    if (!open) return tl::unexpected(open.error());
    auto outcome = act(*open);
    unpin();
    return outcome;
  }

  descriptor_pool* pool_ = nullptr;
  operating_system* os_ = nullptr;
  base_detail::vec<char> path_;  // NUL-terminated
  file_status status_;

  pooled_file pooled_;  // only descriptor_pool::of() gives it out
};

}  // namespace overture::vfs_detail

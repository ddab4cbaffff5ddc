// SPDX-License-Identifier: Zlib
//
// Names created or removed in a mount since it was mounted: through this file system if it is
// writable, by others if it is not and a file_watch watches it. The mount's own listing is
// immutable.
//
// A trie over the paths' ids, two bits per level. Names are only ever added; a removed file stays,
// in state `removed`. So readers need no lock, and nothing is freed before the mount ends. The
// price is memory for each different name written to.
//
// Source of the method: the insert-only hash trie (Wellons, "An easy-to-implement, arena-friendly
// hash map", 2023), with an exchange for the insertion.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "overture/base/allocator.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/path.hpp"

namespace overture::vfs_detail {

enum class written_state : std::uint8_t { as_listed, file, removed };

struct written_name {
  atomic<written_name*> children[4] = {};
  path_id id;
  written_name* older = nullptr;          // the name added before this one
  written_name* older_sibling = nullptr;  // the name added to the same folder before this one
  atomic<written_name*> newest_below{
      nullptr};                   // a folder's newest name; continue with `older_sibling`
  const char* on_disk = nullptr;  // relative to the mount's folder, NUL-terminated
  std::uint32_t number = 0;
  std::uint16_t length = 0;
  atomic<written_state> state{written_state::as_listed};
  atomic<std::int32_t> files_below{0};  // in a folder, relative to the number listed

  // The path in the tree. It is stored after this object, followed by the name on disk.
  [[nodiscard]] std::string_view path() const noexcept {
    return {reinterpret_cast<const char*>(this + 1), length};
  }
  // With a '/' at the end.
  [[nodiscard]] std::string_view path_as_folder() const noexcept {
    return {reinterpret_cast<const char*>(this + 1), length + std::size_t{1}};
  }
};

class written_names {
 public:
  explicit written_names(allocator& memory) noexcept : memory_(memory) {}
  ~written_names();
  written_names(const written_names&) = delete;
  written_names& operator=(const written_names&) = delete;

  // Any thread.
  [[nodiscard]] bool any() const noexcept {
    return root_.load(std::memory_order_acquire) != nullptr;
  }
  [[nodiscard]] const written_name* find(const asset_path& path) const noexcept;
  [[nodiscard]] written_name* find(const asset_path& path) noexcept {
    return const_cast<written_name*>(std::as_const(*this).find(path));
  }
  // Finds or adds a name. `folder` contains it; null is the root. Null if out of memory.
  [[nodiscard]] written_name* insert(const asset_path& path, std::string_view on_disk,
                                     written_name* folder = nullptr) noexcept;
  // The newest name in a folder (null is the root); continue with written_name::older_sibling.
  [[nodiscard]] const written_name* newest_in(const written_name* folder) const noexcept {
    return (folder ? folder->newest_below : newest_in_root_).load(std::memory_order_acquire);
  }
  // The newest name; continue with written_name::older.
  [[nodiscard]] const written_name* newest() const noexcept {
    return newest_.load(std::memory_order_acquire);
  }

 private:
  written_name* make(const asset_path& path, std::string_view on_disk) noexcept;
  void free(written_name* name) noexcept;

  allocator& memory_;
  atomic<written_name*> root_{nullptr};
  atomic<written_name*> newest_{nullptr};
  atomic<written_name*> newest_in_root_{nullptr};
  atomic<std::uint32_t> made_count_{0};
};

}  // namespace overture::vfs_detail

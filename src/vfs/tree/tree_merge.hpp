// SPDX-License-Identifier: Zlib
//
// Merges what several mounts have below a folder into one sorted sequence.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/vec.hpp"
#include "vfs/tree/lookup_hit.hpp"

namespace overture::vfs_detail {

enum class depth : std::uint8_t {
  whole,     // all files
  children,  // all files the mounts list, but of written ones in subfolders only the subfolder
};

class tree_merge {
 public:
  explicit tree_merge(allocator& memory) noexcept
      : inputs_(memory, memory_tag::vfs), written_(memory, memory_tag::vfs) {}

  // Errors: not_found, not_a_file, out_of_memory.
  [[nodiscard]] result<void> begin(const snapshot& now, asset_path folder, depth how_deep) noexcept;

  [[nodiscard]] bool done() const noexcept { return inputs_.empty(); }
  // The current path, in the order of path_order.hpp.
  [[nodiscard]] std::string_view path() const noexcept { return inputs_[0].path; }
  // The winner, if the path is a file.
  [[nodiscard]] lookup_hit winner() const noexcept;
  [[nodiscard]] path_id id() const noexcept;
  // Moves past all entries of the current path.
  void skip_path() noexcept;
  // Moves past all entries that are `child` or below it. `child` is path() or a parent of it.
  void skip_child(std::string_view child) noexcept;

 private:
  struct input {
    const mount* from = nullptr;
    std::uint32_t at = 0;  // index in the mount's order, or in written_
    std::uint32_t end = 0;
    std::size_t priority = 0;  // the lowest wins
    bool written = false;
    bool may_lack = false;  // some listed files may have been removed
    std::string_view path;
  };
  static bool later(const input& a, const input& b) noexcept;
  [[nodiscard]] std::string_view path_at(const input& of, std::uint32_t at) const noexcept;
  [[nodiscard]] bool is_removed(const input& of) const noexcept;
  [[nodiscard]] bool add(input added) noexcept;
  [[nodiscard]] bool add_written(const mount& from, asset_path folder, std::size_t priority,
                                 depth how_deep) noexcept;
  [[nodiscard]] bool front_is_removal() const noexcept;
  void pass_removed() noexcept;
  void pass_path() noexcept;
  [[nodiscard]] bool move_to(input& moved, std::uint32_t at) const noexcept;
  void advance_first(std::uint32_t at) noexcept;

  base_detail::vec<input> inputs_;  // a heap by path
  struct written_path {
    const written_name* name = nullptr;
    std::string_view path;  // a folder's ends with '/'
  };
  base_detail::vec<written_path> written_;
};

}  // namespace overture::vfs_detail

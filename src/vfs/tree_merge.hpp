// Goes through what several mounts have below one folder, in one order.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/vec.hpp"
#include "vfs/path_owner.hpp"

namespace overture::vfs {

enum class depth : std::uint8_t {
  whole,     // all files
  children,  // files, and of what was written in folders within, the folders: maybe gone by now
};

class tree_merge {
 public:
  explicit tree_merge(allocator& memory) noexcept
      : ways_(memory, memory_tag::vfs), written_(memory, memory_tag::vfs) {}

  // Begins with what the mounts have below the folder. Errors: not_found, not_a_file,
  // out_of_memory.
  [[nodiscard]] result<void> begin(const snapshot& now, asset_path folder, depth how_deep) noexcept;

  [[nodiscard]] bool done() const noexcept { return ways_.empty(); }
  // The path that comes first, '/' before all else.
  [[nodiscard]] std::string_view path() const noexcept { return ways_[0].path; }
  // Who wins, of a file.
  [[nodiscard]] path_owner winner() const noexcept;
  [[nodiscard]] path_id id() const noexcept;
  // Goes on behind all entries of this path.
  void skip_path() noexcept;
  // Goes on behind all entries whose paths are `child` or lie below it; it must be of path().
  void skip_child(std::string_view child) noexcept;

 private:
  struct way {
    const mount* from = nullptr;
    std::uint32_t at = 0;  // in its order, or in written_
    std::uint32_t end = 0;
    std::size_t priority = 0;  // the winner's is the least
    bool written = false;
    bool may_lack = false;  // of what it lists some is removed
    std::string_view path;
  };
  static bool later(const way& a, const way& b) noexcept;
  [[nodiscard]] std::string_view path_at(const way& of, std::uint32_t at) const noexcept;
  [[nodiscard]] bool is_removed(const way& of) const noexcept;
  [[nodiscard]] bool add(way added) noexcept;
  [[nodiscard]] bool add_written(const mount& from, asset_path folder, std::size_t priority,
                                 depth how_deep) noexcept;
  [[nodiscard]] bool front_is_removal() const noexcept;
  void pass_removed() noexcept;
  void pass_path() noexcept;
  [[nodiscard]] bool move_to(way& moved, std::uint32_t at) const noexcept;
  void advance_first(std::uint32_t at) noexcept;

  vec<way> ways_;  // a heap, the first in front
  struct written_path {
    const written_name* name = nullptr;
    std::string_view path;  // of a folder with a '/' behind it
  };
  vec<written_path> written_;
};

}  // namespace overture::vfs

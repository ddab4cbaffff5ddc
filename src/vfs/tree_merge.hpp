// Goes through what several mounts have below one folder, in one order.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/vec.hpp"
#include "vfs/live_index.hpp"

namespace overture::vfs {

class tree_merge {
 public:
  explicit tree_merge(allocator& memory) noexcept : ways_(memory, memory_tag::vfs) {}

  // Begins with all that the mounts have below the folder. Errors: not_found, not_a_file,
  // out_of_memory.
  [[nodiscard]] result<void> begin(const live_index& index, asset_path folder) noexcept;

  [[nodiscard]] bool done() const noexcept { return ways_.empty(); }
  // The path that comes first, '/' before all else, of the mount that wins.
  [[nodiscard]] std::string_view path() const noexcept { return ways_[0].path; }
  [[nodiscard]] const mount& owner() const noexcept { return *ways_[0].from; }
  [[nodiscard]] path_id id() const noexcept;
  // Goes on behind all entries of this path.
  void skip_path() noexcept;
  // Goes on behind all entries whose paths are `child` or lie below it; it must be of path().
  void skip_child(std::string_view child) noexcept;

 private:
  struct way {
    const mount* from = nullptr;
    std::uint32_t at = 0;  // in its order
    std::uint32_t end = 0;
    std::uint32_t priority = 0;  // the winner's is the least
    std::string_view path;
  };
  static bool later(const way& a, const way& b) noexcept;
  void advance_first(std::uint32_t at) noexcept;

  vec<way> ways_;  // a heap, the first in front
};

}  // namespace overture::vfs

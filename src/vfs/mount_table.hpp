// What is mounted, in the order of mounting. A mount does not change between its mounting and its
// unmounting, and the table does not while the file_system is frozen: then any thread may read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/vec.hpp"
#include "vfs/formats/archive.hpp"

namespace overture::vfs {

struct mount {
  explicit mount(allocator& memory) noexcept
      : content(memory), path(memory, memory_tag::vfs), prefix(memory, memory_tag::vfs) {}

  mount_id id;
  archive content;
  source_id source;  // of an archive file; a folder has none
  vec<char> path;    // as it was given to mount(), ended by NUL
  vec<char> prefix;  // the mount point and a '/', or nothing

  [[nodiscard]] std::string_view path_text() const noexcept {
    return {path.data(), path.size() - 1};
  }
  [[nodiscard]] std::string_view at() const noexcept {
    return {prefix.data(), prefix.empty() ? 0 : prefix.size() - 1};
  }
  [[nodiscard]] mount_info info() const noexcept {
    return {id,
            path_text(),
            at(),
            content.format->id,
            static_cast<std::uint32_t>(content.entries.size()),
            static_cast<std::uint32_t>(content.skipped.size())};
  }
};

class mount_table {
 public:
  explicit mount_table(allocator& memory) noexcept : mounts_(memory, memory_tag::vfs) {}
  ~mount_table();
  mount_table(const mount_table&) = delete;
  mount_table& operator=(const mount_table&) = delete;

  // The next mount, with its id and with room for it, but not in the table yet; null if the memory
  // was refused.
  [[nodiscard]] mount* make() noexcept;
  // Puts in what make() has given last.
  void add(mount* made) noexcept;
  // Ends one that is not in the table.
  void destroy(mount* ended) noexcept;
  // Takes it out; null if there is none of this id.
  [[nodiscard]] mount* remove(mount_id id) noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return mounts_.size(); }
  [[nodiscard]] const mount& operator[](std::size_t index) const noexcept {
    return *mounts_[index];
  }
  [[nodiscard]] const mount* find(mount_id id) const noexcept;

 private:
  [[nodiscard]] std::size_t position_of(mount_id id) const noexcept;

  vec<mount*> mounts_;  // by id
  std::uint32_t next_id_ = 0;
};

}  // namespace overture::vfs

// SPDX-License-Identifier: Zlib
//
// A mounted folder or archive. Immutable while mounted, except for the fields marked as the
// configuring thread's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "archives/archive.hpp"
#include "base/vec.hpp"
#include "overture/vfs/file_system.hpp"
#include "vfs/mounts/descriptor_pool.hpp"
#include "vfs/mounts/memory_file.hpp"
#include "vfs/mounts/written_names.hpp"

namespace overture::vfs_detail {

// A folder of a mount. All entries below it are adjacent in mount::order.
struct mount_folder {
  path_id id;
  const char* text = nullptr;
  std::uint32_t parent = 0;  // index in mount::folders
  std::uint32_t first = 0;   // index in mount::order
  std::uint32_t end = 0;     // likewise
  std::uint16_t length = 0;

  [[nodiscard]] std::string_view path() const noexcept { return {text, length}; }
};

inline constexpr std::uint32_t no_entry = UINT32_MAX;

struct mount {
  explicit mount(allocator& memory) noexcept
      : parked(memory),
        content(memory),
        path(memory, memory_tag::vfs),
        prefix(memory, memory_tag::vfs),
        order(memory, memory_tag::vfs),
        folders(memory, memory_tag::vfs),
        written(memory) {}

  ~mount() {
    if (mapped && mapped->data) os->unmap(*mapped);
  }
  mount(const mount&) = delete;
  mount& operator=(const mount&) = delete;

  // Fills `order` and `folders`. Errors: out_of_memory, limit.
  [[nodiscard]] result<void> arrange() noexcept;

  // The entry of a path, or no_entry.
  [[nodiscard]] std::uint32_t find_entry(std::string_view path) const noexcept;
  // The index in `order` of the first entry below a folder, or order.size().
  [[nodiscard]] std::uint32_t first_below(std::string_view folder) const noexcept;
  [[nodiscard]] bool lists_below(std::string_view folder) const noexcept {
    return first_below(folder) != order.size();
  }

  mount_id id;
  memory_file bytes;   // `os` of a mount in memory
  parked_file parked;  // `os` of a mount without a descriptor of its own
  kept_descriptor kept;
  operating_system* os = nullptr;
  archives_detail::archive content;
  source_id source;        // an archive's; a folder has none
  bool immutable = false;  // so that its files can be mapped
  bool writable = false;
  bool names_change = false;      // writable or watched; only mount_table uses it after prepare()
  bool ignore_case = false;       // paths are folded
  bool narrowed = false;          // mounted with mount_options::from
  bool custom_os = false;         // not on the system's own storage
  result<mapping> mapped;         // of the archive, if immutable
  base_detail::vec<char> path;    // as passed to mount(), NUL-terminated
  base_detail::vec<char> prefix;  // the mount point and a '/', or nothing
  base_detail::vec<std::uint32_t> order;   // entries by path, see path_order.hpp
  base_detail::vec<mount_folder> folders;  // each after its parent, the root first
  mount_release release;
  mutable written_names written;  // changes since it was listed, if its names change

  // The configuring thread's.
  std::uint32_t pins = UINT32_MAX;  // number in reader_pins
  std::uint32_t rank = 0;           // position among the mounts
  mount* next = nullptr;            // in a list of mounts to be destroyed

  // For objects that may outlive the mount.
  [[nodiscard]] operating_system& lasting_os() const noexcept {
    return os == &parked ? parked.system() : *os;
  }
  [[nodiscard]] std::string_view path_text() const noexcept {
    return {path.data(), path.size() - 1};
  }
  [[nodiscard]] std::string_view at() const noexcept {
    return {prefix.data(), prefix.empty() ? 0 : prefix.size() - 1};
  }
  [[nodiscard]] std::string_view path_at(std::uint32_t position) const noexcept {
    return content.path_of(content.entries[order[position]]);
  }
  [[nodiscard]] mount_info info() const noexcept {
    return {id,
            path_text(),
            at(),
            content.format->id,
            static_cast<std::uint32_t>(content.entries.size()) - content.removals,
            static_cast<std::uint32_t>(content.skipped.size()),
            static_cast<std::uint32_t>(content.lost.size())};
  }

 private:
  // False if out of memory.
  [[nodiscard]] bool sort_order() noexcept;
};

}  // namespace overture::vfs_detail

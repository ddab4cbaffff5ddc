// Symbolic links in ZIP archives: the data of such an entry is the target's path.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "archives/archive.hpp"
#include "base/vec.hpp"
#include "overture/io/unpack.hpp"

namespace overture::vfs {

struct zip_link {
  std::uint32_t entry = 0;
  std::uint32_t target = 0;  // where in the texts
  std::uint32_t target_bytes = 0;
  const char* flaw = nullptr;  // why it leads nowhere
  std::uint32_t leads_to = 0;  // a file's entry
  std::uint32_t folder = 0;    // or the path of a folder of the archive: where in the texts
  std::uint32_t folder_bytes = 0;
  bool to_folder = false;
};

// Finds out where an archive's links lead. Paths are those of the tree, with the mount point; the
// archive's root is the mount point with the '/' behind it.
class zip_link_targets {
 public:
  zip_link_targets(const path_index& index, operating_system& os, archive& into) noexcept
      : index_(index),
        os_(os),
        into_(into),
        links_(into.names.memory(), memory_tag::vfs),
        texts_(into.names.memory(), memory_tag::vfs),
        room_(into.names.memory(), memory_tag::vfs),
        order_(into.names.memory(), memory_tag::vfs) {}

  // Reads and follows the links among these entries (ascending numbers). Errors: out_of_memory.
  result<void> find(std::span<const std::uint32_t> entries) noexcept;

  [[nodiscard]] std::span<const zip_link> links() const noexcept { return links_.span(); }
  [[nodiscard]] const zip_link* link_at(std::uint32_t entry) const noexcept;
  [[nodiscard]] std::string_view folder_of(const zip_link& link) const noexcept {
    return {texts_.data() + link.folder, link.folder_bytes};
  }
  // The entries below a folder, by path. Links are among them.
  [[nodiscard]] std::span<const std::uint32_t> below(std::string_view folder) const noexcept;

 private:
  result<void> read_target(zip_link& link) noexcept;
  result<std::span<const std::byte>> read_packed(const file_place& place) noexcept;
  result<void> sort_entries() noexcept;
  result<void> follow(zip_link& link) noexcept;
  // path_index::none if there is none.
  [[nodiscard]] std::uint32_t entry_at(std::string_view path) const noexcept {
    const auto match = [&](std::uint32_t entry) {
      return into_.path_of(into_.entries[entry]) == path;
    };
    return index_.probe({hash64(path)}, match).value;
  }
  [[nodiscard]] std::string_view target_of(const zip_link& link) const noexcept {
    return {texts_.data() + link.target, link.target_bytes};
  }

  const path_index& index_;
  operating_system& os_;
  archive& into_;
  vec<zip_link> links_;  // by entry
  vec<char> texts_;      // targets, and folders that links lead to
  vec<std::byte> room_;
  vec<std::uint32_t> order_;  // of all entries: by path
  std::size_t elements_ = 0;  // of targets that were followed
  unpacker unpacker_;
};

// Puts into the archive what lies behind its links to folders: each file there is one more entry
// under the link's path. Links that would lead into a folder they lie in are skipped.
// Errors: out_of_memory, limit.
[[nodiscard]] result<void> add_behind_folder_links(const zip_link_targets& targets, archive& into,
                                                   archive_builder& builder) noexcept;

// Makes of each entry in `links` (ascending numbers; those taken back are left alone) what the link
// leads to, and takes back the links that lead to nothing. `index` is of the archive's entries, and
// is so again behind it. Errors: out_of_memory, limit.
[[nodiscard]] result<void> resolve_zip_links(std::span<const std::uint32_t> links,
                                             path_index& index, operating_system& os, archive& into,
                                             archive_builder& builder) noexcept;

}  // namespace overture::vfs

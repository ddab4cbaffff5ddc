// SPDX-License-Identifier: Zlib
//
// Symbolic links in archives: entries that are the path of their target.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "archives/archive_builder.hpp"
#include "base/vec.hpp"
#include "overture/base/function_ref.hpp"

namespace overture::archives_detail {

// What a link's entry says: `bytes` of text, or why it cannot be followed (one of skip_reason.hpp).
struct link_text {
  std::size_t bytes = 0;
  const char* flaw = nullptr;
  bool damaged = false;  // it cannot be unpacked
};

// Reads the target of an entry that is a link into `room`, which has link_target_bytes_max. Errors:
// out_of_memory, and those of the disk; anything else is a flaw.
using link_reader =
    function_ref<result<link_text>(const archive_entry& entry, std::span<char> room)>;

struct archive_link {
  std::uint32_t entry = 0;
  std::uint32_t target = 0;  // offset in the texts
  std::uint32_t target_bytes = 0;
  const char* flaw = nullptr;  // why it cannot be followed: one of skip_reason.hpp
  bool damaged = false;        // its target cannot be unpacked
  std::uint32_t leads_to = 0;  // a file's entry
  std::uint32_t folder = 0;    // or the path of a folder of the archive, an offset in the texts
  std::uint32_t folder_bytes = 0;
  bool to_folder = false;
};

// Resolves an archive's links. Paths are those of the tree, with the mount point; the archive's
// root is the mount point followed by '/'.
class archive_link_targets {
 public:
  archive_link_targets(const path_index& index, const name_rules& names, link_reader read,
                       archive& into) noexcept
      : index_(index),
        names_(names),
        read_(read),
        into_(into),
        links_(into.names.memory(), memory_tag::vfs),
        texts_(into.names.memory(), memory_tag::vfs),
        order_(into.names.memory(), memory_tag::vfs) {}

  // Reads and follows the links among these entries (ascending numbers). Errors: out_of_memory,
  // those of reading.
  result<void> find(std::span<const std::uint32_t> entries) noexcept;

  [[nodiscard]] std::span<const archive_link> links() const noexcept { return links_.span(); }
  [[nodiscard]] const archive_link* link_at(std::uint32_t entry) const noexcept;
  [[nodiscard]] std::string_view folder_of(const archive_link& link) const noexcept {
    return {texts_.data() + link.folder, link.folder_bytes};
  }
  // The entries below a folder in order of their paths, links included.
  [[nodiscard]] std::span<const std::uint32_t> below(std::string_view folder) const noexcept;

 private:
  result<void> read_target(archive_link& link) noexcept;
  result<void> sort_entries() noexcept;
  result<void> follow(archive_link& link) noexcept;
  // path_index::none if there is no such entry.
  [[nodiscard]] std::uint32_t entry_at(std::string_view path) const noexcept {
    const auto match = [&](std::uint32_t entry) {
      return into_.path_of(into_.entries[entry]) == path;
    };
    return index_.probe({hash64(path)}, match).value;
  }
  [[nodiscard]] std::string_view target_of(const archive_link& link) const noexcept {
    return {texts_.data() + link.target, link.target_bytes};
  }

  const path_index& index_;
  name_rules names_;
  link_reader read_;
  archive& into_;
  base_detail::vec<archive_link> links_;   // by entry
  base_detail::vec<char> texts_;           // targets, and folders that links lead to
  base_detail::vec<std::uint32_t> order_;  // all entries by path
  std::size_t elements_ = 0;               // path elements followed so far
};

// Adds an entry for each file that can be reached through a link to a folder, under the link's
// path. Skips links to a folder that contains them. Errors: out_of_memory, limit.
[[nodiscard]] result<void> add_linked_files(const archive_link_targets& targets, archive& into,
                                            archive_builder& builder) noexcept;

// Replaces each entry in `links` (ascending numbers) by the file it leads to, and takes back links
// that cannot be followed. Ignores entries that were taken back before. `index` has the archive's
// entries, and is updated. Errors: out_of_memory, limit.
[[nodiscard]] result<void> resolve_links(std::span<const std::uint32_t> links, path_index& index,
                                         const name_rules& names, link_reader read, archive& into,
                                         archive_builder& builder) noexcept;

}  // namespace overture::archives_detail

// Symbolic links in ZIP archives: entries whose data is the path of the target.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "archives/archive.hpp"
#include "base/vec.hpp"
#include "overture/io/unpack.hpp"

namespace overture::archives_detail {

struct zip_link {
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
class zip_link_targets {
 public:
  zip_link_targets(const path_index& index, const archive_input& input, archive& into) noexcept
      : index_(index),
        os_(input.os),
        names_(input.names),
        into_(into),
        links_(into.names.memory(), memory_tag::vfs),
        texts_(into.names.memory(), memory_tag::vfs),
        room_(into.names.memory(), memory_tag::vfs),
        order_(into.names.memory(), memory_tag::vfs) {}

  // Reads and follows the links among these entries (ascending numbers). Errors: out_of_memory,
  // those of reading.
  result<void> find(std::span<const std::uint32_t> entries) noexcept;

  [[nodiscard]] std::span<const zip_link> links() const noexcept { return links_.span(); }
  [[nodiscard]] const zip_link* link_at(std::uint32_t entry) const noexcept;
  [[nodiscard]] std::string_view folder_of(const zip_link& link) const noexcept {
    return {texts_.data() + link.folder, link.folder_bytes};
  }
  // The entries below a folder in order of their paths, links included.
  [[nodiscard]] std::span<const std::uint32_t> below(std::string_view folder) const noexcept;

 private:
  result<void> read_target(zip_link& link) noexcept;
  result<std::span<const std::byte>> read_packed(const file_place& place) noexcept;
  result<void> sort_entries() noexcept;
  result<void> follow(zip_link& link) noexcept;
  // path_index::none if there is no such entry.
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
  name_rules names_;
  archive& into_;
  base_detail::vec<zip_link> links_;  // by entry
  base_detail::vec<char> texts_;      // targets, and folders that links lead to
  base_detail::vec<std::byte> room_;
  base_detail::vec<std::uint32_t> order_;  // all entries by path
  std::size_t elements_ = 0;               // path elements followed so far
  unpacker unpacker_;
};

// Adds an entry for each file that can be reached through a link to a folder, under the link's
// path. Skips links to a folder that contains them. Errors: out_of_memory, limit.
[[nodiscard]] result<void> add_linked_files(const zip_link_targets& targets, archive& into,
                                            archive_builder& builder) noexcept;

// Replaces each entry in `links` (ascending numbers) by the file it leads to, and takes back links
// that cannot be followed. Ignores entries that were taken back before. `index` has the archive's
// entries, and is updated. Errors: out_of_memory, limit.
[[nodiscard]] result<void> resolve_zip_links(std::span<const std::uint32_t> links,
                                             path_index& index, const archive_input& input,
                                             archive& into, archive_builder& builder) noexcept;

}  // namespace overture::archives_detail

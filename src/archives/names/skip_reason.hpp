// SPDX-License-Identifier: Zlib
//
// Why a name of a folder or archive is not in the tree: all the texts that file_system::skipped()
// reports, but for those of path_flaw() (overture/base/path.hpp). Each completes "NAME: ...".
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/limit_text.hpp"
#include "overture/base/error.hpp"
#include "overture/base/path.hpp"

namespace overture::archives_detail::skip_reason {

// Any format.
inline constexpr const char* no_name = "empty name";
inline constexpr const char* name_too_long = limit_text::name;
inline constexpr const char* path_too_long = detail::path_too_long;
inline constexpr const char* too_deep = limit_text::folder_depth;
inline constexpr const char* not_a_file = "not a regular file";
inline constexpr const char* duplicate = "a later file has the same name";
inline constexpr const char* also_folder = "the archive has a folder with the same name";
inline constexpr const char* folder_with_data = "named like a folder, but it has data";
inline constexpr const char* bad_encoding = "the name is in another encoding than expected";
inline constexpr const char* case_duplicate = "another name differs only by case";

// Folders and links.
inline constexpr const char* link_dangling = "the link's target does not exist";
inline constexpr const char* link_loop =
    "the link forms a loop or leads through more than 40 others";
inline constexpr const char* link_leaves_mount = "the link leads outside the mount";
inline constexpr const char* too_many_folder_links = limit_text::folder_links;

// Links in archives.
inline constexpr const char* link_not_in_archive = "the link's target is not in the archive";
inline constexpr const char* link_target_too_long = limit_text::link_target;
inline constexpr const char* link_target_damaged = "the link is damaged";
inline constexpr const char* link_targets_too_long = limit_text::link_elements;
inline constexpr const char* link_hidden = "the archive has another file with this path";
inline constexpr const char* link_in_7z = "links in 7z archives are not supported";

// Broken or unusual archives.
inline constexpr const char* cut_in_header = "the archive ends within a file's header";
inline constexpr const char* name_outside_table = "the name is outside the table of names";
inline constexpr const char* not_utf16 = "the name is not valid UTF-16";
inline constexpr const char* anti_item = "an anti-item, which would delete a file";
inline constexpr const char* iso_folder_outside = "the folder's data is outside the image";
inline constexpr const char* iso_folder_in_itself = "the folder contains itself";
inline constexpr const char* iso_lacks_extent = "the rest of the file has no record";
inline constexpr const char* iso_broken_record = "broken folder record";
inline constexpr const char* tar_broken_header = "broken header";
inline constexpr const char* not_in_packed_tar = "not part of the compressed archive";
inline constexpr const char* tar_volume = "a part of a file that begins in another volume";
inline constexpr const char* iso_bad_name = "the name is not a valid path";

// Removal markers, see mount_options::removal_markers.
inline constexpr const char* unknown_marker = "unsupported kind of removal marker";
inline constexpr const char* marker_without_name = "removal marker without a name";
inline constexpr const char* marker_removes_own = "the mount itself has the file it would remove";

// Whether a file is left out because of what we cannot do, not because of its name: then it is
// missing from the tree, and reported as a failure. Nothing if it is just skipped.
[[nodiscard]] inline std::optional<errc> failure_of(std::string_view reason) noexcept {
  constexpr std::string_view limits[] = {
      name_too_long,         detail::element_too_long, path_too_long,        too_deep,
      too_many_folder_links, link_target_too_long,     link_targets_too_long};
  if (std::find(std::begin(limits), std::end(limits), reason) != std::end(limits)) {
    return errc::limit;
  }
  if (reason == link_in_7z) return errc::unsupported;
  return std::nullopt;
}

}  // namespace overture::archives_detail::skip_reason

// SPDX-License-Identifier: Zlib
#include "overture/archives/mount_format_list.hpp"

#include <array>
#include <iterator>

#include "archives/archive.hpp"

namespace overture {
namespace archives_detail {

// All formats and how each is recognised, in the order in which they are tried. Formats with a
// signature at the front come first: an archive whose last file is a ZIP would otherwise look like
// a ZIP with data in front. Formats without a signature come last.
static constexpr const archive_format* all_formats[] = {
    &folder_format,     // not a file
    &pak_format,        // "PACK"
    &wad_format,        // "IWAD", "PWAD"
    &grp_format,        // "KenSilverman"
    &hog_format,        // "DHF", "HOG2"
    &mvl_format,        // "DMVL"
    &vdf_format,        // "PSVDSC_V2.00", after a comment
    &chasm_format,      // "CSid"
    &gob_format,        // "GOB"
    &lab_format,        // "LABN"
    &rofs_format,       // 21 fixed bytes
    &seven_zip_format,  // "7z" and four fixed bytes
    &iso_format,        // "CD001" in sector 16
    &tar_format,        // "ustar" and a checksum, also inside of gzip, xz, zstd, BZip2
    &zip_format,        // "PK" near the end
    &lfd_format,        // "RMAP", or its extension and a valid chain
    &slb_format,        // a valid table
    &pod_format,        // a valid table
};

std::span<const archive_format* const> formats() noexcept {
  return all_formats;
}

}  // namespace archives_detail

const char* to_string(mount_format format) noexcept {
  for (const archives_detail::archive_format* known : archives_detail::formats()) {
    if (known->id == format) return known->name;
  }
  return "unknown";
}

std::span<const mount_format_info> mount_formats() noexcept {
  static const auto rows = [] {
    std::array<mount_format_info, std::size(archives_detail::all_formats)> made;
    for (const archives_detail::archive_format* known : archives_detail::formats()) {
      made[static_cast<std::size_t>(known->id)] = {known->id, known->name, known->files,
                                                   known->libraries};
    }
    return made;
  }();
  return rows;
}

}  // namespace overture

#include <iterator>

#include "archives/archive.hpp"

namespace overture {
namespace vfs {

// One line for each format, and what it is known by. Those that begin with a mark of their own come
// first: an archive that ends with a ZIP among its files would look like a ZIP with something in
// front of it. Those without any mark come last.
static constexpr const archive_format* all_formats[] = {
    &folder_format,     // what is no file
    &pak_format,        // "PACK"
    &wad_format,        // "IWAD", "PWAD"
    &grp_format,        // "KenSilverman"
    &hog_format,        // "DHF", "HOG2"
    &mvl_format,        // "DMVL"
    &vdf_format,        // "PSVDSC_V2.00", behind a comment
    &chasm_format,      // "CSid"
    &gob_format,        // "GOB"
    &lab_format,        // "LABN"
    &rofs_format,       // 21 bytes of numbers
    &seven_zip_format,  // "7z" and four bytes
    &iso_format,        // "CD001" in sector 16
    &zip_format,        // "PK" near the end
    &lfd_format,        // "RMAP", or its extension
    &slb_format,        // nothing
    &pod_format,        // nothing
};

std::span<const archive_format* const> formats() noexcept {
  return all_formats;
}

}  // namespace vfs

const char* to_string(mount_format format) noexcept {
  for (const vfs::archive_format* known : vfs::formats()) {
    if (known->id == format) return known->name;
  }
  return "unknown";
}

}  // namespace overture

#include <iterator>

#include "vfs/formats/archive.hpp"

namespace overture {
namespace vfs {

// One line for each format.
static constexpr const archive_format* all_formats[] = {
    &folder_format,
    &zip_format,
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

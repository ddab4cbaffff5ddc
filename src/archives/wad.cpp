// WAD, the archive of Doom and its relatives: lumps, which have short names and no folders.
//
//   "IWAD" or "PWAD", u32 lumps, u32 table's offset
//   record: u32 offset, u32 bytes, name[8]
//
// Lumps that belong to a map have the same names in each map; of those the last is in the tree. A
// backslash, as in the sprite VILE\1, cannot be in a path and becomes a '^', as ZDoom has it for
// lumps in a ZIP.
#include <algorithm>

#include "archives/plain_table.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

constexpr std::size_t name_bytes = 8;
constexpr std::size_t record_bytes = 8 + name_bytes;

result<bool> list(const archive_input& input, archive& into) noexcept {
  if (!input.begins_with("IWAD") && !input.begins_with("PWAD")) return false;
  plain_table table(input, into);
  const result<const std::byte*> header = table.read(4, 8);
  if (!header) return tl::unexpected(header.error());
  const record_table records{load_u32(*header + 4), load_u32(*header), record_bytes};
  return table.finish(table.each(records, [&](const std::byte* record) {
    const std::string_view given = text_of(record + 8, name_bytes);
    char name[name_bytes];
    std::replace_copy(given.begin(), given.end(), name, '\\', '^');
    return table.add({name, given.size()}, load_u32(record), load_u32(record + 4));
  }));
}

}  // namespace

const archive_format wad_format{mount_format::wad, "wad", false, false, "wad", list, open_plain};

}  // namespace overture::archives_detail

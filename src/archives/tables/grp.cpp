// SPDX-License-Identifier: Zlib
//
// GRP, the archive of Ken Silverman's Build engine (Duke Nukem 3D, Blood, Shadow Warrior).
//
//   "KenSilverman", u32 files
//   record: name[12], padded with spaces or NULs, u32 bytes
//   the files, in the order of the records
#include "archives/tables/plain_table.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

constexpr std::size_t grp_name_bytes = 12;
constexpr std::size_t grp_record_bytes = grp_name_bytes + 4;

result<bool> list_grp(const archive_input& input, archive& into) noexcept {
  if (!input.begins_with("KenSilverman")) return false;
  plain_table table(input, into);
  const result<const std::byte*> count = table.read(12, 4);
  if (!count) return tl::unexpected(count.error());
  const record_table records{16, load_u32(*count), grp_record_bytes};
  std::uint64_t offset = records.end();
  return table.finish(table.each(records, [&](const std::byte* record) {
    const std::string_view name = text_of(record, grp_name_bytes);
    const std::uint64_t begin = offset;
    offset += load_u32(record + grp_name_bytes);
    return table.add(name.substr(0, name.find(' ')), begin, offset - begin);
  }));
}

}  // namespace

const archive_format grp_format{
    .id = mount_format::grp,
    .name = "grp",
    .files = "Build engine",
    .extensions = "grp",
    .list = list_grp,
    .open = open_plain,
};

}  // namespace overture::archives_detail

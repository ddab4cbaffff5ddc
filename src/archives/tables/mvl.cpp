// SPDX-License-Identifier: Zlib
//
// MVL, the films of Descent II.
//
//   "DMVL", u32 files
//   record: name[13], u32 bytes
//   the files, in the order of the records
#include "archives/tables/plain_table.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

constexpr std::size_t mvl_name_bytes = 13;
constexpr std::size_t mvl_record_bytes = mvl_name_bytes + 4;

result<bool> list_mvl(const archive_input& input, archive& into) noexcept {
  if (!input.begins_with("DMVL")) return false;
  plain_table table(input, into);
  const result<const std::byte*> count = table.read(4, 4);
  if (!count) return tl::unexpected(count.error());
  const record_table records{8, load_u32(*count), mvl_record_bytes};
  std::uint64_t offset = records.end();
  return table.finish(table.each(records, [&](const std::byte* record) {
    const std::uint64_t begin = offset;
    offset += load_u32(record + mvl_name_bytes);
    return table.add(text_of(record, mvl_name_bytes - 1), begin, offset - begin);
  }));
}

}  // namespace

const archive_format mvl_format{
    .id = mount_format::mvl,
    .name = "mvl",
    .files = "Descent II",
    .extensions = "mvl",
    .list = list_mvl,
    .open = open_plain,
};

}  // namespace overture::archives_detail

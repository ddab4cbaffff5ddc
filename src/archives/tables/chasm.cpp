// SPDX-License-Identifier: Zlib
//
// CSM.BIN, the archive of Chasm: The Rift.
//
//   "CSid", u16 files
//   record: u8 length of name, name[12], u32 bytes, u32 offset
#include <algorithm>

#include "archives/tables/plain_table.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

constexpr std::size_t chasm_name_bytes = 12;
constexpr std::size_t chasm_record_bytes = 1 + chasm_name_bytes + 8;

result<bool> list_chasm(const archive_input& input, archive& into) noexcept {
  if (!input.begins_with("CSid")) return false;
  plain_table table(input, into);
  const result<const std::byte*> count = table.read(4, 2);
  if (!count) return tl::unexpected(count.error());
  return table.finish(
      table.each({6, load_u16(*count), chasm_record_bytes}, [&](const std::byte* record) {
        const std::size_t stated = std::min<std::size_t>(load_u8(record), chasm_name_bytes);
        const std::byte* const after = record + 1 + chasm_name_bytes;
        return table.add(text_of(record + 1, stated), load_u32(after + 4), load_u32(after));
      }));
}

}  // namespace

const archive_format chasm_format{
    .id = mount_format::chasm,
    .name = "chasm",
    .files = "Chasm: The Rift",
    .extensions = "bin",
    .list = list_chasm,
    .open = open_plain,
};

}  // namespace overture::archives_detail

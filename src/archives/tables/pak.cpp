// SPDX-License-Identifier: Zlib
//
// PAK, the archive of Quake and Quake II.
//
//   "PACK", u32 offset of the table, u32 bytes of the table
//   record: name[56], u32 offset, u32 bytes
#include "archives/tables/plain_table.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

constexpr std::size_t pak_name_bytes = 56;
constexpr std::size_t pak_record_bytes = pak_name_bytes + 8;

result<bool> list_pak(const archive_input& input, archive& into) noexcept {
  if (!input.begins_with("PACK")) return false;
  plain_table table(input, into);
  const result<const std::byte*> header = table.read(4, 8);
  if (!header) return tl::unexpected(header.error());
  const std::uint32_t bytes = load_u32(*header + 4);
  if (bytes % pak_record_bytes != 0) return fail(errc::corrupt, "the table ends within a record");
  const record_table records{load_u32(*header), bytes / pak_record_bytes, pak_record_bytes};
  return table.finish(table.each(records, [&](const std::byte* record) {
    return table.add(text_of(record, pak_name_bytes), load_u32(record + pak_name_bytes),
                     load_u32(record + pak_name_bytes + 4));
  }));
}

}  // namespace

const archive_format pak_format{
    .id = mount_format::pak,
    .name = "pak",
    .files = "Quake",
    .extensions = "pak",
    .list = list_pak,
    .open = open_plain,
};

}  // namespace overture::archives_detail

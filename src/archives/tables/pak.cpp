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

constexpr std::size_t name_bytes = 56;
constexpr std::size_t record_bytes = name_bytes + 8;

result<bool> list(const archive_input& input, archive& into) noexcept {
  if (!input.begins_with("PACK")) return false;
  plain_table table(input, into);
  const result<const std::byte*> header = table.read(4, 8);
  if (!header) return tl::unexpected(header.error());
  const std::uint32_t bytes = load_u32(*header + 4);
  if (bytes % record_bytes != 0) return fail(errc::corrupt, "the table ends within a record");
  const record_table records{load_u32(*header), bytes / record_bytes, record_bytes};
  return table.finish(table.each(records, [&](const std::byte* record) {
    return table.add(text_of(record, name_bytes), load_u32(record + name_bytes),
                     load_u32(record + name_bytes + 4));
  }));
}

}  // namespace

const archive_format pak_format{
    .id = mount_format::pak,
    .name = "pak",
    .files = "Quake",
    .extensions = "pak",
    .list = list,
    .open = open_plain,
};

}  // namespace overture::archives_detail

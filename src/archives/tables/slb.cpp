// SPDX-License-Identifier: Zlib
//
// SLB, the archive of Independence War.
//
//   u32 0, u32 files, u32 table's offset
//   record: name[64], which begins with a backslash, u32 offset, u32 bytes
//
// There is no mark: a file is believed to be one if all of its table is so.
#include "archives/tables/plain_table.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

constexpr std::size_t slb_header_bytes = 12;
constexpr std::size_t slb_name_bytes = 64;
constexpr std::size_t slb_record_bytes = slb_name_bytes + 8;

result<bool> list_slb(const archive_input& input, archive& into) noexcept {
  if (!input.begins_with({"\0\0\0\0", 4}) || input.front.size() < slb_header_bytes) return false;
  const std::byte* const header = input.front.data();
  const record_table records{load_u32(header + 8), load_u32(header + 4), slb_record_bytes};
  plain_table table(input, into);
  if (records.count == 0 || records.offset < slb_header_bytes || !table.has(records)) return false;
  bool rooted = true;
  const result<void> looked = table.each(records, [&](const std::byte* record) -> result<void> {
    rooted = std::to_integer<char>(*record) == '\\';
    return rooted ? result<void>{} : fail(errc::unsupported, "not an SLB archive");
  });
  if (!rooted) return false;
  if (!looked) return tl::unexpected(looked.error());
  return table.finish(table.each(records, [&](const std::byte* record) {
    return table.add(text_of(record + 1, slb_name_bytes - 1), load_u32(record + slb_name_bytes),
                     load_u32(record + slb_name_bytes + 4));
  }));
}

}  // namespace

const archive_format slb_format{
    .id = mount_format::slb,
    .name = "slb",
    .files = "Independence War",
    .extensions = "slb",
    .list = list_slb,
    .open = open_plain,
};

}  // namespace overture::archives_detail

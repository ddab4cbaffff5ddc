// SPDX-License-Identifier: Zlib
//
// VDF, the archive of Gothic and Gothic II.
//
//   comment[256], "PSVDSC_V2.00" and four ends of lines, u32 records, u32 files, u32 time,
//   u32 bytes of data, u32 table's offset, u32 0x50
//   record: name[64] filled up with spaces, u32 offset, u32 bytes, u32 kind, u32 attributes
//
// The records of folders say which others lie in them. The game asks for names alone, and PhysicsFS
// lists them so, so the folders make no paths here either; of two files with one name the last is
// in the tree.
#include "archives/tables/plain_table.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

constexpr std::size_t vdf_comment_bytes = 256;
constexpr std::size_t signature_bytes = 16;
constexpr std::uint32_t vdf_version = 0x50;
constexpr std::size_t vdf_name_bytes = 64;
constexpr std::size_t vdf_record_bytes = vdf_name_bytes + 16;
constexpr std::uint32_t folder_bit = 0x80000000;

result<bool> list_vdf(const archive_input& input, archive& into) noexcept {
  if (!input.begins_with("PSVDSC_V2.00\r\n\r\n", vdf_comment_bytes) &&
      !input.begins_with("PSVDSC_V2.00\n\r\n\r", vdf_comment_bytes)) {
    return false;
  }
  plain_table table(input, into);
  const result<const std::byte*> header = table.read(vdf_comment_bytes + signature_bytes, 24);
  if (!header) return tl::unexpected(header.error());
  if (load_u32(*header + 20) != vdf_version) {
    return fail(errc::unsupported, "unsupported version of the archive format");
  }
  const record_table records{load_u32(*header + 16), load_u32(*header), vdf_record_bytes};
  return table.finish(table.each(records, [&](const std::byte* record) -> result<void> {
    if ((load_u32(record + vdf_name_bytes + 8) & folder_bit) != 0) return {};
    const std::string_view name = text_of(record, vdf_name_bytes);
    return table.add(name.substr(0, name.find_last_not_of(' ') + 1),
                     load_u32(record + vdf_name_bytes), load_u32(record + vdf_name_bytes + 4));
  }));
}

}  // namespace

const archive_format vdf_format{
    .id = mount_format::vdf,
    .name = "vdf",
    .files = "Gothic",
    .extensions = "vdf mod",
    .list = list_vdf,
    .open = open_plain,
};

}  // namespace overture::archives_detail

// SPDX-License-Identifier: Zlib
//
// GOB, by LucasArts: one variant for Dark Forces, one with folders for Jedi Knight.
//
//   "GOB\n", u32 offset of the table
//   table: u32 files, then for each: u32 offset, u32 bytes, name[13]
//
//   "GOB ", u32 0x14, u32 offset of the table
//   table: u32 files, then for each: u32 offset, u32 bytes, name[128]
#include "archives/tables/plain_table.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

constexpr std::size_t gob_name_bytes = 13;
constexpr std::size_t long_name_bytes = 128;
constexpr std::uint32_t second_version = 0x14;

result<bool> list_gob(const archive_input& input, archive& into) noexcept {
  const bool second = input.begins_with("GOB ");
  if (!second && !input.begins_with("GOB\n")) return false;
  plain_table table(input, into);
  const result<const std::byte*> header = table.read(4, second ? 8 : 4);
  if (!header) return tl::unexpected(header.error());
  if (second && load_u32(*header) != second_version) {
    return fail(errc::unsupported, "unsupported version of the archive format");
  }
  const std::uint64_t offset = load_u32(*header + (second ? 4 : 0));
  const result<const std::byte*> count = table.read(offset, 4);
  if (!count) return tl::unexpected(count.error());
  const std::size_t field = second ? long_name_bytes : gob_name_bytes;
  return table.finish(
      table.each({offset + 4, load_u32(*count), 8 + field}, [&](const std::byte* record) {
        return table.add(text_of(record + 8, field - 1), load_u32(record), load_u32(record + 4));
      }));
}

}  // namespace

const archive_format gob_format{
    .id = mount_format::gob,
    .name = "gob",
    .files = "Dark Forces, Jedi Knight",
    .extensions = "gob goo",
    .list = list_gob,
    .open = open_plain,
};

}  // namespace overture::archives_detail

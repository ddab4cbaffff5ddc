// SPDX-License-Identifier: Zlib
//
// LAB, the archive of Outlaws.
//
//   "LABN", u32 0x10000, u32 files, u32 bytes of names
//   record: u32 offset of the name, u32 offset, u32 bytes, u32 kind
//   the names, each NUL-terminated
#include <algorithm>

#include "archives/names/skip_reason.hpp"
#include "archives/tables/plain_table.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

constexpr std::size_t lab_header_bytes = 16;
constexpr std::size_t lab_record_bytes = 16;
constexpr std::uint32_t lab_version = 0x10000;

result<bool> list_lab(const archive_input& input, archive& into) noexcept {
  if (!input.begins_with("LABN")) return false;
  plain_table table(input, into);
  const result<const std::byte*> header = table.read(4, 12);
  if (!header) return tl::unexpected(header.error());
  if (load_u32(*header) != lab_version) {
    return fail(errc::unsupported, "unsupported version of the archive format");
  }
  const record_table records{lab_header_bytes, load_u32(*header + 4), lab_record_bytes};
  if (!table.has(records)) return table_outside(records.offset);
  vec<char> names(into.names.memory(), memory_tag::vfs);
  result<void> done = table.read_into(names, records.end(), load_u32(*header + 8));
  if (!done) return tl::unexpected(done.error());
  const std::span<const std::byte> texts = std::as_bytes(names.span());
  return table.finish(table.each(records, [&](const std::byte* record) {
    const std::uint32_t at = load_u32(record);
    if (at >= texts.size()) return table.lose({}, skip_reason::name_outside_table);
    // Cut long names, or many records could share an endless one.
    const std::size_t most =
        std::min<std::size_t>(texts.size() - at, limits::path_element_bytes_max);
    return table.add(text_of(texts.data() + at, most), load_u32(record + 4), load_u32(record + 8));
  }));
}

}  // namespace

const archive_format lab_format{
    .id = mount_format::lab,
    .name = "lab",
    .files = "Outlaws",
    .extensions = "lab",
    .list = list_lab,
    .open = open_plain,
};

}  // namespace overture::archives_detail

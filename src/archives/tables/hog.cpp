// SPDX-License-Identifier: Zlib
//
// HOG, the archive of Descent: a chain of files in the first two games, a table in the third.
//
//   "DHF", then for each file: name[13], u32 bytes, the bytes
//
//   "HOG2", u32 files, u32 offset of the first file, 56 unused bytes
//   record: name[36], u32 unused, u32 bytes, u32 time
//   the files, in the order of the records
#include "archives/names/skip_reason.hpp"
#include "archives/tables/plain_table.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

constexpr std::size_t hog_name_bytes = 13;
constexpr std::size_t link_bytes = hog_name_bytes + 4;

result<void> follow_chain(plain_table& table) noexcept {
  std::uint64_t at = 3;
  while (at < table.file_bytes()) {
    if (table.file_bytes() - at < link_bytes) {
      return table.lose({}, skip_reason::cut_in_header);
    }
    const result<const std::byte*> link = table.read(at, link_bytes);
    if (!link) return tl::unexpected(link.error());
    const std::uint32_t bytes = load_u32(*link + hog_name_bytes);
    // The last byte of the name is a NUL or garbage.
    result<void> added = table.add(text_of(*link, hog_name_bytes - 1), at + link_bytes, bytes);
    if (!added) return added;
    at += link_bytes + bytes;
  }
  return {};
}

constexpr std::size_t name2_bytes = 36;
constexpr std::size_t record2_bytes = name2_bytes + 12;

result<void> read_table(plain_table& table) noexcept {
  const result<const std::byte*> header = table.read(4, 8);
  if (!header) return tl::unexpected(header.error());
  std::uint64_t offset = load_u32(*header + 4);
  return table.each({68, load_u32(*header), record2_bytes}, [&](const std::byte* record) {
    const std::uint64_t begin = offset;
    offset += load_u32(record + name2_bytes + 4);
    return table.add(text_of(record, name2_bytes), begin, offset - begin);
  });
}

result<bool> list_hog(const archive_input& input, archive& into) noexcept {
  const bool has_table = input.begins_with("HOG2");
  if (!has_table && !input.begins_with("DHF")) return false;
  plain_table table(input, into);
  return table.finish(has_table ? read_table(table) : follow_chain(table));
}

}  // namespace

const archive_format hog_format{
    .id = mount_format::hog,
    .name = "hog",
    .files = "Descent 1 to 3",
    .extensions = "hog",
    .list = list_hog,
    .open = open_plain,
};

}  // namespace overture::archives_detail

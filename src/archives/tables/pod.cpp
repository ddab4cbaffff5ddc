// SPDX-License-Identifier: Zlib
//
// POD, the archive of Terminal Velocity and related games, first version.
//
//   u32 files, comment[80], NUL-terminated
//   record: name[32], u32 bytes, u32 offset
//
// There is no signature: a file is taken for a POD if it has a comment, its table fits, and all
// names and offsets in the table are plausible.
#include <algorithm>

#include "archives/tables/plain_table.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

constexpr std::size_t pod_comment_bytes = 80;
constexpr std::size_t pod_header_bytes = 4 + pod_comment_bytes;
constexpr std::size_t pod_name_bytes = 32;
constexpr std::size_t pod_record_bytes = pod_name_bytes + 8;

bool is_text(std::string_view text) noexcept {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return c >= ' '; });
}

bool is_comment(const std::byte* field) noexcept {
  return field[pod_comment_bytes - 1] == std::byte{} && is_text(text_of(field, pod_comment_bytes));
}

result<bool> list_pod(const archive_input& input, archive& into) noexcept {
  if (input.front.size() < pod_header_bytes || !is_comment(input.front.data() + 4)) return false;
  plain_table table(input, into);
  const record_table records{pod_header_bytes, load_u32(input.front.data()), pod_record_bytes};
  if (records.count == 0 || !table.has(records)) return false;
  bool sensible = true;
  const result<void> looked = table.each(records, [&](const std::byte* record) -> result<void> {
    const std::uint32_t bytes = load_u32(record + pod_name_bytes);
    sensible = is_text(text_of(record, pod_name_bytes)) &&
               (bytes == 0 || load_u32(record + pod_name_bytes + 4) >= records.end());
    return sensible ? result<void>{} : fail(errc::unsupported, "not a POD archive");
  });
  if (!sensible) return false;
  if (!looked) return tl::unexpected(looked.error());
  return table.finish(table.each(records, [&](const std::byte* record) {
    return table.add(text_of(record, pod_name_bytes), load_u32(record + pod_name_bytes + 4),
                     load_u32(record + pod_name_bytes));
  }));
}

}  // namespace

const archive_format pod_format{
    .id = mount_format::pod,
    .name = "pod",
    .files = "Terminal Velocity",
    .extensions = "pod",
    .list = list_pod,
    .open = open_plain,
};

}  // namespace overture::archives_detail

// SPDX-License-Identifier: Zlib
//
// LFD, by LucasArts: a chain of resources (X-Wing, TIE Fighter, Dark Forces).
//
//   resource: kind[4], name[8], u32 bytes, the bytes
//
// Most archives begin with a resource "RMAP", "resource", which repeats the headers of all others.
// It is not a file of the tree. An archive without one has no signature: it is taken for an LFD if
// it has the extension and its chain ends exactly at the end of the file.
#include <cstring>

#include "archives/names/skip_reason.hpp"
#include "archives/tables/plain_table.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

constexpr std::size_t kind_bytes = 4;
constexpr std::size_t lfd_name_bytes = 8;
constexpr std::size_t lfd_header_bytes = kind_bytes + lfd_name_bytes + 4;

// Calls `act` for each resource. Returns where the last one ends, which may be outside the archive.
result<std::uint64_t> follow_chain(
    plain_table& table, std::uint64_t at,
    function_ref<result<void>(const std::byte*, std::uint64_t)> act) noexcept {
  while (at <= table.file_bytes() && table.file_bytes() - at >= lfd_header_bytes) {
    const result<const std::byte*> header = table.read(at, lfd_header_bytes);
    if (!header) return tl::unexpected(header.error());
    const std::uint64_t bytes = load_u32(*header + kind_bytes + lfd_name_bytes);
    if (result<void> done = act(*header, at + lfd_header_bytes); !done) {
      return tl::unexpected(done.error());
    }
    at += lfd_header_bytes + bytes;
  }
  return at;
}

result<bool> is_chain(plain_table& table) noexcept {
  bool named = table.file_bytes() > 0;
  const auto look = [&](const std::byte* header, std::uint64_t) -> result<void> {
    named = named && !text_of(header, kind_bytes).empty() &&
            !text_of(header + kind_bytes, lfd_name_bytes).empty();
    return {};
  };
  return follow_chain(table, 0, look).map([&](std::uint64_t end) {
    return end == table.file_bytes() && named;
  });
}

result<void> add(plain_table& table, const std::byte* header, std::uint64_t offset) noexcept {
  const std::string_view kind = text_of(header, kind_bytes);
  const std::string_view name = text_of(header + kind_bytes, lfd_name_bytes);
  char joined[lfd_name_bytes + 1 + kind_bytes];
  std::memcpy(joined, name.data(), name.size());
  joined[name.size()] = '.';
  std::memcpy(joined + name.size() + 1, kind.data(), kind.size());
  return table.add({joined, name.size() + 1 + kind.size()}, offset,
                   load_u32(header + kind_bytes + lfd_name_bytes));
}

result<bool> list_lfd(const archive_input& input, archive& into) noexcept {
  plain_table table(input, into);
  const bool has_map = input.begins_with("RMAPresource");
  std::uint64_t begin = 0;
  if (has_map) {
    const result<const std::byte*> bytes = table.read(kind_bytes + lfd_name_bytes, 4);
    if (!bytes) return tl::unexpected(bytes.error());
    begin = lfd_header_bytes + load_u32(*bytes);
    if (begin > table.file_bytes()) return table_outside(begin);
  } else {
    if (!input.has_extension_of("lfd")) return false;
    const result<bool> chained = is_chain(table);
    if (!chained || !*chained) return chained;
  }
  const auto add_one = [&](const std::byte* header, std::uint64_t offset) {
    return add(table, header, offset);
  };
  const result<std::uint64_t> end = follow_chain(table, begin, add_one);
  if (!end) return tl::unexpected(end.error());
  const bool cut = *end < table.file_bytes();
  return table.finish(cut ? table.lose({}, skip_reason::cut_in_header) : result<void>{});
}

}  // namespace

const archive_format lfd_format{
    .id = mount_format::lfd,
    .name = "lfd",
    .files = "X-Wing, TIE Fighter, Dark Forces",
    .extensions = "lfd",
    .list = list_lfd,
    .open = open_plain,
};

}  // namespace overture::archives_detail

// SPDX-License-Identifier: Zlib
#include "vfs/mounts/removal_markers.hpp"

#include <cstring>

#include "archives/archive_builder.hpp"
#include "archives/names/skip_reason.hpp"

namespace overture::vfs_detail {
namespace {

constexpr std::string_view marker = ".wh.";
constexpr std::string_view reserved_marker = ".wh..wh.";  // opaque folders and others

// Turns one entry into a removal if its name is a marker's. Returns whether it did.
result<bool> take(archives_detail::archive& content, archives_detail::archive_builder& builder,
                  std::uint32_t number) noexcept {
  const std::string_view path = content.path_of(content.entries[number]);
  const std::size_t folder = path.rfind('/') + 1;  // 0 if there is no '/'
  const std::string_view name = path.substr(folder);
  if (!name.starts_with(marker)) return false;
  const auto skip = [&](const char* reason) {
    return builder.take_back(number, reason).map([] { return false; });
  };
  if (name.starts_with(reserved_marker)) return skip(archives_detail::skip_reason::unknown_marker);
  if (const char* flaw = path_flaw(name.substr(marker.size()))) return skip(flaw);
  if (name.size() == marker.size()) return skip(archives_detail::skip_reason::marker_without_name);

  path_buffer room;
  std::memcpy(room.data(), path.data(), folder);
  std::memcpy(room.data() + folder, path.data() + folder + marker.size(),
              name.size() - marker.size());
  const std::size_t length = path.size() - marker.size();
  const result<std::uint32_t> kept = builder.keep({room.data(), length});
  if (!kept) return tl::unexpected(kept.error());
  archives_detail::archive_entry& entry = content.entries[number];
  entry.name = *kept;
  entry.name_bytes = static_cast<std::uint16_t>(length);
  entry.id = {hash64(content.path_of(entry))};
  entry.flaw = archives_detail::entry_flaw::removal;
  return true;
}

}  // namespace

result<void> take_removal_markers(archives_detail::archive& content) noexcept {
  archives_detail::archive_builder builder(content, content.prefix_bytes);
  bool any = false;
  for (std::uint32_t i = 0; i < content.entries.size(); ++i) {
    const result<bool> taken = take(content, builder, i);
    if (!taken) return tl::unexpected(taken.error());
    any = any || *taken;
  }
  result<void> done;
  if (any) {
    archives_detail::path_index index(content.names.memory());
    done = builder.index_each_once(index, [&](std::uint32_t a, std::uint32_t b) {
      const bool first = content.entries[a].flaw == archives_detail::entry_flaw::removal;
      return builder.take_back(first ? a : b, archives_detail::skip_reason::marker_removes_own)
          .map([&] { return first ? b : a; });
    });
  }
  builder.finish();
  if (!done) return done;
  for (const archives_detail::archive_entry& entry : content.entries) {
    if (entry.flaw == archives_detail::entry_flaw::removal) ++content.removals;
  }
  return {};
}

}  // namespace overture::vfs_detail

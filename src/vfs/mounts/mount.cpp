// SPDX-License-Identifier: Zlib
#include "vfs/mounts/mount.hpp"

#include <algorithm>
#include <cstring>

#include "archives/names/path_order.hpp"
#include "base/limit_text.hpp"
#include "overture/base/prefetch.hpp"

namespace overture::vfs_detail {
using namespace base_detail;

namespace {

bool lies_in(std::string_view path, const mount_folder& folder) noexcept {
  return folder.length == 0 || (path.size() > folder.length && path[folder.length] == '/' &&
                                std::memcmp(path.data(), folder.text, folder.length) == 0);
}

// Entries and names of a large mount are not in the cache when visited in order. Inlined, because
// GCC 12 drops calls to functions that only prefetch.
[[gnu::always_inline]] inline void fetch_ahead(const mount& of, std::uint32_t position) noexcept {
  constexpr std::uint32_t ahead = 16;
  if (position + 2 * ahead >= of.order.size()) return;
  prefetch_to_read(&of.content.entries[of.order[position + 2 * ahead]]);
  prefetch_to_read(of.path_at(position + ahead).data());
}

}  // namespace

std::uint32_t mount::find_entry(std::string_view wanted_path) const noexcept {
  const auto before = [this](std::uint32_t entry, std::string_view wanted) {
    return archives_detail::path_before(content.path_of(content.entries[entry]), wanted);
  };
  const std::uint32_t* const at = std::lower_bound(order.begin(), order.end(), wanted_path, before);
  return at != order.end() && content.path_of(content.entries[*at]) == wanted_path ? *at : no_entry;
}

// A folder's entries follow the position of its name in the order.
std::uint32_t mount::first_below(std::string_view folder) const noexcept {
  const auto before = [this](std::string_view wanted, std::uint32_t entry) {
    return archives_detail::path_before(wanted, content.path_of(content.entries[entry]));
  };
  const std::uint32_t* const at = std::upper_bound(order.begin(), order.end(), folder, before);
  const auto position = static_cast<std::uint32_t>(at - order.begin());
  if (folder.empty() || at == order.end()) return position;
  const std::string_view entry_path = path_at(position);
  const bool below = entry_path.size() > folder.size() && entry_path[folder.size()] == '/' &&
                     entry_path.starts_with(folder);
  return below ? position : static_cast<std::uint32_t>(order.size());
}

bool mount::sort_order() noexcept {
  vec<archives_detail::ordered_path> paths(order.memory(), memory_tag::vfs);
  if (!paths.reserve(order.size())) return false;
  for (const std::uint32_t i : order) {
    const std::string_view text = content.path_of(content.entries[i]);
    (void)paths.push_back({0, text.data(), i, static_cast<std::uint16_t>(text.size())});
  }
  if (!archives_detail::sort_paths(paths)) return false;
  for (std::size_t i = 0; i < paths.size(); ++i) order[i] = paths[i].number;
  return true;
}

result<void> mount::arrange() noexcept {
  const auto no_memory = [] {
    return fail(errc::out_of_memory, "out of memory for the list of folders");
  };
  const auto count = static_cast<std::uint32_t>(content.entries.size());
  if (!order.reserve(count)) return no_memory();
  for (std::uint32_t i = 0; i < count; ++i) (void)order.push_back(i);
  const auto before = [this](std::uint32_t a, std::uint32_t b) {
    return archives_detail::path_before(content.path_of(content.entries[a]),
                                        content.path_of(content.entries[b]));
  };
  if (!std::is_sorted(order.begin(), order.end(), before) && !sort_order()) return no_memory();

  if (!folders.push_back({{hash64("")}, "", 0, 0, count, 0})) return no_memory();
  std::uint32_t inside = 0;  // folder of the previous entry
  for (std::uint32_t i = 0; i < count; ++i) {
    fetch_ahead(*this, i);
    const std::string_view entry = path_at(i);
    for (; !lies_in(entry, folders[inside]); inside = folders[inside].parent) {
      folders[inside].end = i;
    }
    const std::size_t begin = folders[inside].length == 0 ? 0 : folders[inside].length + 1u;
    for (std::size_t slash = entry.find('/', begin); slash != std::string_view::npos;
         slash = entry.find('/', slash + 1)) {
      if (folders.size() >= limits::folders_max) {
        return fail(errc::limit, limit_text::folders);
      }
      mount_folder opened{{hash64(entry.substr(0, slash))}, nullptr, inside, i, count, 0};
      opened.text = content.names.data() + content.entries[order[i]].name;
      opened.length = static_cast<std::uint16_t>(slash);
      if (!folders.push_back(opened)) return no_memory();
      inside = static_cast<std::uint32_t>(folders.size() - 1);
    }
  }
  return {};
}

}  // namespace overture::vfs_detail

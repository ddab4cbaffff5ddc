// SPDX-License-Identifier: Zlib
#include "watch/model/first_uses.hpp"

#include <filesystem>
#include <set>

namespace overture::watch {

std::vector<first_use> first_uses(const load_view& view, std::string_view folder) {
  while (folder.ends_with('/')) folder.remove_suffix(1);
  std::vector<first_use> list;
  std::set<std::string> seen;
  for (const file_use& each : view.files) {
    if (each.opens == 0 || each.written_bytes > 0) continue;
    std::string path =
        std::filesystem::path(view.process.name(each.name)).lexically_normal().string();
    if (!path.starts_with(folder) || path.size() < folder.size() + 2) continue;
    if (path[folder.size()] != '/') continue;
    path.erase(0, folder.size() + 1);
    if (!seen.insert(path).second) continue;
    list.push_back({std::move(path), (each.open_ns + each.read_ns) / 1000, each.bytes});
  }
  return list;
}

}  // namespace overture::watch

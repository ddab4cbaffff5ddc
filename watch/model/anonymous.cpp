// SPDX-License-Identifier: Zlib
#include "watch/model/anonymous.hpp"

namespace overture::watch {

void hide_home(watched_process& process, std::string_view home) {
  process.program = without_home(process.program, home);
  for (std::string& each : process.names) each = without_home(each, home);
  for (watched_module& each : process.modules) each.path = without_home(each.path, home);
}

std::string without_home(std::string_view path, std::string_view home) {
  while (home.ends_with('/')) home.remove_suffix(1);
  std::string shown(path);
  if (home.empty() || !path.starts_with(home)) return shown;
  if (path.size() == home.size() || path[home.size()] == '/') shown.replace(0, home.size(), "~");
  return shown;
}

}  // namespace overture::watch

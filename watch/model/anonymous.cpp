// SPDX-License-Identifier: Zlib
#include "watch/model/anonymous.hpp"

#include <string>

namespace overture::watch {

namespace {

void shorten(std::string& path, std::string_view home) {
  if (!path.starts_with(home)) return;
  if (path.size() == home.size() || path[home.size()] == '/') path.replace(0, home.size(), "~");
}

}  // namespace

void hide_home(watched_process& process, std::string_view home) {
  while (home.ends_with('/')) home.remove_suffix(1);
  if (home.empty()) return;
  shorten(process.program, home);
  for (std::string& each : process.names) shorten(each, home);
  for (watched_module& each : process.modules) shorten(each.path, home);
}

}  // namespace overture::watch

// SPDX-License-Identifier: Zlib
#include "mounts/skipped_names.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "terminal/display.hpp"
#include "terminal/messages.hpp"
#include "terminal/units.hpp"

namespace overture::cli {

namespace {

report_skipped skipped_at(const file_system& files, std::size_t index) {
  const skipped_name found = files.skipped(index);
  return {std::string(files.mount_of(found.mount).path), std::string(found.name), found.reason};
}

}  // namespace

std::string skipped_line(const report_skipped& name) {
  return fmt::format("{} ({}): {}", name.name.empty() ? "''" : printable(name.name),
                     printable(name.mount), printable(name.reason));
}

void warn_of_skipped(const file_system& files, std::size_t shown_max) {
  const std::size_t count = files.skipped_count();
  const std::size_t shown = std::min(count, shown_max);
  for (std::size_t i = 0; i < shown; ++i) {
    print_warning("skipped " + skipped_line(skipped_at(files, i)));
  }
  if (shown == count) return;
  const bool more = shown > 0;
  print_warning(fmt::format(
      "{} skipped; list them with 'overture ls --json'",
      counted(count - shown, more ? "more name" : "name", more ? "more names" : "names")));
}

std::string why_skipped(const file_system& files, std::string_view path) {
  const std::size_t count = files.skipped_count();
  for (std::size_t i = 0; i < count; ++i) {
    const skipped_name name = files.skipped(i);
    const mount_info mount = files.mount_of(name.mount);
    const std::string_view at = mount.at;
    if (!path.ends_with(name.name)) continue;
    const std::string_view above = path.substr(0, path.size() - name.name.size());
    const bool same =
        at.empty() ? above.empty()
                   : above.size() == at.size() + 1 && above.starts_with(at) && above.back() == '/';
    if (same) return fmt::format("skipped in {} ({})", printable(mount.path), name.reason);
  }
  return {};
}

}  // namespace overture::cli

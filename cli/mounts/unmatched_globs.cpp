// SPDX-License-Identifier: Zlib
#include "mounts/unmatched_globs.hpp"

#include <fmt/core.h>

#include <utility>

#include "overture/base/glob.hpp"
#include "terminal/display.hpp"
#include "terminal/messages.hpp"

namespace overture::cli {

unmatched_globs::unmatched_globs(const std::vector<std::string>& given,
                                 const std::vector<std::string>& used) {
  for (std::size_t i = 0; i < given.size(); ++i) left_.push_back({given[i], used[i]});
}

void unmatched_globs::look_at(std::string_view path) {
  std::erase_if(left_, [path](const pattern& each) { return matches_glob(each.used, path); });
}

void unmatched_globs::look_at(const file_system& files) {
  for (entry_index i = 0; !left_.empty() && i < files.entry_count(); ++i) {
    look_at(files.entry(i).path);
  }
}

void unmatched_globs::warn() {
  for (const pattern& each : std::exchange(left_, {})) {
    print_warning(fmt::format("--exclude {} matches no file; paths begin at the root of the tree",
                              printable(each.given)));
  }
}

}  // namespace overture::cli

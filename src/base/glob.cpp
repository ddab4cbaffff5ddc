// SPDX-License-Identifier: Zlib
#include "overture/base/glob.hpp"

#include <algorithm>

namespace overture {

namespace {

// Where to go on if the rest does not match: the wildcard takes one character more.
struct wildcard {
  std::string_view pattern;  // after it
  std::string_view path;     // what it has not taken yet
  bool any = false;
  bool whole_elements = false;  // "**/"

  [[nodiscard]] bool can_take_more() const noexcept {
    return any && (whole_elements ? path.find('/') != std::string_view::npos : !path.empty());
  }
};

// How much of the pattern stands for the first character of the path; 0 if nothing does.
std::size_t matching_front(std::string_view pattern, std::string_view path) noexcept {
  if (pattern.empty() || path.empty()) return 0;
  if (pattern[0] == '\\' && pattern.size() > 1) return pattern[1] == path[0] ? 2 : 0;
  return pattern[0] == path[0] || (pattern[0] == '?' && path[0] != '/') ? 1 : 0;
}

// Whether the pattern matches all of the text.
bool matches_whole(std::string_view pattern, std::string_view path) noexcept {
  wildcard star;    // the last `*`, after the last `**`
  wildcard across;  // the last `**`
  for (;;) {
    if (pattern.starts_with("**")) {
      const bool whole_elements = pattern.starts_with("**/");
      pattern.remove_prefix(whole_elements ? 3 : 2);
      across = {pattern, path, true, whole_elements};
      star = {};
    } else if (pattern.starts_with('*')) {
      pattern.remove_prefix(1);
      star = {pattern, path, true};
    } else if (pattern.empty() && path.empty()) {
      return true;
    } else if (const std::size_t taken = matching_front(pattern, path)) {
      pattern.remove_prefix(taken);
      path.remove_prefix(1);
    } else if (star.can_take_more() && star.path[0] != '/') {
      star.path.remove_prefix(1);
      pattern = star.pattern;
      path = star.path;
    } else if (across.can_take_more()) {
      across.path.remove_prefix(across.whole_elements ? across.path.find('/') + 1 : 1);
      pattern = across.pattern;
      path = across.path;
      star = {};
    } else {
      return false;
    }
  }
}

}  // namespace

bool matches_glob(std::string_view pattern, std::string_view path) noexcept {
  const bool folders_only = pattern.ends_with('/');
  if (folders_only) pattern.remove_suffix(1);
  const bool from_root = pattern.find('/') != std::string_view::npos;
  if (pattern.starts_with('/')) pattern.remove_prefix(1);
  if (pattern.empty()) return false;
  for (std::size_t end = 0; end < path.size();) {
    end = std::min(path.find('/', end + 1), path.size());
    if (end == path.size() && folders_only) return false;
    const std::string_view part = path.substr(0, end);
    if (matches_whole(pattern, from_root ? part : part.substr(part.rfind('/') + 1))) return true;
  }
  return false;
}

}  // namespace overture

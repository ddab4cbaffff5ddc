#include "overture/base/glob.hpp"

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

}  // namespace

bool matches_glob(std::string_view pattern, std::string_view path) noexcept {
  if (pattern.find('/') == std::string_view::npos) path.remove_prefix(path.rfind('/') + 1);
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
    } else if (!pattern.empty() && !path.empty() &&
               (pattern[0] == path[0] || (pattern[0] == '?' && path[0] != '/'))) {
      pattern.remove_prefix(1);
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

}  // namespace overture

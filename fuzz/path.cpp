// SPDX-License-Identifier: Zlib
//
// Normalises the bytes as a path and folds its case: the result follows the rules for paths, and
// normalising and folding it again changes nothing.
#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "overture/base/case_fold.hpp"
#include "overture/base/path.hpp"

namespace {

using namespace overture;

void require(bool kept) {
  if (!kept) std::abort();
}

bool has_element(std::string_view path, std::string_view wanted) {
  for (;;) {
    const std::size_t slash = path.find('/');
    if (path.substr(0, slash) == wanted) return true;
    if (slash == std::string_view::npos) return false;
    path.remove_prefix(slash + 1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view path(reinterpret_cast<const char*>(data), size);
  path_buffer room;
  const result<asset_path> normal = normalise(path, room);
  if (!normal) {
    require(normal.error().code == errc::bad_path);
    require(path_flaw(path) != nullptr);
    return 0;
  }
  const std::string_view text = normal->text;
  require(path_flaw(text) == nullptr && text.size() <= limits::path_bytes_max);
  require(normal->id.value == hash64(text));
  require(text.find('\\') == text.npos && text.find('\0') == text.npos);
  if (!text.empty()) {
    require(!has_element(text, "") && !has_element(text, ".") && !has_element(text, ".."));
  }
  path_buffer other_room;
  const result<asset_path> again = normalise(text, other_room);
  require(again && again->text.data() == text.data() && again->text.size() == text.size());
  require(extension(text).size() <= text.size());

  path_buffer folded_room;
  const std::size_t length = fold_case(text, folded_room);
  if (length == folded_text_too_long) {
    require(text.size() + text.size() / 2 > limits::path_bytes_max);
    return 0;
  }
  const std::string_view folded(folded_room.data(), length);
  path_buffer twice;
  require(fold_case(folded, twice) == length && folded == std::string_view(twice.data(), length));
  require(std::count(folded.begin(), folded.end(), '/') ==
          std::count(text.begin(), text.end(), '/'));
  require(!is_plainly_folded(text) || folded == text);
  require(!has_element(folded, "..") && folded.find('\\') == folded.npos);
  return 0;
}

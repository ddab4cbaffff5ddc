// SPDX-License-Identifier: Zlib
//
// The form of a path that a file_system looks up: as given, or case-folded.
#pragma once

#include "overture/base/case_fold.hpp"
#include "overture/base/path.hpp"

namespace overture::vfs_detail {

// Refers to the given path, or to a folded copy in its own buffer. A case-sensitive tree never
// touches the buffer.
class path_key {
 public:
  path_key(const asset_path& path, bool ignore_case) noexcept : path_(path) {
    // The root may be given as asset_path{}, which has no id.
    if (path.text.empty()) path_.id = root_id;
    if (!ignore_case || is_plainly_folded(path.text)) return;
    const std::size_t length = fold_case(path.text, room_);
    // Too long for any path: use a text that no path has.
    path_.text = length == folded_text_too_long ? std::string_view("\0", 1)
                                                : std::string_view(room_.data(), length);
    path_.id = {hash64(path_.text)};
  }
  path_key(const path_key&) = delete;
  path_key& operator=(const path_key&) = delete;

  // Whether the folded path is within the limit on the length of paths.
  [[nodiscard]] bool fits() const noexcept { return path_.text != std::string_view("\0", 1); }
  // NOLINTNEXTLINE(google-explicit-constructor): it is a path
  operator asset_path() const noexcept { return path_; }

 private:
  static constexpr path_id root_id{hash64("")};

  asset_path path_;
  path_buffer room_;
};

namespace folding {
// Not inlined: the buffer is a page of stack.
template <class Act>
[[gnu::noinline]] auto act_on_folded(const asset_path& path, Act act) noexcept {
  return act(path_key(path, true));
}
}  // namespace folding

// Calls `act` with the path's key. For look-ups that must cost nothing extra if case matters.
template <class Act>
auto by_key(const asset_path& path, bool ignore_case, Act act) noexcept {
  if (!ignore_case || is_plainly_folded(path.text)) return act(path);
  return folding::act_on_folded(path, act);
}

}  // namespace overture::vfs_detail

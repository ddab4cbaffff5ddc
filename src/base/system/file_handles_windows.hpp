// SPDX-License-Identifier: Zlib
//
// Handles of files and folders: how they are opened, also below a folder that they may not leave,
// and how names are changed. What fails leaves its reason as the last error.
#pragma once

#include <string_view>
#include <utility>

#include "base/system/paths_windows.hpp"
#include "overture/base/os.hpp"

namespace overture::base_detail {

inline constexpr DWORD share_all = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
// Without it no folder can be opened.
inline constexpr DWORD usual_flags = FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OVERLAPPED;
inline constexpr DWORD not_through_links = usual_flags | FILE_FLAG_OPEN_REPARSE_POINT;

inline os_handle to_handle(HANDLE opened) {
  return {static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(opened))};
}
inline HANDLE of(os_handle handle) {
  return reinterpret_cast<HANDLE>(static_cast<std::intptr_t>(handle.value));
}

// Closes its handle and keeps the last error.
class owned_handle {
 public:
  explicit owned_handle(HANDLE owned) noexcept : owned_(owned) {}
  ~owned_handle() {
    if (!valid()) return;
    const DWORD code = GetLastError();
    (void)CloseHandle(owned_);
    SetLastError(code);
  }
  owned_handle(owned_handle&& other) noexcept
      : owned_(std::exchange(other.owned_, INVALID_HANDLE_VALUE)) {}
  owned_handle& operator=(owned_handle&&) = delete;
  [[nodiscard]] bool valid() const noexcept { return owned_ != INVALID_HANDLE_VALUE; }
  [[nodiscard]] HANDLE get() const noexcept { return owned_; }
  [[nodiscard]] os_handle release() noexcept {
    return to_handle(std::exchange(owned_, INVALID_HANDLE_VALUE));
  }

 private:
  HANDLE owned_;
};

[[nodiscard]] HANDLE open_wide(const wide_path& path, DWORD access, DWORD share, DWORD how,
                               DWORD flags) noexcept;

[[nodiscard]] bool is_link(DWORD attributes, DWORD tag) noexcept;
[[nodiscard]] file_kind kind_of(DWORD attributes, DWORD tag) noexcept;
[[nodiscard]] FILE_ATTRIBUTE_TAG_INFO attributes_of(HANDLE opened) noexcept;
[[nodiscard]] bool is_folder(HANDLE opened) noexcept;
// No link, folder or device.
[[nodiscard]] bool is_regular(HANDLE opened) noexcept;
[[nodiscard]] bool make_empty(HANDLE file) noexcept;

[[nodiscard]] bool has_dots(std::string_view path) noexcept;
// Sets the last error to ERROR_DIRECTORY if an element of the path, but not its last one, is a
// file: the system says only that the path was not found.
void look_for_file_on_the_way(const wide_path& path) noexcept;

// Opens what a path below a folder names, if it has not left the folder through a link: the system
// is asked for the path of what it has opened.
[[nodiscard]] owned_handle open_beneath(os_handle folder, std::string_view path, DWORD access,
                                        DWORD share) noexcept;

// The folder that contains a path's last element. While it lives nothing can take its place: it is
// not shared for deleting.
class parent_folder {
 public:
  parent_folder(os_handle folder, std::string_view path) noexcept
      : opened_(open(folder, path)), name_(path.substr(path.rfind('/') + 1)) {
    if (missing()) return;
    const bool whole = path_.set(opened_.valid() ? opened_.get() : of(folder));
    missing_ = !whole || !path_.append(name_);
  }
  parent_folder(const parent_folder&) = delete;
  parent_folder& operator=(const parent_folder&) = delete;

  [[nodiscard]] bool missing() const noexcept { return missing_; }  // the last error says why
  // Of the last element.
  [[nodiscard]] const wide_path& path() const noexcept { return path_; }

 private:
  owned_handle open(os_handle folder, std::string_view path) noexcept;

  bool missing_ = false;
  owned_handle opened_;
  std::string_view name_;
  wide_path path_;
};

// Removes a file or a link, or an empty folder too.
[[nodiscard]] bool remove_wide(const wide_path& path, bool folders_too) noexcept;
// Replaces a file that has the name.
[[nodiscard]] bool rename_wide(const wide_path& from, const wide_path& to) noexcept;

}  // namespace overture::base_detail

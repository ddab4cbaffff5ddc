// SPDX-License-Identifier: Zlib
#include "base/system/file_handles_windows.hpp"

#include <algorithm>
#include <cstring>

#include "overture/base/portable_name.hpp"

namespace overture::base_detail {

HANDLE open_wide(const wide_path& path, DWORD access, DWORD share, DWORD how,
                 DWORD flags) noexcept {
  return CreateFileW(path.c_str(), access, share, nullptr, how, FILE_ATTRIBUTE_NORMAL | flags,
                     nullptr);
}

bool is_link(DWORD attributes, DWORD tag) noexcept {
  return (attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 &&
         (tag == IO_REPARSE_TAG_SYMLINK || tag == IO_REPARSE_TAG_MOUNT_POINT);
}

file_kind kind_of(DWORD attributes, DWORD tag) noexcept {
  if (is_link(attributes, tag)) return file_kind::link;
  if ((attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) return file_kind::folder;
  return (attributes & FILE_ATTRIBUTE_DEVICE) != 0 ? file_kind::other : file_kind::file;
}

FILE_ATTRIBUTE_TAG_INFO attributes_of(HANDLE opened) noexcept {
  FILE_ATTRIBUTE_TAG_INFO found{};
  (void)GetFileInformationByHandleEx(opened, FileAttributeTagInfo, &found, sizeof found);
  return found;
}

bool is_folder(HANDLE opened) noexcept {
  return (attributes_of(opened).FileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

bool is_regular(HANDLE opened) noexcept {
  const FILE_ATTRIBUTE_TAG_INFO found = attributes_of(opened);
  return GetFileType(opened) == FILE_TYPE_DISK &&
         kind_of(found.FileAttributes, found.ReparseTag) == file_kind::file;
}

bool make_empty(HANDLE file) noexcept {
  FILE_END_OF_FILE_INFO end{};
  return SetFileInformationByHandle(file, FileEndOfFileInfo, &end, sizeof end) != 0;
}

bool has_dots(std::string_view path) noexcept {
  while (!path.empty()) {
    const std::string_view element = path.substr(0, path.find('/'));
    if (element.empty() || element == "." || element == "..") return true;
    path.remove_prefix(std::min(element.size() + 1, path.size()));
  }
  return false;
}

void look_for_file_on_the_way(const wide_path& path) noexcept {
  if (GetLastError() != ERROR_PATH_NOT_FOUND) return;
  wide_path front = path;
  for (std::size_t at = path.view().rfind(L'\\'); at != std::wstring_view::npos && at > 6;
       at = path.view().rfind(L'\\', at - 1)) {
    front.cut(at);
    const DWORD attributes = GetFileAttributesW(front.c_str());
    if (attributes == INVALID_FILE_ATTRIBUTES) continue;
    const bool file = (attributes & FILE_ATTRIBUTE_DIRECTORY) == 0;
    SetLastError(file ? ERROR_DIRECTORY : ERROR_PATH_NOT_FOUND);
    return;
  }
  SetLastError(ERROR_PATH_NOT_FOUND);
}

owned_handle open_beneath(os_handle folder, std::string_view path, DWORD access,
                          DWORD share) noexcept {
  const auto refused = [](DWORD code) {
    SetLastError(code);
    return owned_handle(INVALID_HANDLE_VALUE);
  };
  if (has_dots(path)) return refused(ERROR_NOT_SAME_DEVICE);
  wide_path root;
  if (!root.set(of(folder))) return owned_handle(INVALID_HANDLE_VALUE);
  wide_path wanted = root;
  if (!wanted.append(path)) return owned_handle(INVALID_HANDLE_VALUE);
  owned_handle opened(open_wide(wanted, access, share, OPEN_EXISTING, usual_flags));
  if (!opened.valid()) {
    look_for_file_on_the_way(wanted);
    return opened;
  }
  wide_path& actual = wanted;
  if (!actual.set(opened.get())) return owned_handle(INVALID_HANDLE_VALUE);
  if (!actual.is_below(root)) return refused(ERROR_NOT_SAME_DEVICE);
  return opened;
}

owned_handle parent_folder::open(os_handle folder, std::string_view path) noexcept {
  // Below, the system takes names as they are, and a backslash for a separator.
  const bool leaves = has_dots(path);
  if (leaves || path.find('\\') != path.npos || portable_name_flaw(path)) {
    SetLastError(leaves ? ERROR_NOT_SAME_DEVICE : ERROR_INVALID_NAME);
    missing_ = true;
    return owned_handle(INVALID_HANDLE_VALUE);
  }
  const std::size_t slash = path.rfind('/');
  if (slash == path.npos) return owned_handle(INVALID_HANDLE_VALUE);
  owned_handle opened = open_beneath(folder, path.substr(0, slash), FILE_READ_ATTRIBUTES,
                                     FILE_SHARE_READ | FILE_SHARE_WRITE);
  missing_ = !opened.valid();
  if (opened.valid() && !is_folder(opened.get())) {
    SetLastError(ERROR_DIRECTORY);
    missing_ = true;
  }
  return opened;
}

// The way of POSIX, where the file system has it: the name is free at once, even if the file is
// open.
static bool remove_name(const wide_path& path) noexcept {
  constexpr auto disposition_info_ex = static_cast<FILE_INFO_BY_HANDLE_CLASS>(21);
  constexpr ULONG remove_if_posix = 1 | 2;
  const owned_handle file(
      open_wide(path, DELETE | SYNCHRONIZE, share_all, OPEN_EXISTING, not_through_links));
  ULONG how = remove_if_posix;
  return file.valid() &&
         SetFileInformationByHandle(file.get(), disposition_info_ex, &how, sizeof how) != 0;
}

bool remove_wide(const wide_path& path, bool folders_too) noexcept {
  const DWORD attributes = GetFileAttributesW(path.c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES) return false;
  if ((attributes & FILE_ATTRIBUTE_DIRECTORY) == 0) {
    return remove_name(path) || DeleteFileW(path.c_str()) != 0;
  }
  // A link to a folder is removed like a folder.
  const bool link = (attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
  if (folders_too || link) return RemoveDirectoryW(path.c_str()) != 0;
  SetLastError(ERROR_ACCESS_DENIED);
  return false;
}

// The way of POSIX, where the file system has it, also replaces a file that others have open.
bool rename_wide(const wide_path& from, const wide_path& to) noexcept {
  const DWORD old_attributes = GetFileAttributesW(to.c_str());
  const DWORD attributes = GetFileAttributesW(from.c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES) return false;
  if (old_attributes != INVALID_FILE_ATTRIBUTES) {
    const bool replaces_folder = (old_attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    const bool is_one = (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    if (is_one != replaces_folder) {
      SetLastError(is_one ? ERROR_DIRECTORY : error_is_folder);
      return false;
    }
  }
  struct {
    FILE_RENAME_INFO info;
    wchar_t name[wide_path::units_max];
  } how{};
  constexpr DWORD replace_if_exists = 1;
  constexpr DWORD posix_semantics = 2;
  constexpr auto rename_info_ex = static_cast<FILE_INFO_BY_HANDLE_CLASS>(22);
  const owned_handle source(
      open_wide(from, DELETE | SYNCHRONIZE, share_all, OPEN_EXISTING, not_through_links));
  if (source.valid()) {
    const DWORD flags = replace_if_exists | posix_semantics;
    std::memcpy(&how.info, &flags, sizeof flags);
    how.info.FileNameLength = static_cast<DWORD>(to.view().size() * sizeof(wchar_t));
    std::memcpy(how.info.FileName, to.c_str(), how.info.FileNameLength + sizeof(wchar_t));
    if (SetFileInformationByHandle(source.get(), rename_info_ex, &how, sizeof how)) return true;
  }
  return MoveFileExW(from.c_str(), to.c_str(),
                     MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) != 0;
}

}  // namespace overture::base_detail

// SPDX-License-Identifier: Zlib
#include "base/system/paths_windows.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>

namespace overture::base_detail {

int errno_of(DWORD code) noexcept {
  switch (code) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_DRIVE:
    case ERROR_BAD_NETPATH:
    case ERROR_BAD_NET_NAME:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_PATHNAME:
      return ENOENT;
    case ERROR_DIRECTORY:
      return ENOTDIR;
    case error_is_folder:
      return EISDIR;
    case ERROR_ACCESS_DENIED:
    case ERROR_PRIVILEGE_NOT_HELD:
    case ERROR_CANT_ACCESS_FILE:
      return EACCES;
    case ERROR_WRITE_PROTECT:
      return EROFS;
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
    case ERROR_USER_MAPPED_FILE:
    case ERROR_DELETE_PENDING:
      return EBUSY;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
    case ERROR_COMMITMENT_LIMIT:
    case ERROR_NO_SYSTEM_RESOURCES:
      return ENOMEM;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
      return EEXIST;
    case ERROR_DIR_NOT_EMPTY:
      return ENOTEMPTY;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
      return ENOSPC;
    case ERROR_TOO_MANY_OPEN_FILES:
      return EMFILE;
    case ERROR_FILENAME_EXCED_RANGE:
    case ERROR_BUFFER_OVERFLOW:
      return ENAMETOOLONG;
    case ERROR_NOT_SAME_DEVICE:
      return EXDEV;
    case ERROR_CANT_RESOLVE_FILENAME:
      return ELOOP;
    case ERROR_NO_UNICODE_TRANSLATION:
      return EILSEQ;
    case ERROR_FILE_TOO_LARGE:
      return EFBIG;
    case ERROR_BROKEN_PIPE:
    case ERROR_NO_DATA:
      return EPIPE;
    case ERROR_NOT_SUPPORTED:
    case ERROR_INVALID_FUNCTION:
    case ERROR_CALL_NOT_IMPLEMENTED:
      return ENOTSUP;
    case ERROR_INVALID_PARAMETER:
      return EINVAL;
    default:
      return EIO;
  }
}

tl::unexpected<error> windows_failure(const char* reason) noexcept {
  return tl::unexpected<error>(os_failure(errno_of(GetLastError()), reason));
}

bool to_utf16(std::string_view text, std::span<wchar_t> room, std::size_t& length) noexcept {
  length = 0;
  if (text.empty()) return true;
  if (text.size() > INT_MAX || room.size() > INT_MAX) return false;
  const int units =
      MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text.data(), static_cast<int>(text.size()),
                          room.data(), static_cast<int>(room.size()));
  length = static_cast<std::size_t>(units);
  return units > 0;
}

bool to_utf8(std::wstring_view text, std::span<char> room, std::size_t& length) noexcept {
  length = 0;
  if (text.empty()) return true;
  if (text.size() > INT_MAX || room.size() > INT_MAX) return false;
  const int bytes =
      WideCharToMultiByte(CP_UTF8, WC_ERR_INVALID_CHARS, text.data(), static_cast<int>(text.size()),
                          room.data(), static_cast<int>(room.size()), nullptr, nullptr);
  length = static_cast<std::size_t>(bytes);
  return bytes > 0;
}

bool wide_path::put(std::wstring_view text) noexcept {
  if (length_ + text.size() >= units_max) {
    SetLastError(ERROR_FILENAME_EXCED_RANGE);
    return false;
  }
  std::copy(text.begin(), text.end(), text_ + length_);
  length_ += text.size();
  text_[length_] = L'\0';
  return true;
}

bool wide_path::set(const char* path) noexcept {
  length_ = 0;
  text_[0] = L'\0';
  wchar_t given[units_max];
  std::size_t length = 0;
  const std::string_view text(path);
  if (text.empty()) {
    SetLastError(ERROR_PATH_NOT_FOUND);
    return false;
  }
  if (!to_utf16(text, std::span(given, units_max - 1), length)) {
    if (GetLastError() == ERROR_INSUFFICIENT_BUFFER) SetLastError(ERROR_FILENAME_EXCED_RANGE);
    return false;
  }
  given[length] = L'\0';
  const std::wstring_view wide(given, length);
  if (wide.starts_with(LR"(\\?\)") || wide.starts_with(LR"(\\.\)")) {
    std::replace(given, given + length, L'/', L'\\');  // which the system does not do here
    return put(wide);
  }
  wchar_t whole[units_max];
  const DWORD units = GetFullPathNameW(given, units_max, whole, nullptr);
  if (units == 0) return false;
  if (units >= units_max) {
    SetLastError(ERROR_FILENAME_EXCED_RANGE);
    return false;
  }
  std::wstring_view absolute(whole, units);
  if (absolute.starts_with(LR"(\\.\)")) return put(absolute);  // a device
  if (!absolute.starts_with(LR"(\\)")) return put(LR"(\\?\)") && put(absolute);
  absolute.remove_prefix(2);
  return put(LR"(\\?\UNC\)") && put(absolute);
}

bool wide_path::set(HANDLE opened) noexcept {
  length_ = 0;
  const DWORD units = GetFinalPathNameByHandleW(opened, text_, units_max, FILE_NAME_NORMALIZED);
  if (units == 0) return false;
  if (units >= units_max) {
    SetLastError(ERROR_FILENAME_EXCED_RANGE);
    return false;
  }
  length_ = units;
  return true;
}

bool wide_path::append(std::string_view path) noexcept {
  if (length_ > 0 && text_[length_ - 1] != L'\\' && !put(L"\\")) return false;
  std::size_t length = 0;
  if (!to_utf16(path, std::span(text_ + length_, units_max - 1 - length_), length)) {
    if (GetLastError() == ERROR_INSUFFICIENT_BUFFER) SetLastError(ERROR_FILENAME_EXCED_RANGE);
    return false;
  }
  std::replace(text_ + length_, text_ + length_ + length, L'/', L'\\');
  length_ += length;
  text_[length_] = L'\0';
  return true;
}

bool wide_path::is_below(const wide_path& folder) const noexcept {
  std::wstring_view front = folder.view();
  if (front.ends_with(L'\\')) front.remove_suffix(1);  // a drive
  const std::wstring_view mine = view();
  return mine.starts_with(front) && (mine.size() == front.size() || mine[front.size()] == L'\\');
}

}  // namespace overture::base_detail

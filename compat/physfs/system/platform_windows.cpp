// SPDX-License-Identifier: Zlib
#include "system/platform.hpp"

#include "base/system/paths_windows.hpp"

#include <knownfolders.h>
#include <shlobj.h>

#include <ctime>

#include "errors.hpp"
#include "overture/base/portable_name.hpp"

namespace physfs {
namespace {

using namespace overture::base_detail;

bool failed() noexcept {
  return refuse(windows_failure("").value());
}

bool put_utf8(std::wstring_view path, joined_name& name) noexcept {
  char room[2 * name_bytes_max];
  std::size_t length = 0;
  return to_utf8(path, room, length) ? name.join({room, length}, "") : failed();
}

bool append(joined_name& path, std::string_view more) noexcept {
  const joined_name front = path;
  return path.join(front.view(), more);
}

// With a backslash at the end.
bool find_known_folder(const KNOWNFOLDERID& id, joined_name& folder) noexcept {
  wchar_t* path = nullptr;
  const HRESULT found = SHGetKnownFolderPath(id, KF_FLAG_CREATE, nullptr, &path);
  const bool whole = found == S_OK && put_utf8(path, folder) && append(folder, "\\");
  CoTaskMemFree(path);
  return whole || refuse(PHYSFS_ERR_OS_ERROR);
}

}  // namespace

const char* separator() noexcept {
  return "\\";
}

bool is_separator(char c) noexcept {
  return c == '\\' || c == '/';
}

// Some that it cannot have would name other files, or devices.
bool is_possible(std::string_view path) noexcept {
  return path.empty() || !overture::portable_name_flaw(path);
}

void complete_stat(const char* path, PHYSFS_Stat& found) noexcept {
  constexpr long long second = 10'000'000;  // of a clock that began in 1601
  constexpr long long from_1601_to_1970 = 11'644'473'600;
  found.readonly = 0;
  wide_path wide;
  WIN32_FILE_ATTRIBUTE_DATA asked{};
  if (!wide.set(path) || !GetFileAttributesExW(wide.c_str(), GetFileExInfoStandard, &asked)) return;
  const FILETIME made = asked.ftCreationTime;
  const auto ticks =
      static_cast<long long>(ULONGLONG{made.dwHighDateTime} << 32 | made.dwLowDateTime);
  found.createtime = ticks / second - from_1601_to_1970;
  found.readonly = (asked.dwFileAttributes & FILE_ATTRIBUTE_READONLY) != 0 ? 1 : 0;
}

bool find_program_folder(const char* argv0, joined_name& folder) noexcept {
  (void)argv0;
  wchar_t path[wide_path::units_max];
  const DWORD units = GetModuleFileNameW(nullptr, path, wide_path::units_max);
  if (units == 0) return failed();
  if (units == wide_path::units_max) return refuse(PHYSFS_ERR_BAD_FILENAME);
  const std::wstring_view program(path, units);
  return put_utf8(program.substr(0, program.rfind(L'\\') + 1), folder);
}

bool find_user_folder(joined_name& folder) noexcept {
  return find_known_folder(FOLDERID_Profile, folder);
}

bool find_own_folder(const char* organisation, const char* application,
                     joined_name& folder) noexcept {
  return find_known_folder(FOLDERID_RoamingAppData, folder) && append(folder, organisation) &&
         append(folder, "\\") && append(folder, application) && append(folder, "\\");
}

bool make_folders(const char* path) noexcept {
  wide_path whole;
  if (!whole.set(path)) return failed();
  const std::wstring_view text = whole.view();
  // The drive is in front of these, and what is there is no error.
  for (std::size_t end = text.find(L'\\', 4); end != text.npos; end = text.find(L'\\', end + 1)) {
    wide_path front = whole;
    front.cut(end);
    (void)CreateDirectoryW(front.c_str(), nullptr);
  }
  const DWORD attributes = GetFileAttributesW(whole.c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES) return failed();
  return (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0 || refuse(PHYSFS_ERR_NOT_FOUND);
}

long long from_local_time(long long seconds) noexcept {
  const auto clock = static_cast<time_t>(seconds);
  tm parts{};
  if (gmtime_s(&parts, &clock) != 0) return seconds;
  parts.tm_isdst = -1;  // the rules tell
  const time_t utc = mktime(&parts);
  return utc == -1 ? seconds : utc;
}

bool run_at_end_of_thread(void (*run)(void*), void* with) noexcept {
  struct ending {
    void (*run)(void*) = nullptr;
    void* with = nullptr;
    ~ending() {
      if (run) run(with);
    }
  };
  static thread_local ending own;
  own.run = run;
  own.with = with;
  return true;
}

}  // namespace physfs

// SPDX-License-Identifier: Zlib
//
// Files of Windows. Paths are UTF-8 outside and UTF-16 inside, with either separator. Everything is
// opened for sharing, so that an editor may replace a file that is being read. Files are opened for
// overlapped access, without which the system would do the reads of one handle one after another.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <limits>
#include <utility>

#include "base/system/file_handles_windows.hpp"
#include "base/system/thread_event_windows.hpp"
#include "overture/base/os.hpp"
#include "overture/base/portable_name.hpp"

namespace overture {
using namespace base_detail;

namespace {

tl::unexpected<error> failed_as(int os_error, const char* reason) {
  return tl::unexpected<error>(os_failure(os_error, reason));
}

// Where something is to be made: a file that has the name of a folder is in the way, while a reader
// only learns that there is no such file.
tl::unexpected<error> failed_to_make(const char* reason) {
  if (GetLastError() != ERROR_DIRECTORY) return windows_failure(reason);
  error in_the_way = os_failure(ENOTDIR, "a file has the name of a folder");
  in_the_way.code = errc::exists;
  return tl::unexpected<error>(in_the_way);
}

// Since 1970; Windows counts hundreds of nanoseconds since 1601.
std::int64_t nanoseconds(std::int64_t time) {
  constexpr std::int64_t from_1601_to_1970 = 116'444'736'000'000'000;
  return time == 0 ? 0 : (time - from_1601_to_1970) * 100;
}

std::uint64_t joined(DWORD high, DWORD low) {
  return std::uint64_t{high} << 32 | low;
}

result<file_status> status_of(HANDLE opened) {
  file_status status;
  BY_HANDLE_FILE_INFORMATION found{};
  if (GetFileType(opened) != FILE_TYPE_DISK) return status;
  if (!GetFileInformationByHandle(opened, &found)) {
    return windows_failure("cannot get the file status");
  }
  status.kind = kind_of(found.dwFileAttributes, attributes_of(opened).ReparseTag);
  if (status.kind == file_kind::file) status.size = joined(found.nFileSizeHigh, found.nFileSizeLow);
  const auto time = [](FILETIME from) {
    return nanoseconds(static_cast<std::int64_t>(joined(from.dwHighDateTime, from.dwLowDateTime)));
  };
  status.mtime_ns = time(found.ftLastWriteTime);
  status.atime_ns = time(found.ftLastAccessTime);
  FILE_BASIC_INFO basic{};
  if (GetFileInformationByHandleEx(opened, FileBasicInfo, &basic, sizeof basic)) {
    status.ctime_ns = nanoseconds(basic.ChangeTime.QuadPart);
  }
  status.volume = found.dwVolumeSerialNumber;
  status.number = joined(found.nFileIndexHigh, found.nFileIndexLow);
  return status;
}

// Why this system cannot have such a name below a folder, or null.
const char* flaw_below(std::string_view path) {
  if (path.find('\\') != path.npos) return "a backslash in the name, which Windows takes for '/'";
  return portable_name_flaw(path);
}

// Of the last element of a path of the system, whose drive has a colon.
const char* flaw_of_name(std::string_view path) {
  return portable_name_flaw(path.substr(path.find_last_of("/\\:") + 1));
}

// What open() gave is no regular file but a link, a folder or a device.
tl::unexpected<error> not_regular(HANDLE opened) {
  const FILE_ATTRIBUTE_TAG_INFO found = attributes_of(opened);
  if (is_link(found.FileAttributes, found.ReparseTag)) {
    return failed_as(ELOOP, "cannot write through a link");
  }
  return fail(errc::not_a_file, "not a regular file");
}

class windows_system final : public operating_system {
 public:
  result<os_handle> open(const char* path) noexcept override {
    wide_path wide;
    if (!wide.set(path)) return windows_failure("cannot open");
    owned_handle opened(open_wide(wide, GENERIC_READ, share_all, OPEN_EXISTING, usual_flags));
    if (!opened.valid()) return windows_failure("cannot open");
    return opened.release();
  }

  result<os_handle> open_below(os_handle folder, const char* path) noexcept override {
    if (const char* const flaw = flaw_below(path); flaw && !has_dots(path)) {
      return fail(errc::not_a_file, flaw);
    }
    owned_handle opened = open_beneath(folder, path, GENERIC_READ, share_all);
    if (!opened.valid()) return windows_failure("cannot open");
    return opened.release();
  }

  // Only 32 bits of a handle are in use.
  int descriptor(os_handle handle) noexcept override { return static_cast<int>(handle.value); }

  void close(os_handle handle) noexcept override { (void)CloseHandle(of(handle)); }

  result<file_status> status(os_handle handle) noexcept override { return status_of(of(handle)); }

  result<std::size_t> read_at(os_handle handle, std::uint64_t offset,
                              std::span<std::byte> bytes) noexcept override {
    if (offset > offset_max || bytes.empty()) return std::size_t{0};
    const DWORD wanted = static_cast<DWORD>(std::min<std::size_t>(bytes.size(), transfer_max));
    OVERLAPPED at = place(offset);
    DWORD got = 0;
    const bool done = ReadFile(of(handle), bytes.data(), wanted, nullptr, &at) != 0;
    if (ended(handle, at, done, got)) return std::size_t{got};
    if (GetLastError() == ERROR_HANDLE_EOF) return std::size_t{0};
    if (is_folder(of(handle))) return failed_as(EISDIR, "cannot read");
    return windows_failure("cannot read");
  }

  result<file_status> status(const char* path, bool follow_links) noexcept override {
    wide_path wide;
    if (!wide.set(path)) return windows_failure("cannot get the file status");
    const owned_handle opened(open_wide(wide, FILE_READ_ATTRIBUTES, share_all, OPEN_EXISTING,
                                        follow_links ? usual_flags : not_through_links));
    if (!opened.valid()) return windows_failure("cannot get the file status");
    return status_of(opened.get());
  }

  result<void> list(const char* path,
                    function_ref<void(const folder_entry&) noexcept> visit) noexcept override {
    wide_path wide;
    if (!wide.set(path) || !wide.append("*")) return windows_failure("cannot list the folder");
    WIN32_FIND_DATAW found;
    const HANDLE search =
        FindFirstFileExW(wide.c_str(), FindExInfoBasic, &found, FindExSearchNameMatch, nullptr,
                         FIND_FIRST_EX_LARGE_FETCH);
    if (search == INVALID_HANDLE_VALUE) return windows_failure("cannot list the folder");
    bool illegible = false;
    do {
      char name[3 * std::size(found.cFileName)];
      std::size_t length = 0;
      const std::wstring_view text(found.cFileName);
      if (text == L"." || text == L"..") continue;
      if (to_utf8(text, name, length)) {
        visit({{name, length}, kind_of(found.dwFileAttributes, found.dwReserved0)});
      } else {
        illegible = true;
      }
    } while (FindNextFileW(search, &found));
    const DWORD code = GetLastError();
    (void)FindClose(search);
    if (code != ERROR_NO_MORE_FILES) {
      return failed_as(errno_of(code), "cannot list the folder");
    }
    if (illegible) return failed_as(EILSEQ, "a name in the folder is not valid UTF-16");
    return {};
  }

  // With '/', as paths are joined with it.
  result<std::size_t> canonical_path(const char* path, std::span<char> text) noexcept override {
    wide_path wide;
    if (!wide.set(path)) return windows_failure("cannot resolve the path");
    const owned_handle opened(open_wide(wide, 0, share_all, OPEN_EXISTING, usual_flags));
    if (!opened.valid() || !wide.set(opened.get())) {
      return windows_failure("cannot resolve the path");
    }
    constexpr std::wstring_view local = LR"(\\?\)";
    constexpr std::wstring_view remote = LR"(\\?\UNC\)";
    std::wstring_view resolved = wide.view();
    const bool is_remote = resolved.starts_with(remote);
    if (resolved.starts_with(local)) {
      resolved.remove_prefix(is_remote ? remote.size() : local.size());
    }
    std::size_t length = 0;
    char room[3 * wide_path::units_max];
    if (!to_utf8(resolved, room, length)) return windows_failure("cannot resolve the path");
    const std::string_view front = is_remote ? "//" : "";
    if (front.size() + length >= text.size()) {
      return fail(errc::limit, "the path with its links resolved is too long");
    }
    char* const rest = std::copy(front.begin(), front.end(), text.data());
    *std::replace_copy(room, room + length, rest, '\\', '/') = '\0';
    return front.size() + length;
  }

  result<os_handle> create(const char* path) noexcept override {
    if (const char* const flaw = flaw_of_name(path)) return fail(errc::bad_path, flaw);
    wide_path wide;
    if (!wide.set(path)) return windows_failure("cannot create");
    owned_handle made(
        open_wide(wide, GENERIC_READ | GENERIC_WRITE, share_all, OPEN_ALWAYS, not_through_links));
    if (!made.valid()) {
      look_for_file_on_the_way(wide);
      return windows_failure("cannot create");
    }
    if (!is_regular(made.get())) return not_regular(made.get());
    if (!make_empty(made.get())) return windows_failure("cannot create");
    return made.release();
  }

  result<std::size_t> write_at(os_handle handle, std::uint64_t offset,
                               std::span<const std::byte> bytes) noexcept override {
    if (offset > offset_max) return failed_as(EFBIG, "cannot write");
    const DWORD wanted = static_cast<DWORD>(std::min<std::size_t>(bytes.size(), transfer_max));
    OVERLAPPED at = place(offset);
    DWORD put = 0;
    const bool done = WriteFile(of(handle), bytes.data(), wanted, nullptr, &at) != 0;
    if (ended(handle, at, done, put)) return std::size_t{put};
    if (is_folder(of(handle))) return failed_as(EISDIR, "cannot write");
    return windows_failure("cannot write");
  }

  result<void> sync(os_handle handle) noexcept override {
    if (FlushFileBuffers(of(handle))) return {};
    const error failure = windows_failure("cannot sync").value();
    // Names are written through when files are renamed.
    if (is_folder(of(handle))) return failed_as(ENOTSUP, "cannot sync a folder");
    return tl::unexpected<error>(failure);
  }

  result<void> rename(const char* from, const char* to) noexcept override {
    if (const char* const flaw = flaw_of_name(to)) return fail(errc::bad_path, flaw);
    wide_path old_path;
    wide_path new_path;
    if (!old_path.set(from) || !new_path.set(to)) return windows_failure("cannot rename");
    if (!rename_wide(old_path, new_path)) {
      look_for_file_on_the_way(new_path);
      return failed_to_make("cannot rename");
    }
    return {};
  }

  result<void> remove_file(const char* path) noexcept override {
    wide_path wide;
    if (!wide.set(path) || !remove_wide(wide, false)) return windows_failure("cannot remove");
    return {};
  }

  // Of a byte that no file has: these locks keep others from reading and writing.
  result<void> lock(os_handle file) noexcept override {
    OVERLAPPED at = place(offset_max - 1);
    constexpr DWORD at_once = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY;
    DWORD none = 0;
    const bool done = LockFileEx(of(file), at_once, 0, 1, 0, &at) != 0;
    if (ended(file, at, done, none)) return {};
    return failed_as(GetLastError() == ERROR_LOCK_VIOLATION ? EAGAIN : ENOTSUP, "cannot lock");
  }

  result<mapping> map(os_handle handle) noexcept override {
    const result<file_status> found = status(handle);
    if (!found) return tl::unexpected<error>(found.error());
    if (found->kind != file_kind::file) return failed_as(EISDIR, "cannot map");
    if (found->size == 0) return mapping{};
    const HANDLE section = CreateFileMappingW(of(handle), nullptr, PAGE_READONLY, 0, 0, nullptr);
    if (!section) return windows_failure("cannot map");
    void* const memory = MapViewOfFile(section, FILE_MAP_READ, 0, 0, 0);
    const DWORD code = GetLastError();
    (void)CloseHandle(section);  // the view keeps it
    if (!memory) return failed_as(errno_of(code), "cannot map");
    return mapping{static_cast<const std::byte*>(memory), found->size};
  }

  void unmap(mapping memory) noexcept override {
    if (memory.data) (void)UnmapViewOfFile(memory.data);
  }

  result<os_handle> open_to_write(os_handle folder, const char* path,
                                  write_mode mode) noexcept override {
    if (const char* const flaw = flaw_below(path); flaw && !has_dots(path)) {
      return fail(errc::bad_path, flaw);
    }
    const parent_folder parent(folder, path);
    if (parent.missing()) return windows_failure("cannot open for writing");
    const bool is_new = mode == write_mode::create;
    const DWORD only_at_end = FILE_APPEND_DATA | FILE_READ_ATTRIBUTES | SYNCHRONIZE;
    owned_handle opened(open_wide(parent.path(),
                                  mode == write_mode::append ? only_at_end : DWORD{GENERIC_WRITE},
                                  share_all, is_new ? CREATE_NEW : OPEN_ALWAYS, not_through_links));
    if (!opened.valid()) return windows_failure("cannot open for writing");
    if (!is_regular(opened.get())) return not_regular(opened.get());
    return opened.release();
  }

  result<void> make_folder_below(os_handle folder, const char* path) noexcept override {
    if (const char* const flaw = flaw_below(path); flaw && !has_dots(path)) {
      return fail(errc::bad_path, flaw);
    }
    const parent_folder parent(folder, path);
    if (parent.missing() || !CreateDirectoryW(parent.path().c_str(), nullptr)) {
      return failed_to_make("cannot create the folder");
    }
    return {};
  }

  result<void> remove_below(os_handle folder, const char* path) noexcept override {
    const parent_folder parent(folder, path);
    if (parent.missing() || !remove_wide(parent.path(), true)) {
      return windows_failure("cannot remove");
    }
    return {};
  }

  result<void> rename_below(os_handle folder, const char* from, const char* to) noexcept override {
    if (const char* const flaw = flaw_below(to); flaw && !has_dots(to)) {
      return fail(errc::bad_path, flaw);
    }
    const parent_folder old_parent(folder, from);
    if (old_parent.missing()) return windows_failure("cannot rename");
    const parent_folder parent(folder, to);
    if (parent.missing() || !rename_wide(old_parent.path(), parent.path())) {
      return failed_to_make("cannot rename");
    }
    return {};
  }

  result<void> rename_new_below(os_handle folder, const char* from,
                                const char* to) noexcept override {
    if (const char* const flaw = flaw_below(to); flaw && !has_dots(to)) {
      return fail(errc::bad_path, flaw);
    }
    const parent_folder old_parent(folder, from);
    if (old_parent.missing()) return windows_failure("cannot rename");
    const parent_folder parent(folder, to);
    if (parent.missing() ||
        !MoveFileExW(old_parent.path().c_str(), parent.path().c_str(), MOVEFILE_WRITE_THROUGH)) {
      return failed_to_make("cannot rename");
    }
    return {};
  }

 private:
  static constexpr std::uint64_t offset_max = std::numeric_limits<std::int64_t>::max();
  static constexpr std::size_t transfer_max = 1u << 30;

  static OVERLAPPED place(std::uint64_t offset) {
    OVERLAPPED at{};
    at.Offset = static_cast<DWORD>(offset);
    at.OffsetHigh = static_cast<DWORD>(offset >> 32);
    at.hEvent = thread_event();
    return at;
  }
  // Waits until a transfer has ended. False: the last error says why it failed.
  static bool ended(os_handle handle, OVERLAPPED& at, bool done, DWORD& bytes) {
    if (!done && GetLastError() != ERROR_IO_PENDING) return false;
    return GetOverlappedResult(of(handle), &at, &bytes, TRUE) != 0;
  }
};

}  // namespace

operating_system& system_os() noexcept {
  static windows_system instance;
  return instance;
}

}  // namespace overture

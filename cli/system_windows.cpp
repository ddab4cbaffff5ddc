// SPDX-License-Identifier: Zlib
#ifndef NOMINMAX
#define NOMINMAX
#endif
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
// After it: it declares what these need.
#include <fcntl.h>
#include <io.h>
#include <shellapi.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <new>
#include <system_error>
#include <utility>

#include "exit_code.hpp"
#include "native_path.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/os.hpp"
#include "system.hpp"

namespace overture::cli {

namespace {

HANDLE handle_of(stream which) {
  return GetStdHandle(which == stream::out ? STD_OUTPUT_HANDLE : STD_ERROR_HANDLE);
}

std::string utf8(std::wstring_view text) {
  if (text.empty()) return {};
  const int units = static_cast<int>(text.size());
  const int bytes =
      WideCharToMultiByte(CP_UTF8, 0, text.data(), units, nullptr, 0, nullptr, nullptr);
  std::string made(static_cast<std::size_t>(bytes), '\0');
  WideCharToMultiByte(CP_UTF8, 0, text.data(), units, made.data(), bytes, nullptr, nullptr);
  return made;
}

atomic<int> interrupts{0};

// How many threads write a file, and whether the process is about to exit without memory.
atomic<int> writing{0};
atomic<bool> exiting{false};
atomic<const char*> removed_at_exit[2]{};
constinit thread_local bool writes_here = false;

class write_in_progress {
 public:
  write_in_progress() {
    writing.fetch_add(1);
    writes_here = true;
  }
  ~write_in_progress() {
    writes_here = false;
    writing.fetch_sub(1);
  }
  write_in_progress(const write_in_progress&) = delete;
  write_in_progress& operator=(const write_in_progress&) = delete;
  [[nodiscard]] bool refused() const { return exiting.load(); }
};

[[noreturn]] void exit_without_memory() {
  // Its file is not made yet: once it is, no memory is needed.
  if (std::exchange(writes_here, false)) writing.fetch_sub(1);
  // The first thread exits for all.
  while (exiting.exchange(true)) Sleep(INFINITE);
  while (writing.load() > 0) Sleep(1);
  for (const atomic<const char*>& each : removed_at_exit) {
    if (const char* const path = each.load()) (void)system_os().remove_file(path);
  }
  print_out_of_memory();
  _exit(exit_output_failed);
}

BOOL WINAPI on_interrupt(DWORD event) {
  if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT && event != CTRL_CLOSE_EVENT) return FALSE;
  if (interrupts.fetch_add(1) > 0) _exit(exit_interrupted);
  return TRUE;
}

UINT console_page_before = 0;

void restore_console() {
  if (console_page_before != 0) (void)SetConsoleOutputCP(console_page_before);
}

int os_error_of(const error& failure) {
  if (failure.code == errc::exists) return EEXIST;
  return failure.os_error != 0 ? failure.os_error : EINVAL;
}

// A file below a folder, which is closed and, unless it is whole, removed at the end.
class new_file {
 public:
  new_file(os_handle folder, std::string path) : folder_(folder), path_(std::move(path)) {
    const result<os_handle> made =
        system_os().open_to_write(folder_, path_.c_str(), write_mode::create);
    if (made) file_ = *made;
    failure_ = made ? 0 : os_error_of(made.error());
  }
  ~new_file() {
    if (!file_.valid()) return;
    system_os().close(file_);
    if (failure_ != 0) (void)system_os().remove_below(folder_, path_.c_str());
  }
  new_file(const new_file&) = delete;
  new_file& operator=(const new_file&) = delete;

  [[nodiscard]] int failure() const { return failure_; }
  [[nodiscard]] const char* path() const { return path_.c_str(); }
  void write(piece_source next) {
    std::uint64_t at = 0;
    while (failure_ == 0) {
      const std::optional<std::span<const std::byte>> piece = next();
      if (piece && piece->empty()) return;
      if (!piece) failure_ = ECANCELED;
      if (failure_ != 0) return;
      const result<void> written = write_fully(system_os(), file_, at, *piece);
      if (!written) failure_ = os_error_of(written.error());
      at += piece->size();
    }
  }
  void set_time(std::int64_t mtime_ns) const {
    if (mtime_ns == 0 || failure_ != 0) return;
    constexpr std::int64_t from_1601_to_1970 = 116'444'736'000'000'000;
    ULARGE_INTEGER time;
    time.QuadPart = static_cast<ULONGLONG>(mtime_ns / 100 + from_1601_to_1970);
    const FILETIME written{time.LowPart, time.HighPart};
    (void)SetFileTime(reinterpret_cast<HANDLE>(file_.value), nullptr, nullptr, &written);
  }
  // Gives it its name, replacing what has that name.
  void rename_to(const std::string& name) {
    if (failure_ != 0) return;
    const result<void> renamed = system_os().rename_below(folder_, path(), name.c_str());
    if (!renamed) failure_ = os_error_of(renamed.error());
  }

 private:
  os_handle folder_;
  std::string path_;
  os_handle file_;
  int failure_ = 0;
};

std::string temporary_beside(const std::string& path) {
  static atomic<unsigned> made{0};
  return path.substr(0, path.rfind('/') + 1) + ".overture-" +
         std::to_string(GetCurrentProcessId()) + '-' + std::to_string(made.fetch_add(1));
}

}  // namespace

std::vector<std::string> own_words(int, char**) {
  int count = 0;
  wchar_t** const wide = CommandLineToArgvW(GetCommandLineW(), &count);
  std::vector<std::string> words;
  for (int i = 1; wide && i < count; ++i) words.push_back(utf8(wide[i]));
  LocalFree(wide);
  return words;
}

void prepare_terminal(terminal_environment& environment) {
  // Every console of Windows 10 and later can do both.
  if (environment.term.empty()) environment.term = "windows";
  if (environment.locale.empty()) environment.locale = "utf-8";
  static std::once_flag once;
  std::call_once(once, [] {
    (void)_setmode(_fileno(stdout), _O_BINARY);
    (void)_setmode(_fileno(stderr), _O_BINARY);
    for (const stream each : {stream::out, stream::err}) {
      DWORD mode = 0;
      if (!GetConsoleMode(handle_of(each), &mode)) continue;
      (void)SetConsoleMode(handle_of(each), mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
      if (console_page_before != 0) continue;
      console_page_before = GetConsoleOutputCP();
      (void)SetConsoleOutputCP(CP_UTF8);
      (void)std::atexit(restore_console);
    }
  });
}

bool is_terminal(stream which) {
  DWORD mode = 0;
  return GetConsoleMode(handle_of(which), &mode) != 0;
}

unsigned terminal_width(stream which, const terminal_environment& environment) {
  if (!is_terminal(which)) return 0;
  CONSOLE_SCREEN_BUFFER_INFO found{};
  if (GetConsoleScreenBufferInfo(handle_of(which), &found)) {
    const int columns = found.srWindow.Right - found.srWindow.Left + 1;
    if (columns > 0) return static_cast<unsigned>(columns);
  }
  const unsigned long columns = std::strtoul(environment.columns.c_str(), nullptr, 10);
  return columns > 0 && columns < 10'000 ? static_cast<unsigned>(columns) : 80;
}

int write_all(stream which, std::string_view text) {
  const HANDLE to = handle_of(which);
  while (!text.empty()) {
    DWORD written = 0;
    // More at once is too much for some consoles.
    const auto piece = static_cast<DWORD>(std::min<std::size_t>(text.size(), 1u << 20));
    if (!WriteFile(to, text.data(), piece, &written, nullptr)) {
      const DWORD code = GetLastError();
      if (code == ERROR_BROKEN_PIPE || code == ERROR_NO_DATA) return EPIPE;
      if (code == ERROR_DISK_FULL || code == ERROR_HANDLE_DISK_FULL) return ENOSPC;
      return code == ERROR_INVALID_HANDLE ? EBADF : EIO;
    }
    text.remove_prefix(written);
  }
  return 0;
}

std::int64_t from_local_time(std::int64_t ns) {
  constexpr std::int64_t second = 1'000'000'000;
  const __time64_t shown = ns / second;
  std::tm wall{};
  if (ns == 0 || _gmtime64_s(&wall, &shown) != 0) return 0;
  wall.tm_isdst = -1;
  const __time64_t actual = _mktime64(&wall);
  return actual > 0 ? actual * second : 0;
}

output_folder::~output_folder() {
  if (folder_ >= 0) system_os().close({folder_});
}

int output_folder::open(const std::string& path) {
  std::error_code failed;
  std::filesystem::create_directories(native_path(path), failed);
  if (failed) return failed.default_error_condition().value();
  const result<os_handle> opened = system_os().open(path.c_str());
  if (!opened) return os_error_of(opened.error());
  folder_ = static_cast<int>(opened->value);  // only 32 bits of a handle are in use
  return 0;
}

int output_folder::write(const std::string& path, bool overwrite, const file_marks& marks,
                         piece_source pieces) const {
  const write_in_progress held;
  return held.refused() ? ENOMEM : write_in(path, overwrite, marks, pieces);
}

int output_folder::write_in(const std::string& path, bool overwrite, const file_marks& marks,
                            piece_source pieces) const {
  const os_handle folder{folder_};
  for (std::size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1)) {
    const result<void> made = system_os().make_folder_below(folder, path.substr(0, slash).c_str());
    if (!made && made.error().code != errc::exists) return os_error_of(made.error());
  }
  new_file file(folder, overwrite ? temporary_beside(path) : path);
  file.write(pieces);
  file.set_time(marks.mtime_ns);
  if (overwrite) file.rename_to(path);
  return file.failure();
}

bool tells_page_cache() {
  return false;
}

// Windows has no such call.
bool drop_file_from_page_cache(const std::string&) {
  return false;
}

std::FILE* duplicate_output() {
  const int copy = _dup(_fileno(stdout));
  if (copy < 0) return nullptr;
  (void)_setmode(copy, _O_BINARY);
  std::FILE* const file = _fdopen(copy, "wb");
  if (file == nullptr) (void)_close(copy);
  return file;
}

std::FILE* create_file(const std::string& path) {
  return _wfopen(native_path(path).c_str(), L"wb");
}

std::string system_message(int os_error) {
  return std::generic_category().message(os_error);
}

bool is_broken_pipe(int os_error) {
  return os_error == EPIPE;
}

bool ends_all_writing(int os_error) {
  return os_error == ENOSPC || os_error == EROFS || os_error == EIO;
}

void exit_when_out_of_memory() {
  std::set_new_handler(exit_without_memory);
}

void remove_when_out_of_memory(const char* path, const char* other) {
  removed_at_exit[0].store(path);
  removed_at_exit[1].store(other);
}

void print_out_of_memory() {
  (void)write_all(stream::err, "error: out of memory; close other programs and try again\n");
}

// No signal comes with them here.
bool has_room_for_stack() {
  return true;  // the program says how much it needs
}

void save_address_space() {}

void make_write_errors_nonfatal() {}

void watch_interrupts() {
  (void)SetConsoleCtrlHandler(on_interrupt, TRUE);
}

bool interrupted() {
  return interrupts.load() > 0;
}

}  // namespace overture::cli

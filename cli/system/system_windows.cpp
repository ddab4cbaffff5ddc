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

#include "overture/base/os.hpp"
#include "system/ending.hpp"
#include "system/native_path.hpp"
#include "system/system.hpp"

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

BOOL WINAPI on_interrupt(DWORD event) {
  if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT && event != CTRL_CLOSE_EVENT) return FALSE;
  note_interrupt();
  return TRUE;
}

UINT console_page_before = 0;

void restore_console() {
  if (console_page_before != 0) (void)SetConsoleOutputCP(console_page_before);
}

}  // namespace

void remove_unfinished(const char* path) {
  (void)system_os().remove_file(path);
}

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
  return environment.told_columns();
}

unsigned terminal_height(stream which) {
  CONSOLE_SCREEN_BUFFER_INFO found{};
  if (!is_terminal(which) || !GetConsoleScreenBufferInfo(handle_of(which), &found)) return 0;
  return static_cast<unsigned>(found.srWindow.Bottom - found.srWindow.Top + 1);
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

bool tells_page_cache() {
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

std::FILE* open_pipe(const std::string& path) {
  return _wfopen(native_path(path).c_str(), L"wb");
}

// Not told apart: a file that another program writes cannot be replaced here anyway.
bool goes_to(stream, std::uint64_t, std::uint64_t) {
  return false;
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

}  // namespace overture::cli

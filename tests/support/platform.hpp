// SPDX-License-Identifier: Zlib
//
// What not every system has, for tests that need it: they skip themselves where it is missing, and
// tools/test_results.py knows where that is.
#pragma once

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <system_error>

#include "support/temp_folder.hpp"

#if __has_include(<linux/openat2.h>)
#include <sys/syscall.h>

#include <cerrno>
#endif
#if __has_include(<sys/resource.h>)
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
inline void live_in_time_zone(const char* zone) {
  setenv("TZ", zone, 1);
  tzset();
}
#else
inline void live_in_time_zone(const char* zone) {
  _putenv_s("TZ", zone);
  _tzset();
}
struct rlimit {
  unsigned long rlim_cur = 0;
  unsigned long rlim_max = 0;
};
inline constexpr int RLIMIT_NOFILE = 0;
inline int getrlimit(int, rlimit*) {
  return -1;
}
inline int setrlimit(int, const rlimit*) {
  return -1;
}
inline int mkfifo(const char*, unsigned) {
  return -1;
}
#endif

namespace overture {

inline constexpr bool on_windows = std::filesystem::path::preferred_separator == '\\';
inline constexpr const char* needs_posix = "there are no pipes and limits of POSIX here";
inline constexpr const char* needs_symlinks = "there are no symbolic links here";
inline constexpr const char* needs_free_names = "a name is only free here once its file is closed";
inline constexpr const char* needs_other_names = "Windows cannot have such names";
inline constexpr const char* needs_case = "folders ignore case here";
inline constexpr const char* needs_long_paths = "wine resolves no path over 260 characters";
inline constexpr const char* needs_openat2 = "without openat2 no link below a folder is followed";
inline constexpr const char* needs_programs = "programs of the build machine cannot be run here";

// Wine has none, and on Windows they need a right that users do not have.
inline bool has_symlinks() {
  static const bool made = [] {
    const temp_folder folder;
    std::error_code failed;
    std::filesystem::create_symlink("target", folder.path() / "link", failed);
    return !failed && std::filesystem::is_symlink(folder.path() / "link", failed);
  }();
  return made;
}

// Linux before 5.6 and qemu do not know it, and a sandbox may forbid it.
inline bool has_openat2() {
#if __has_include(<linux/openat2.h>)
  static const bool known =
      syscall(SYS_openat2, -1, "", nullptr, 0) >= 0 || (errno != ENOSYS && errno != EPERM);
  return known;
#else
  return false;
#endif
}

}  // namespace overture

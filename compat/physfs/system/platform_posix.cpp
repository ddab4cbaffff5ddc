// SPDX-License-Identifier: Zlib
#include <pthread.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>

#include "errors.hpp"
#include "overture/base/error.hpp"
#include "system/platform.hpp"

namespace physfs {
namespace {

bool join_slash(std::string_view path, joined_name& folder) noexcept {
  return folder.join(path, path.ends_with('/') ? "" : "/");
}

bool find_data_folder(joined_name& folder) noexcept {
  const char* const named = getenv("XDG_DATA_HOME");
  if (named && named[0] != '\0') {
    return join_slash(named, folder);
  }
  joined_name home;
  return find_user_folder(home) && folder.join(home.view(), ".local/share/");
}

}  // namespace

const char* separator() noexcept {
  return "/";
}

bool is_separator(char c) noexcept {
  return c == '/';
}

bool is_possible(std::string_view path) noexcept {
  (void)path;
  return true;
}

void complete_stat(const char* path, PHYSFS_Stat& found) noexcept {
  found.readonly = access(path, W_OK) == 0 ? 0 : 1;
}

bool find_program_folder(const char* argv0, joined_name& folder) noexcept {
  char path[name_bytes_max + 1];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  std::string_view program;
  if (length > 0) {
    program = {path, static_cast<std::size_t>(length)};
  } else if (argv0) {
    program = argv0;
  } else {
    return refuse(PHYSFS_ERR_ARGV0_IS_NULL);
  }
  const std::size_t slash = program.rfind('/');
  if (slash == std::string_view::npos) return folder.join("./", "");
  return folder.join(program.substr(0, slash + 1), "");
}

bool find_user_folder(joined_name& folder) noexcept {
  const char* home = getenv("HOME");
  struct stat found{};
  if (!home || home[0] == '\0' || stat(home, &found) != 0 || !S_ISDIR(found.st_mode)) {
    passwd entry{};
    passwd* known = nullptr;
    char texts[4096];
    if (getpwuid_r(getuid(), &entry, texts, sizeof texts, &known) != 0 || !known) {
      return refuse(PHYSFS_ERR_NOT_FOUND);
    }
    return join_slash(known->pw_dir, folder);
  }
  return join_slash(home, folder);
}

bool find_own_folder(const char* organisation, const char* application,
                     joined_name& folder) noexcept {
  (void)organisation;
  joined_name data;
  joined_name own;
  return find_data_folder(data) && own.join(data.view(), application) &&
         join_slash(own.view(), folder);
}

bool make_folders(const char* path) noexcept {
  joined_name part;
  if (!part.join(path, "")) return false;
  const std::string_view whole = part.view();
  for (std::size_t end = 1; end <= whole.size(); ++end) {
    if (end < whole.size() && whole[end] != '/') continue;
    joined_name front;
    if (!front.join(whole.substr(0, end), "")) return false;
    if (mkdir(front.c_str(), S_IRWXU) == 0 || errno == EEXIST) continue;
    return refuse(overture::os_failure(errno, ""));
  }
  struct stat found{};
  if (stat(path, &found) == 0 && S_ISDIR(found.st_mode)) return true;
  return refuse(PHYSFS_ERR_NOT_FOUND);
}

// Not mktime(), which asks the system each time whether the rules have changed. localtime_r() takes
// a lock, so each thread remembers what it has asked: offsets change at quarters of an hour.
long long from_local_time(long long seconds) noexcept {
  struct known {
    long long quarter = -1;
    long offset = 0;
  };
  constexpr std::size_t known_max = 64;
  static thread_local constinit known remembered[known_max];
  const long long quarter = seconds / 900;
  known& here = remembered[static_cast<unsigned long long>(quarter) % known_max];
  if (here.quarter == quarter) return seconds - here.offset;
  long offset = 0;
  for (int i = 0; i < 2; ++i) {  // the second time with the rules of about that moment
    const auto utc = static_cast<time_t>(seconds - offset);
    tm parts{};
    if (localtime_r(&utc, &parts)) offset = parts.tm_gmtoff;
  }
  here = {quarter, offset};
  return seconds - offset;
}

// Not a thread_local with a destructor: glibc takes memory to note it, and ends the process where
// there is none. The library stays loaded, so the key is never deleted.
bool run_at_end_of_thread(void (*run)(void*), void* with) noexcept {
  struct thread_key {
    explicit thread_key(void (*at_end)(void*)) noexcept
        : made(pthread_key_create(&key, at_end) == 0) {}
    pthread_key_t key{};
    bool made;
  };
  static const thread_key only(run);
  return only.made && pthread_setspecific(only.key, with) == 0;
}

}  // namespace physfs

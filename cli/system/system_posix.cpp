// SPDX-License-Identifier: Zlib
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>  // RWF_NOWAIT
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <mutex>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "system/descriptor_posix.hpp"
#include "system/ending.hpp"
#include "system/system.hpp"

namespace overture::cli {

namespace {

int descriptor(stream which) {
  return which == stream::out ? STDOUT_FILENO : STDERR_FILENO;
}

int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

extern "C" void on_interrupt(int) {
  note_interrupt();
}

}  // namespace

void remove_unfinished(const char* path) {
  if (::unlink(path) != 0) ::rmdir(path);
}

std::vector<std::string> own_words(int count, char** words) {
  return {words + (count > 0 ? 1 : 0), words + count};
}

void prepare_terminal(terminal_environment&) {}

bool is_terminal(stream which) {
  return ::isatty(descriptor(which)) == 1;
}

unsigned terminal_width(stream which, const terminal_environment& environment) {
  if (!is_terminal(which)) return 0;
  winsize size{};
  if (::ioctl(descriptor(which), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return environment.told_columns();
}

unsigned terminal_height(stream which) {
  winsize size{};
  const bool known = is_terminal(which) && ::ioctl(descriptor(which), TIOCGWINSZ, &size) == 0;
  return known ? size.ws_row : 0;
}

int write_all(stream which, std::string_view text) {
  return write_all(descriptor(which), text);
}

std::int64_t from_local_time(std::int64_t ns) {
  constexpr std::int64_t second = 1'000'000'000;
  const std::time_t shown = ns / second;
  std::tm wall{};
  // gmtime_r() and mktime() share a lock of their own, which ThreadSanitizer cannot see.
  static std::mutex zone;
  const std::scoped_lock one_at_a_time(zone);
  if (ns == 0 || ::gmtime_r(&shown, &wall) == nullptr) return 0;
  wall.tm_isdst = -1;
  const std::time_t actual = std::mktime(&wall);
  return actual > 0 ? actual * second : 0;
}

bool tells_page_cache() {
#if defined(RWF_NOWAIT)
  return true;
#else
  return false;
#endif
}

std::FILE* duplicate_output() {
  const int copy = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return nullptr;
  std::FILE* const file = ::fdopen(copy, "wb");
  if (file == nullptr) ::close(copy);
  return file;
}

std::FILE* open_pipe(const std::string& path) {
  constexpr timespec between_looks{0, 20'000'000};
  int file = -1;
  // With O_NONBLOCK a pipe without a reader is refused, so that the wait can be interrupted.
  while ((file = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)) < 0) {
    struct stat found{};
    if (errno != ENXIO || ::stat(path.c_str(), &found) != 0) return nullptr;
    errno = S_ISFIFO(found.st_mode) && interrupted() ? ECANCELED : ENXIO;
    if (!S_ISFIFO(found.st_mode) || errno == ECANCELED) return nullptr;
    (void)::nanosleep(&between_looks, nullptr);
  }
  struct stat opened{};
  // The name may be that of a file or a disk by now.
  if (::fstat(file, &opened) != 0 || (!S_ISFIFO(opened.st_mode) && !S_ISCHR(opened.st_mode))) {
    ::close(file);
    errno = ENOTSUP;
    return nullptr;
  }
  (void)::fcntl(file, F_SETFL, ::fcntl(file, F_GETFL) & ~O_NONBLOCK);
  std::FILE* const made = ::fdopen(file, "wb");
  if (made == nullptr) ::close(file);
  return made;
}

bool goes_to(stream which, std::uint64_t volume, std::uint64_t number) {
  struct stat found{};
  return ::fstat(descriptor(which), &found) == 0 && S_ISREG(found.st_mode) &&
         found.st_dev == volume && found.st_ino == number;
}

// Decoders may need 256 KiB. Without formatting, which would need some of the stack.
bool has_room_for_stack() {
  constexpr rlim_t bytes_min = 512u << 10;
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= bytes_min) return true;
  (void)write_all(STDERR_FILENO,
                  "error: the stack is limited to less than 512 KiB; allow more with ulimit -s\n");
  return false;
}

// glibc takes 64 MiB of it for each thread that allocates, all of which are to be had where it is
// limited.
void save_address_space() {
#if defined(__GLIBC__)
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  (void)::mallopt(M_ARENA_MAX, 1);
#endif
}

void make_write_errors_nonfatal() {
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
}

void watch_interrupts() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action{};
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = on_interrupt;
    action.sa_flags = SA_RESTART;
    ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace overture::cli

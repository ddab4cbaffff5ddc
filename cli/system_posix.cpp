// SPDX-License-Identifier: Zlib
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <new>
#include <system_error>
#include <utility>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "exit_code.hpp"
#include "overture/base/atomic.hpp"
#include "system.hpp"

namespace overture::cli {

namespace {

int descriptor(stream which) {
  return which == stream::out ? STDOUT_FILENO : STDERR_FILENO;
}

atomic<int> interrupts{0};
static_assert(atomic<int>::is_always_lock_free, "a signal handler writes it");

int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

// Returns 0 or the errno; ECANCELED if the source gave up.
int write_pieces(int file, piece_source next) {
  for (;;) {
    const std::optional<std::span<const std::byte>> piece = next();
    if (!piece) return ECANCELED;
    if (piece->empty()) return 0;
    const auto* const text = reinterpret_cast<const char*>(piece->data());
    if (const int failed = write_all(file, {text, piece->size()}); failed != 0) return failed;
  }
}

// A file system that keeps no such time is no reason to fail.
void set_time(int file, std::int64_t mtime_ns) {
  if (mtime_ns == 0) return;
  constexpr std::int64_t second = 1'000'000'000;
  const std::int64_t nanoseconds = (mtime_ns % second + second) % second;
  timespec times[2]{};
  times[0].tv_nsec = UTIME_OMIT;
  times[1].tv_sec = (mtime_ns - nanoseconds) / second;
  times[1].tv_nsec = nanoseconds;
  (void)::futimens(file, times);
}

std::string temporary_name() {
  static atomic<unsigned> made{0};
  return ".overture-" + std::to_string(::getpid()) + '-' + std::to_string(made.fetch_add(1));
}

// A descriptor that closes itself.
class descriptor_of {
 public:
  explicit descriptor_of(int file) : file_(file) {}
  ~descriptor_of() { (void)close(); }
  descriptor_of(const descriptor_of&) = delete;
  descriptor_of& operator=(const descriptor_of&) = delete;
  descriptor_of& operator=(int file) {
    (void)close();
    file_ = file;
    return *this;
  }
  [[nodiscard]] int get() const { return file_; }
  // Returns 0 or the errno.
  int close() {
    const int file = std::exchange(file_, -1);
    return file >= 0 && ::close(file) != 0 ? errno : 0;
  }

 private:
  int file_;
};

bool is_link(int folder, const char* name) {
  struct stat found{};
  return ::fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(found.st_mode);
}

// Opens a folder in another one, after creating it if it is missing. Follows no link. Returns -1
// and sets errno.
int open_in(int folder, const char* name) {
  if (::mkdirat(folder, name, 0777) != 0 && errno != EEXIST) return -1;
  const int opened = ::openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (opened < 0 && errno == ENOTDIR && is_link(folder, name)) errno = ELOOP;
  return opened;
}

// How many threads write a file, and whether the process is about to exit without memory.
atomic<int> writing{0};
atomic<bool> exiting{false};
atomic<const char*> removed_at_exit[2]{};
thread_local bool writes_here = false;

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
  while (exiting.exchange(true)) ::pause();
  while (writing.load() > 0) ::usleep(1000);
  for (const atomic<const char*>& each : removed_at_exit) {
    if (const char* const path = each.load()) ::unlink(path);
  }
  print_out_of_memory();
  _exit(exit_output_failed);
}

extern "C" void on_interrupt(int) {
  if (interrupts.fetch_add(1) > 0) _exit(exit_interrupted);
}

}  // namespace

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
  const unsigned long columns = std::strtoul(environment.columns.c_str(), nullptr, 10);
  return columns > 0 && columns < 10'000 ? static_cast<unsigned>(columns) : 80;
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

output_folder::~output_folder() {
  if (folder_ >= 0) ::close(folder_);
}

int output_folder::open(const std::string& path) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed) return failed.value();
  folder_ = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return folder_ < 0 ? errno : 0;
}

int output_folder::write(const std::string& path, bool overwrite, const file_marks& marks,
                         piece_source pieces) const {
  const write_in_progress held;
  return held.refused() ? ENOMEM : write_in(path, overwrite, marks, pieces);
}

int output_folder::write_in(const std::string& path, bool overwrite, const file_marks& marks,
                            piece_source pieces) const {
  descriptor_of here(::fcntl(folder_, F_DUPFD_CLOEXEC, 0));
  if (here.get() < 0) return errno;
  std::size_t begin = 0;
  for (std::size_t slash; (slash = path.find('/', begin)) != path.npos; begin = slash + 1) {
    const int next = open_in(here.get(), path.substr(begin, slash - begin).c_str());
    if (next < 0) return errno;
    here = next;
  }
  const std::string last = path.substr(begin);
  const std::string name = overwrite ? temporary_name() : last;
  descriptor_of file(::openat(here.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                              marks.executable ? 0777 : 0666));
  if (file.get() < 0) return errno;
  int failed = write_pieces(file.get(), pieces);
  if (failed == 0) set_time(file.get(), marks.mtime_ns);
  if (const int closed = file.close(); failed == 0) failed = closed;
  if (failed == 0 && overwrite &&
      ::renameat(here.get(), name.c_str(), here.get(), last.c_str()) != 0) {
    failed = errno;
  }
  if (failed != 0) ::unlinkat(here.get(), name.c_str(), 0);
  return failed;
}

bool tells_page_cache() {
#if defined(RWF_NOWAIT)
  return true;
#else
  return false;
#endif
}

bool drop_file_from_page_cache(const std::string& path) {
#if defined(POSIX_FADV_DONTNEED)
  const descriptor_of file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return true;  // what cannot be opened is not read either
  (void)::fdatasync(file.get());    // only what is on the disk can be dropped
  if (::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED) != 0) return false;
#if defined(RWF_NOWAIT)
  char byte = 0;
  const iovec part{&byte, 1};
  return ::preadv2(file.get(), &part, 1, 0, RWF_NOWAIT) <= 0;
#else
  return true;
#endif
#else
  (void)path;
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

std::FILE* create_file(const std::string& path) {
  constexpr timespec between_looks{0, 20'000'000};
  int file = -1;
  // With O_NONBLOCK a pipe without a reader is refused, so that the wait can be interrupted.
  while ((file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_CLOEXEC,
                        0666)) < 0) {
    struct stat found{};
    if (errno != ENXIO || ::stat(path.c_str(), &found) != 0) return nullptr;
    errno = S_ISFIFO(found.st_mode) && interrupted() ? ECANCELED : ENXIO;
    if (!S_ISFIFO(found.st_mode) || errno == ECANCELED) return nullptr;
    (void)::nanosleep(&between_looks, nullptr);
  }
  (void)::fcntl(file, F_SETFL, ::fcntl(file, F_GETFL) & ~O_NONBLOCK);
  std::FILE* const made = ::fdopen(file, "wb");
  if (made == nullptr) ::close(file);
  return made;
}

std::string system_message(int os_error) {
  return std::generic_category().message(os_error);
}

bool is_broken_pipe(int os_error) {
  return os_error == EPIPE;
}

bool ends_all_writing(int os_error) {
  return os_error == ENOSPC || os_error == EDQUOT || os_error == EROFS || os_error == EIO;
}

void exit_when_out_of_memory() {
  std::set_new_handler(exit_without_memory);
}

void remove_when_out_of_memory(const char* path, const char* other) {
  removed_at_exit[0].store(path);
  removed_at_exit[1].store(other);
}

void print_out_of_memory() {
  (void)write_all(STDERR_FILENO, "error: out of memory; close other programs and try again\n");
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
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction action{};
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = on_interrupt;
    action.sa_flags = SA_RESTART;
    ::sigaction(signal, &action, nullptr);
  }
}

bool interrupted() {
  return interrupts.load() > 0;
}

}  // namespace overture::cli

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <system_error>

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

// The name of a temporary file in the same folder, to be renamed to `path` when complete.
std::string temporary_name(const std::string& path) {
  static atomic<unsigned> made{0};
  return path.substr(0, path.rfind('/') + 1) + ".overture-" + std::to_string(::getpid()) + '-' +
         std::to_string(made.fetch_add(1));
}

extern "C" void on_interrupt(int) {
  if (interrupts.fetch_add(1) > 0) _exit(exit_interrupted);
}

}  // namespace

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

int write_file(const std::string& path, std::span<const std::byte> bytes, bool overwrite) {
  const std::string name = overwrite ? temporary_name(path) : path;
  const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return errno;
  const auto* const text = reinterpret_cast<const char*>(bytes.data());
  int failed =
      write_all(file, bytes.empty() ? std::string_view{} : std::string_view{text, bytes.size()});
  if (::close(file) != 0 && failed == 0) failed = errno;
  if (failed == 0 && overwrite && ::rename(name.c_str(), path.c_str()) != 0) failed = errno;
  if (failed != 0) ::unlink(name.c_str());
  return failed;
}

std::FILE* duplicate_output() {
  const int copy = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return nullptr;
  std::FILE* const file = ::fdopen(copy, "wb");
  if (file == nullptr) ::close(copy);
  return file;
}

std::string system_message(int os_error) {
  return std::generic_category().message(os_error);
}

bool is_broken_pipe(int os_error) {
  return os_error == EPIPE;
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

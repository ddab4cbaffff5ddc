// SPDX-License-Identifier: Zlib
#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "games/programs.hpp"
#include "system/system.hpp"

extern char** environ;

namespace overture::cli {

namespace {

namespace fs = std::filesystem;

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& each : texts) pointers.push_back(const_cast<char*>(each.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> joined_with(const program_environment& more) {
  std::vector<std::string> all;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view text(*each);
    bool replaced = false;
    for (const auto& [name, value] : more)
      replaced = replaced || text.starts_with(fmt::format("{}=", name));
    if (!replaced) all.emplace_back(text);
  }
  for (const auto& [name, value] : more) all.push_back(fmt::format("{}={}", name, value));
  return all;
}

extern "C" void interrupt_call(int) {}
// Whether a signal came while a program ran.
volatile std::sig_atomic_t interrupt_came = 0;
extern "C" void interrupt_seen(int) {
  interrupt_came = 1;
}

// While it lives, Ctrl-C does nothing here, or only ends the system call that waits.
class interrupts_caught {
 public:
  explicit interrupts_caught(void (*handler)(int)) {
    struct sigaction action{};
    action.sa_handler = handler;
    ::sigaction(SIGINT, &action, &before_);
  }
  ~interrupts_caught() { ::sigaction(SIGINT, &before_, nullptr); }
  interrupts_caught(const interrupts_caught&) = delete;
  interrupts_caught& operator=(const interrupts_caught&) = delete;

 private:
  struct sigaction before_{};
};

// The last one that came, for a program that this process runs.
volatile std::sig_atomic_t signal_to_forward = 0;
extern "C" void note_signal(int number) {
  interrupt_came = 1;
  signal_to_forward = number;
}

// While it lives, these come to this process only to be handed on.
class forwarded_signals {
 public:
  forwarded_signals() {
    struct sigaction action{};
    action.sa_handler = note_signal;
    for (std::size_t i = 0; i < std::size(numbers); ++i) {
      ::sigaction(numbers[i], &action, &before_[i]);
    }
  }
  ~forwarded_signals() {
    for (std::size_t i = 0; i < std::size(numbers); ++i) {
      ::sigaction(numbers[i], &before_[i], nullptr);
    }
  }
  forwarded_signals(const forwarded_signals&) = delete;
  forwarded_signals& operator=(const forwarded_signals&) = delete;

  static void forward_to(pid_t program) {
    const int number = signal_to_forward;
    signal_to_forward = 0;
    if (number != 0) ::kill(program, number);
  }

 private:
  static constexpr int numbers[] = {SIGTERM, SIGHUP};
  struct sigaction before_[std::size(numbers)]{};
};

// Sleeps for a while, or until a program ends where the system can say so.
class program_alarm {
 public:
  explicit program_alarm(pid_t program) {
#ifdef SYS_pidfd_open
    file_ = static_cast<int>(::syscall(SYS_pidfd_open, program, 0));
#endif
  }
  ~program_alarm() {
    if (file_ >= 0) ::close(file_);
  }
  program_alarm(const program_alarm&) = delete;
  program_alarm& operator=(const program_alarm&) = delete;

  void sleep(int milliseconds) const {
    pollfd watched{.fd = file_, .events = POLLIN, .revents = 0};
    (void)::poll(&watched, 1, milliseconds);  // which passes over a descriptor that is -1
  }

 private:
  int file_ = -1;
};

// Waits for a program, and ends it when it should. Whether it had to.
bool ended_in_time(pid_t program, const std::function<bool()>& should_end, int& status) {
  constexpr int step_ms = 10;
  constexpr int steps_of_grace = 300;
  const program_alarm alarm(program);
  int steps_left = -1;  // of grace; -1: it may go on
  for (;;) {
    const pid_t ended = ::waitpid(program, &status, WNOHANG);
    if (ended == program || (ended < 0 && errno != EINTR)) return steps_left >= 0;
    forwarded_signals::forward_to(program);
    if (steps_left < 0 && should_end()) {
      steps_left = steps_of_grace;
      ::kill(program, SIGTERM);
    } else if (steps_left > 0) {
      --steps_left;
      if (steps_left == 0) ::kill(program, SIGKILL);
    }
    alarm.sleep(step_ms);
  }
}

// What a program gets as the system has it, whatever this process does with them.
constexpr int default_signals[] = {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ};

}  // namespace

std::string find_program(const std::string& name) {
  std::vector<fs::path> places;
  if (name.find('/') != std::string::npos) {
    places.emplace_back(name);
  } else if (const char* const path = std::getenv("PATH")) {
    std::string_view rest(path);
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(':'), rest.size());
      places.push_back(fs::path(rest.substr(0, end)) / name);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  for (const fs::path& each : places) {
    std::error_code failed;
    if (!fs::is_regular_file(each, failed) || ::access(each.c_str(), X_OK) != 0) continue;
    const fs::path real = fs::canonical(each, failed);
    if (!failed) return real.string();
  }
  return {};
}

std::string physfs_folder() {
  std::vector<fs::path> places;
  std::error_code failed;
  if (const char* const told = std::getenv("OVERTURE_PHYSFS")) places.emplace_back(told);
  const fs::path own = fs::read_symlink("/proc/self/exe", failed).parent_path().parent_path();
  if (!failed) {
    places.push_back(own / "lib" / "physfs");
    for (const char* const each : {OVERTURE_LIBDIR, "lib", "lib64"}) {
      places.push_back(own / each / "overture" / "physfs" / "lib");
    }
  }
  for (const fs::path& each : places) {
    if (fs::exists(each / "libphysfs.so.1", failed)) return fs::absolute(each, failed).string();
  }
  return {};
}

namespace {

program_end run(const std::vector<std::string>& words, const program_environment& environment,
                const program_observer* observer) {
  const std::vector<std::string> variables = joined_with(environment);
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  sigset_t defaults;
  sigemptyset(&defaults);
  for (const int each : default_signals) sigaddset(&defaults, each);
  posix_spawnattr_setsigdefault(&how, &defaults);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGDEF);
  interrupt_came = 0;
  const interrupts_caught meanwhile(interrupt_seen);  // they go to the program too, which decides
  // Before there is a program that could send one.
  std::optional<forwarded_signals> forwarded;
  if (observer) forwarded.emplace();
  pid_t program = 0;
  const int failed = ::posix_spawnp(&program, words.front().c_str(), nullptr, &how,
                                    pointers_to(words).data(), pointers_to(variables).data());
  posix_spawnattr_destroy(&how);
  if (failed != 0) return {.started = false, .why = system_message(failed)};
  int status = 0;
  bool was_ended = false;
  if (observer) {
    was_ended = ended_in_time(program, observer->should_end, status);
  } else {
    while (::waitpid(program, &status, 0) < 0 && errno == EINTR) {
    }
  }
  return {.started = true,
          .status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          .was_ended = was_ended,
          .was_interrupted = interrupt_came != 0,
          .why = {}};
}

}  // namespace

program_end run_program(const std::vector<std::string>& words,
                        const program_environment& environment) {
  return run(words, environment, nullptr);
}

program_end run_program(const std::vector<std::string>& words,
                        const program_environment& environment, const program_observer& observer) {
  return run(words, environment, &observer);
}

void wait_until_unlocked(const std::string& path, const std::function<void()>& waits) {
  // NFS locks only what is open for writing.
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  if (::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    const interrupts_caught meanwhile(interrupt_call);
    waits();
    (void)::flock(file, LOCK_EX);
  }
  ::close(file);
}

std::string output_of(const std::vector<std::string>& words,
                      const program_environment& environment) {
  const std::vector<std::string> variables = joined_with(environment);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t program = 0;
  const int failed = ::posix_spawnp(&program, words.front().c_str(), &files, nullptr,
                                    pointers_to(words).data(), pointers_to(variables).data());
  posix_spawn_file_actions_destroy(&files);
  ::close(ends[1]);
  std::string text;
  char bytes[4096];
  for (ssize_t got = 0; failed == 0; text.append(bytes, static_cast<std::size_t>(got))) {
    got = ::read(ends[0], bytes, sizeof bytes);
    if (got < 0 && errno == EINTR)
      got = 0;
    else if (got <= 0)
      break;
  }
  ::close(ends[0]);
  int status = 0;
  while (failed == 0 && ::waitpid(program, &status, 0) < 0 && errno == EINTR) {
  }
  return text;
}

std::string become_program(const std::vector<std::string>& words,
                           const program_environment& environment) {
  for (const int each : default_signals) std::signal(each, SIG_DFL);
  for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
  ::execvp(words.front().c_str(), pointers_to(words).data());
  return system_message(errno);
}

}  // namespace overture::cli

// SPDX-License-Identifier: Zlib
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>

#include "system.hpp"

namespace bench {

double process_cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

bool errors_go_to_a_terminal() {
  return isatty(STDERR_FILENO) != 0;
}

std::string processor_model() {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line)) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

std::string system_name() {
  utsname system{};
  uname(&system);
  const std::string release(system.release);
  return fmt::format("{} {}", system.sysname,
                     release.substr(0, release.find('.', release.find('.') + 1)));
}

}  // namespace bench

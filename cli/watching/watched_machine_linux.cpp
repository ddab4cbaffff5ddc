// SPDX-License-Identifier: Zlib
#include <sys/utsname.h>

#include <ctime>
#include <fstream>
#include <string>

#include "overture/base/thread.hpp"
#include "watching/watched_machine.hpp"

namespace overture::cli {

namespace {

// Arm's kernel does not name it.
std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return {};
}

}  // namespace

watched_machine this_machine(std::time_t now) {
  watched_machine of{.processors = processor_count(), .processor = processor_name()};
  utsname system{};
  if (::uname(&system) == 0) of.system = std::string(system.sysname) + ' ' + system.release;
  std::tm parts{};
  char date[32];
  if (::gmtime_r(&now, &parts) != nullptr) {
    of.date.assign(date, std::strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &parts));
  }
  return of;
}

}  // namespace overture::cli

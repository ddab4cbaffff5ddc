// SPDX-License-Identifier: Zlib
//
// What was not seen in a run.
#include <dlfcn.h>
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "report/words/printable.hpp"
#include "watch/findings/finding.hpp"

namespace overture::watch {

namespace {

// Libraries whose calls do not pass the recorder.
std::set<std::string> bound_deep(const watched_process& process) {
  std::set<std::string> names;
  for (const watched_thread& thread : process.threads) {
    for (const watched_event& each : thread.events) {
      if (each.kind == event_kind::load_code && (each.value & RTLD_DEEPBIND) != 0) {
        names.emplace(process.name(each.id));
      }
    }
  }
  return names;
}

bool runs_wine(const watched_process& process) {
  return std::any_of(
      process.modules.begin(), process.modules.end(), [](const watched_module& each) {
        return each.path.find("wine") != std::string::npos && each.path.ends_with("/ntdll.so");
      });
}

}  // namespace

std::vector<std::string> limits_of(const load_view& view) {
  const watched_process& process = view.process;
  std::vector<std::string> limits;
  if (process.sample_ns == 0) {
    limits.emplace_back(
        "Threads that spin without calling anything are not known, and which code was on a core: "
        "the system refuses samples (sysctl kernel.perf_event_paranoid=2 allows them).");
  }
  if ((process.unknown & has_own_allocator) != 0) {
    limits.emplace_back("The program has an allocator of its own, whose calls were not counted.");
  }
  if ((process.unknown & has_raw_threads) != 0) {
    limits.emplace_back(
        "The program made threads by clone(): what they did is not known, nor what the thread did "
        "that made them, if they share its memory of a thread.");
  }
  if ((process.unknown & has_other_root) != 0) {
    limits.emplace_back(
        "The program called chroot(): later paths are those below its new root, and what the "
        "kernel counted of threads may be missing.");
  }
  if (runs_wine(process)) {
    limits.emplace_back(
        "Wine runs this program: files, waits and threads are known as Wine's own libraries see "
        "them, and places are in Wine, not in the game.");
  }
  for (const std::string& each : bound_deep(process)) {
    limits.push_back(fmt::format(
        "{} was loaded with RTLD_DEEPBIND: what it calls in other libraries was not seen.",
        report_detail::printable(each)));
  }
  return limits;
}

}  // namespace overture::watch

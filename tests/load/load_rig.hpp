// A whole load in memory: a fake operating system, a tree, the engine, and what became of it.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "overture/file_system.hpp"
#include "overture/load.hpp"
#include "overture/read_queue.hpp"
#include "overture/thread_pool.hpp"
#include "support/fake_os.hpp"

namespace overture::test {

struct rig_options {
  unsigned workers = 2;
  unsigned io_threads = 2;
  allocator* memory = nullptr;
};

// Everything but the scope, which tests make themselves.
struct load_rig {
  fake_os& os;
  file_system files;
  thread_pool jobs;
  read_queue reads;

  explicit load_rig(fake_os& system, const rig_options& options = {})
      : os(system),
        files({.memory = options.memory, .os = &system}),
        jobs({.workers = options.workers, .memory = options.memory}),
        reads(files, {.threads = options.io_threads, .memory = options.memory}) {}

  // Mounts each path and freezes. Throws on failure.
  void mount(std::initializer_list<const char*> paths) {
    for (const char* path : paths) {
      const auto mounted = files.mount(path);
      if (!mounted) throw std::runtime_error(std::string(path) + ": " + mounted.error().reason);
    }
    const auto frozen = files.freeze();
    if (!frozen) throw std::runtime_error(frozen.error().reason);
  }
};

// For waits that end at once where the code is right: a test that hangs says where. An idle machine
// needs microseconds, a busy one may need many seconds.
inline constexpr std::chrono::minutes hang{4};

inline void finish(load_scope& scope) {
  while (!scope.wait_for(std::chrono::seconds(10))) {
  }
}

// "ok", "cancelled", or "STAGE: CODE".
inline std::string outcome_of(const loaded_file& file) {
  if (file.cancelled) return "cancelled";
  if (!file.failure) return "ok";
  return std::string(to_string(file.failed_in)) + ": " + to_string(file.failure->code);
}

// What became of each file, by path.
inline std::map<std::string, std::string> outcomes(const load_rig& rig, const load_scope& scope) {
  std::map<std::string, std::string> by_path;
  scope.for_each_file([&](const loaded_file& file) {
    by_path[std::string(rig.files.entry(file.entry).path)] = outcome_of(file);
  });
  return by_path;
}

}  // namespace overture::test

// SPDX-License-Identifier: Zlib
//
// A whole load in memory: a fake operating system, a tree, the engine, and the outcomes.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "overture/io/read_queue.hpp"
#include "overture/jobs/thread_pool.hpp"
#include "overture/load/load_scope.hpp"
#include "overture/vfs/file_system.hpp"
#include "support/fake_os.hpp"

namespace overture::test {

struct rig_options {
  unsigned workers = 2;
  unsigned io_threads = 2;
  allocator* memory = nullptr;
  bool ignore_case = false;
};

// Everything but the scope, which each test creates.
struct load_rig {
  fake_os& os;
  file_system files;
  thread_pool jobs;
  read_queue reads;

  explicit load_rig(fake_os& system, const rig_options& options = {})
      : os(system),
        files({.memory = options.memory, .os = &system, .ignore_case = options.ignore_case}),
        jobs({.workers = options.workers, .memory = options.memory}),
        reads(files, {.threads = options.io_threads, .memory = options.memory}) {}

  // Mounts the paths and freezes the tree. Throws on failure.
  void mount(std::initializer_list<const char*> paths) {
    for (const char* path : paths) {
      const auto mounted = files.mount(path);
      if (!mounted) throw std::runtime_error(std::string(path) + ": " + mounted.error().reason);
    }
    const auto frozen = files.freeze();
    if (!frozen) throw std::runtime_error(frozen.error().reason);
  }
};

inline void add_files(fake_os& os, int count, std::size_t bytes) {
  for (int i = 0; i < count; ++i) {
    os.add_file("/game/" + std::to_string(i) + ".bin",
                std::string(bytes, static_cast<char>(0x80 + i % 26)));
  }
}

class counting_sink : public asset_sink {
 public:
  result<void> finalize(entry_index entry, decoded_asset&,
                        std::span<const std::byte> bytes) override {
    const std::lock_guard hold(lock_);
    entries_.insert(entry);
    order_.push_back(entry);
    threads_.insert(std::this_thread::get_id());
    bytes_ += bytes.size();
    ++calls_;
    if (entry == broken_) return fail(errc::unsupported, "refused by the host");
    return {};
  }
  bool one_thread() const noexcept override { return one_thread_; }

  bool one_thread_ = false;
  entry_index broken_ = UINT32_MAX;
  std::set<entry_index> entries_;
  std::vector<entry_index> order_;
  std::set<std::thread::id> threads_;
  std::size_t bytes_ = 0;
  int calls_ = 0;

 private:
  std::mutex lock_;
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

// The outcome of each file, by path.
inline std::map<std::string, std::string> outcomes(const load_rig&, const load_scope& scope) {
  std::map<std::string, std::string> by_path;
  scope.for_each_file(
      [&](const loaded_file& file) { by_path[std::string(file.path)] = outcome_of(file); });
  return by_path;
}

}  // namespace overture::test

// SPDX-License-Identifier: Zlib
//
// Small interfaces through which a lower module calls a higher one: executor (run this later),
// parallel_runner (run these together) and source_info (name this file).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "overture/base/function_ref.hpp"
#include "overture/base/source_id.hpp"

namespace overture {

// A function to run once, and its argument. Owns nothing. An exception that leaves it goes to the
// executor; Overture's own report it (job_hooks) and go on.
struct task {
  void (*run)(void* context) = nullptr;
  void* context = nullptr;
};

// Runs tasks later, on its own threads. A job_system is one.
class executor {
 public:
  virtual ~executor() = default;
  // Runs `work` later. A job system whose queues are full may run it right here, so never call this
  // while holding a lock that `work` takes. Never blocks, never fails. Any thread.
  virtual void execute(task work) noexcept = 0;

  // Whether it has no threads of its own, so that its tasks run only on threads that wait for them,
  // in help_until(). Does not change. Any thread.
  [[nodiscard]] virtual bool runs_in_waits() const noexcept { return false; }
  // For executors that say so: runs tasks on this thread until done() is true or `deadline_ns` (on
  // the clock of now_ns(); 0 = never) has passed, and sleeps while there are none. Looks at done()
  // after each task of this executor, whichever thread has run it, so it must be one of these that
  // makes it true. Returns done(), or nothing happens and it returns false: tasks may not run on
  // this thread. Called by futures; user code has no need to. Any thread.
  virtual bool help_until(function_ref<bool() noexcept> done, std::uint64_t deadline_ns) noexcept {
    (void)done, (void)deadline_ns;
    return false;
  }
};

// Splits one piece of work over several threads and waits for it. The loader passes decoders one
// that runs on its job system.
class parallel_runner {
 public:
  virtual ~parallel_runner() = default;
  // Calls body(i) once for each i < count, in any order and concurrently, on any threads including
  // the calling one. Returns when all calls have returned. Any thread.
  virtual void run(std::size_t count, function_ref<void(std::size_t) noexcept> body) noexcept = 0;
};

// Runs everything in order on the calling thread. Lives as long as the process. Any thread.
[[nodiscard]] inline parallel_runner& serial_runner() noexcept {
  class serial final : public parallel_runner {
   public:
    void run(std::size_t count, function_ref<void(std::size_t) noexcept> body) noexcept override {
      for (std::size_t i = 0; i < count; ++i) body(i);
    }
  };
  static serial instance;
  return instance;
}

// Prints the physical file behind a source_id. A file_system is one.
class source_info {
 public:
  virtual ~source_info() = default;
  // Writes the file's path to `text`, cut to fit and NUL-terminated (unless `text` is empty).
  // Returns the length of what it has written, without the NUL; 0 for an unknown id. Any thread.
  virtual std::size_t describe(source_id source, std::span<char> text) const noexcept = 0;
};

}  // namespace overture

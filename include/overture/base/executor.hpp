// Three small interfaces by which a lower layer speaks to a higher one.
#pragma once

#include <cstddef>
#include <span>

#include "overture/base/function_ref.hpp"
#include "overture/base/source_id.hpp"

namespace overture {

// Something to run once, later. Copying it copies two pointers; it owns nothing.
struct task {
  void (*run)(void* context) = nullptr;
  void* context = nullptr;
};

// Runs tasks later, on threads of its own. A job system is one.
class executor {
 public:
  virtual ~executor() = default;
  // Does not run `work` before it returns, but for a job system that is out of room, so callers
  // hold no lock that `work` takes. Never blocks, never fails. Any thread.
  virtual void execute(task work) = 0;
};

// Spreads one piece of work over several threads and waits for it. The loader gives decoders one
// that uses its job system.
class parallel_runner {
 public:
  virtual ~parallel_runner() = default;
  // Calls body(i) once for each i below `count`, in any order, several at once and on any threads
  // (the caller's is one of them), and returns when all have returned. Any thread.
  virtual void run(std::size_t count, function_ref<void(std::size_t)> body) = 0;
};

// The one for callers without threads to spare: in order, on the calling thread. Lives for the
// whole process. Any thread.
[[nodiscard]] inline parallel_runner& serial_runner() noexcept {
  class serial final : public parallel_runner {
   public:
    void run(std::size_t count, function_ref<void(std::size_t)> body) override {
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
  // Writes the file's path into `text` (cut to fit, always ended by NUL if there is room for one)
  // and returns its length without the NUL, or 0 for an id that is not known. Any thread.
  virtual std::size_t describe(source_id source, std::span<char> text) const noexcept = 0;
};

}  // namespace overture

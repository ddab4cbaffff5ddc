// Two small interfaces by which a lower layer speaks to a higher one.
#pragma once

#include <cstddef>
#include <span>

#include "overture/source_id.hpp"

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
  // Never runs `work` before it returns, never blocks, never fails. Any thread.
  virtual void execute(task work) = 0;
};

// Prints the physical file behind a source_id. A file_system is one.
class source_info {
 public:
  virtual ~source_info() = default;
  // Writes the file's path into `text` (cut to fit, always ended by NUL if there is room for one)
  // and returns its length without the NUL, or 0 for an id that is not known. Any thread.
  virtual std::size_t describe(source_id source, std::span<char> text) const noexcept = 0;
};

}  // namespace overture

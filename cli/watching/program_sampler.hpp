// SPDX-License-Identifier: Zlib
//
// Where the threads of a program are, about a thousand times a second while they are on a core: by
// perf events, where the system lets its user have them.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <vector>

#include "watch/model/watched.hpp"

namespace overture::cli {

class program_sampler {
 public:
  program_sampler() = default;
  ~program_sampler();
  program_sampler(const program_sampler&) = delete;
  program_sampler& operator=(const program_sampler&) = delete;

  // Also of threads and processes that it makes from now on. Does nothing if that is refused.
  void attach(pid_t program);
  // Takes what has come; at least every few tenths of a second, or some is lost.
  void drain();
  [[nodiscard]] watch::sampling take();

 private:
  struct ring {
    int file = -1;
    void* room = nullptr;
  };
  void drain(const ring& from);

  std::vector<ring> rings_;  // one for each processor
  watch::sampling taken_;
};

}  // namespace overture::cli

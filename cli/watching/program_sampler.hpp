// SPDX-License-Identifier: Zlib
//
// Where the threads of a program are, about a thousand times a second while they are on a core: by
// perf events, where the system lets its user have them.
#pragma once

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

  // Of the program that this thread starts next, and all that it makes. Does nothing if that is
  // refused.
  void attach();
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

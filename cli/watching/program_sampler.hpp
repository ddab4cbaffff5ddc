// SPDX-License-Identifier: Zlib
//
// Where the threads of a program are, about a thousand times a second while they are on a core: by
// perf events, where the system lets its user have them. Of libraries also where the program's own
// code called them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "watch/model/watched.hpp"
#include "watching/program_code.hpp"

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
  // Takes what has come; at least every tenth of a second, or some is lost.
  void drain();
  [[nodiscard]] watch::sampling take();

 private:
  struct ring {
    int file = -1;
    void* room = nullptr;
  };
  struct stack_sample {
    watch::program_sample sample;
    std::vector<std::uint64_t> stack;
  };
  void drain(const ring& from);
  void add(const std::vector<char>& record);

  std::vector<ring> rings_;  // one for each processor
  bool has_stacks_ = true;
  std::vector<stack_sample> new_samples_;
  program_code code_;
  watch::sampling taken_;
};

}  // namespace overture::cli

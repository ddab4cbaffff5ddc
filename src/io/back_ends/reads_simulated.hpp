// SPDX-License-Identifier: Zlib
//
// The back end over a simulated_disk: keeps as many reads in flight as the disk takes, in virtual
// time, on the thread that polls.
#pragma once

#include <cstddef>

#include "io/queue/read_core.hpp"

namespace overture::io_detail {

class simulated_reads {
 public:
  explicit simulated_reads(read_core& core) noexcept;
  ~simulated_reads();
  simulated_reads(const simulated_reads&) = delete;
  simulated_reads& operator=(const simulated_reads&) = delete;

  [[nodiscard]] bool ready() const noexcept { return operations_ != nullptr; }
  // Ends up to so many reads of the queue; how many requests have completed.
  std::size_t poll(std::size_t reads_max) noexcept;

 private:
  [[nodiscard]] bool start(unsigned slot) noexcept;
  void read_rest(unsigned slot) noexcept;

  read_core& core_;
  simulated_disk& disk_;
  read_operation* operations_ = nullptr;  // one for each slot of the disk
  bool busy_[64] = {};
  unsigned busy_count_ = 0;
  std::size_t completed_ = 0;
};

}  // namespace overture::io_detail

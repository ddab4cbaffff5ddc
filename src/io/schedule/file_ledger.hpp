// SPDX-License-Identifier: Zlib
//
// What a read queue owes to its source_files. It opens no more files for itself than it has
// permits, counts the files that it used, and reports the end of a read where that is wanted.
//
// One thread at a time.
#pragma once

#include "overture/io/read_queue.hpp"

namespace overture::io_detail {

class file_ledger {
 public:
  void add_permits(unsigned permits) noexcept { permits_ += permits; }
  [[nodiscard]] unsigned permits() const noexcept { return permits_; }
  // Takes a permit if one is left.
  [[nodiscard]] bool take_permit() noexcept {
    if (permits_ == 0) return false;
    --permits_;
    return true;
  }
  void take_permits(unsigned count) noexcept { permits_ -= count; }

  void add(const reader_counts& files) noexcept {
    counts_.hits += files.hits;
    if (files.opens != 0) counts_.opens += files.opens;
  }
  [[nodiscard]] const reader_counts& counts() const noexcept { return counts_; }

  void notify_every_release(bool wanted) noexcept { notifies_all_ = wanted; }
  [[nodiscard]] bool notifies_every_release() const noexcept { return notifies_all_; }

 private:
  unsigned permits_ = 0;
  reader_counts counts_;
  bool notifies_all_ = false;
};

}  // namespace overture::io_detail

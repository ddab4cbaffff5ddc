// What a read queue owes to its source_files: it opens no more files for itself than it has turns,
// counts the files that it used, and reports the end of reads where that is wanted.
//
// One thread at a time.
#pragma once

#include "overture/io/read_queue.hpp"

namespace overture::io_detail {

class file_ledger {
 public:
  void add_turns(unsigned turns) noexcept { turns_ += turns; }
  [[nodiscard]] unsigned turns() const noexcept { return turns_; }
  // Takes a turn if one is left.
  [[nodiscard]] bool take_turn() noexcept {
    if (turns_ == 0) return false;
    --turns_;
    return true;
  }
  void take_turns(unsigned count) noexcept { turns_ -= count; }

  void add(const reader_counts& files) noexcept {
    counts_.hits += files.hits;
    if (files.opens != 0) counts_.opens += files.opens;
  }
  [[nodiscard]] const reader_counts& counts() const noexcept { return counts_; }

  void notify_every_release(bool wanted) noexcept { notifies_all_ = wanted; }
  [[nodiscard]] bool notifies_every_release() const noexcept { return notifies_all_; }

 private:
  unsigned turns_ = 0;
  reader_counts counts_;
  bool notifies_all_ = false;
};

}  // namespace overture::io_detail

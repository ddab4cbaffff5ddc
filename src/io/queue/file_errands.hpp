// SPDX-License-Identifier: Zlib
//
// What threads of a queue do for files besides reading: open those that will be read soon, and
// close those that are no longer read. Either may block.
//
// One thread at a time.
#pragma once

#include <cstddef>

#include "base/vec.hpp"
#include "overture/base/source_id.hpp"

namespace overture::io_detail {

struct file_errand {
  source_id source;
  bool closes = false;
};

class file_errands {
 public:
  explicit file_errands(allocator& memory) noexcept : errands_(memory, memory_tag::io) {}

  [[nodiscard]] bool empty() const noexcept { return errands_.empty(); }
  // False: memory was refused.
  [[nodiscard]] bool add_close(source_id id) noexcept {
    if (!errands_.push_back({id, true})) return false;
    ++closings_;
    return true;
  }
  // A hint, so refused memory is no error. Once for many requests in a row.
  void add_open(source_id id) noexcept {
    if (!errands_.empty() && !errands_.back().closes && errands_.back().source == id) return;
    (void)errands_.push_back({id, false});
  }
  // Closing goes before reads, which may go on for ever; opening comes after them.
  [[nodiscard]] bool take_close(file_errand& taken) noexcept {
    if (closings_ == 0 || !take(taken, true)) return false;
    --closings_;
    return true;
  }
  [[nodiscard]] bool take_open(file_errand& taken) noexcept { return take(taken, false); }

 private:
  [[nodiscard]] bool take(file_errand& taken, bool closes) noexcept {
    for (std::size_t at = errands_.size(); at-- > 0;) {
      if (errands_[at].closes != closes) continue;
      taken = errands_[at];
      errands_[at] = errands_.back();
      errands_.pop_back();
      return true;
    }
    return false;
  }

  base_detail::vec<file_errand> errands_;
  std::size_t closings_ = 0;  // among them
};

}  // namespace overture::io_detail

// SPDX-License-Identifier: Zlib
//
// The bundles of all threads that serve a queue, and which of their reads can be recalled.
//
// One thread at a time; the threads claim their reads meanwhile (read_bundle.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "io/schedule/read_bundle.hpp"

namespace overture::io_detail {

class bundle_table {
 public:
  void add(read_bundle& of) noexcept {
    of.after_ = first_;
    if (first_) first_->before_ = &of;
    first_ = &of;
    ++count_;
  }
  void remove(read_bundle& of) noexcept {
    (of.before_ ? of.before_->after_ : first_) = of.after_;
    if (of.after_) of.after_->before_ = of.before_;
    --count_;
  }
  [[nodiscard]] std::uint32_t size() const noexcept { return count_; }

  // Its thread has taken so many reads, and claimed the first.
  void publish(read_bundle& of, std::size_t taken) noexcept {
    of.publish(taken);
    if (!of.is_open_) return;
    const std::uint8_t level = of.at(0).level;
    lowest_level_ = open_ == 0 ? level : std::min(lowest_level_, level);
    ++open_;
  }
  // Its thread has done all that it had claimed, and nothing else is left.
  void retire(read_bundle& of) noexcept {
    if (of.is_open_) --open_;
    of.publish(0);
  }

  // Whether some reads may be recalled, and the lowest level of those.
  [[nodiscard]] bool has_open() const noexcept { return open_ > 0; }
  [[nodiscard]] std::uint8_t lowest_level() const noexcept { return lowest_level_; }
  // Recalls all reads that have not begun, and calls recalled(op) for each. The read that began
  // last, or null if there was nothing to recall.
  template <class Recalled>
  [[nodiscard]] const read_operation* recall_all(Recalled recalled) noexcept {
    const read_operation* last = nullptr;
    bool found = false;
    open_ = 0;
    for (read_bundle* each = first_; each; each = each->after_) {
      if (!each->is_open_) continue;
      const std::size_t begin = each->recall();
      const read_operation& begun = each->at(begin - 1);
      if (!last || last->read_number < begun.read_number) last = &begun;
      found |= begin < each->taken();
      for (std::size_t i = begin; i < each->taken(); ++i) recalled(each->at(i));
    }
    return found ? last : nullptr;
  }

  // Whether some thread has files open for reads that have not begun.
  [[nodiscard]] bool has_files_ahead() const noexcept {
    const read_bundle* each = first_;
    while (each && each->files_ahead.load(std::memory_order_acquire) == 0) each = each->after_;
    return each != nullptr;
  }

 private:
  read_bundle* first_ = nullptr;
  std::uint32_t count_ = 0;
  std::uint32_t open_ = 0;
  std::uint8_t lowest_level_ = 0;
};

}  // namespace overture::io_detail

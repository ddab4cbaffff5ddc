// SPDX-License-Identifier: Zlib
//
// Reads that end when their load, or their file, is cancelled, even those submitted at that very
// moment.
//
// A queue that is suspended keeps what it has. A loader may look whether the load is cancelled just
// before that happens, and submit just after cancel_tag() has passed: that read would never end.
// So a submitter looks once more after it has submitted. Both sides change the same word: either
// the submitter's change comes first and cancel() finds its read in the queue, or it sees the mark
// and cancels the read itself. It is the same for one file, and for its priority.
#pragma once

#include <cstdint>

#include "overture/base/atomic.hpp"
#include "overture/io/read_queue.hpp"

namespace overture::load_detail {

// What the host wants of one file while it is loaded.
class file_wishes {
 public:
  [[nodiscard]] bool cancelled() const noexcept {
    return (word_.load(std::memory_order_seq_cst) & cancel_bit) != 0;
  }
  // Whether it was raised before.
  [[nodiscard]] bool raise() noexcept {
    return (word_.fetch_or(raise_bit, std::memory_order_seq_cst) & raise_bit) != 0;
  }

 private:
  friend class cancellable_reads;
  static constexpr std::uint32_t cancel_bit = 1;
  static constexpr std::uint32_t raise_bit = 2;

  atomic<std::uint32_t> word_{0};
};

// A queue's tags tell the reads of one load apart by the number of their file, as far as there is
// room in a tag: a read that was cancelled for another file is submitted again (read_completed()).
class alignas(64) cancellable_reads {
 public:
  [[nodiscard]] bool cancelled() const noexcept {
    return cancelled_.load(std::memory_order_seq_cst) != 0;
  }
  // The request may be gone when this returns; the caller keeps this object and the wishes alive.
  // `queue`: a read_queue, or its core. `priority()`: of the file now.
  template <class Queue, class Priority>
  void submit(Queue& queue, read_request& request, std::uint32_t file, file_wishes& wishes,
              Priority priority) noexcept {
    request.tag = tag_of(file);
    const read_priority before = priority();
    request.priority = before;
    queue.submit({&request, 1});
    if (cancelled_.fetch_add(0, std::memory_order_acq_rel) != 0) cancel_in(queue);
    if ((wishes.word_.fetch_add(0, std::memory_order_acq_rel) & file_wishes::cancel_bit) != 0) {
      (void)queue.cancel_tag(~std::uint64_t{0}, tag_of(file));
    } else if (priority() != before) {
      (void)queue.set_tag_priority(~std::uint64_t{0}, tag_of(file), priority());
    }
  }
  template <class Queue>
  void cancel(Queue& queue) noexcept {
    cancelled_.exchange(1, std::memory_order_seq_cst);  // before the caller looks at what waits
    cancel_in(queue);
  }
  template <class Queue>
  void cancel_file(Queue& queue, std::uint32_t file, file_wishes& wishes) noexcept {
    wishes.word_.fetch_or(file_wishes::cancel_bit, std::memory_order_seq_cst);
    (void)queue.cancel_tag(~std::uint64_t{0}, tag_of(file));
  }
  // After what priority() returns has changed.
  template <class Queue>
  void change_priority(Queue& queue, std::uint32_t file, file_wishes& wishes,
                       read_priority now) noexcept {
    wishes.word_.fetch_add(0, std::memory_order_acq_rel);
    (void)queue.set_tag_priority(~std::uint64_t{0}, tag_of(file), now);
  }

 private:
  static constexpr std::uint64_t file_bits = 22;
  static constexpr std::uint64_t file_mask = (std::uint64_t{1} << file_bits) - 1;

  [[nodiscard]] std::uint64_t tag_of(std::uint32_t file) const noexcept {
    static_assert(alignof(cancellable_reads) == 64);
    return (reinterpret_cast<std::uintptr_t>(this) >> 6) << file_bits | (file & file_mask);
  }
  template <class Queue>
  void cancel_in(Queue& queue) noexcept {
    (void)queue.cancel_tag(~file_mask, tag_of(0));
  }

  atomic<std::uint32_t> cancelled_{0};
};

}  // namespace overture::load_detail

// SPDX-License-Identifier: Zlib
//
// An entry for one open file. One word says which file it is, in what state, and how many use it:
// an open file is pinned by one compare-and-swap and released by one subtraction.
//
// An entry changes hands under the lock of the cache, and only by a compare-and-swap from a word
// that counts no pins, so a pin and an eviction cannot both succeed. The handle is written before
// the word says open, and stays valid while there are pins.
//
// A registered reader (source_reader) is not counted: it first notes what it reads, and then finds
// the word open. A thread that wants the entry first marks it as closing, and then asks the
// readers. The reader notes and answers under one lock of its own: either it has noted the read
// before it is asked, or it finds the mark. The first reader that borrows a file sets a bit in the
// word by a compare-and-swap; without that bit no reader needs to be asked.
#pragma once

#include <cstdint>

#include "overture/base/atomic.hpp"
#include "overture/base/detail/compiler.hpp"
#include "overture/base/limits.hpp"
#include "overture/base/os.hpp"
#include "sync/mutex.hpp"

namespace overture::io_detail {

// On a cache line of its own: neighbours are opened one after the other, by different threads.
class alignas(detail::line_bytes) handle_entry {
 public:
  // What the word was at some moment.
  class state {
   public:
    [[nodiscard]] bool is_empty() const noexcept { return (bits_ & (open | opening)) == 0; }
    [[nodiscard]] bool is_open() const noexcept { return (bits_ & open) != 0; }
    [[nodiscard]] bool was_used() const noexcept { return (bits_ & used) != 0; }
    [[nodiscard]] bool is_closing() const noexcept { return (bits_ & closing) != 0; }
    [[nodiscard]] bool was_lent() const noexcept { return (bits_ & lent) != 0; }
    [[nodiscard]] std::uint32_t pins() const noexcept { return bits_ & pins_mask; }
    [[nodiscard]] std::uint32_t file() const noexcept {
      return static_cast<std::uint32_t>((bits_ & file_mask) >> file_shift);
    }
    // How often it was pinned since it was opened, as far as 27 bits go.
    [[nodiscard]] std::uint64_t hits() const noexcept { return bits_ >> hits_shift; }

   private:
    friend class handle_entry;
    explicit state(std::uint64_t bits) noexcept : bits_(bits) {}
    std::uint64_t bits_;
  };

  // Any thread. False if the file is not open here, is about to be closed, or has as many pins as
  // can be counted.
  [[nodiscard]] bool pin(std::uint32_t file, os_handle& handle) noexcept {
    std::uint64_t seen = word_.load(std::memory_order_acquire);
    do {
      if ((seen & (open | closing | file_mask)) != (open | bits_of(file))) return false;
      if ((seen & pins_mask) == pins_mask) return false;
    } while (!word_.compare_exchange_weak(seen, (seen | used) + 1 + hit, std::memory_order_seq_cst,
                                          std::memory_order_acquire));
    handle.value = handle_.load(std::memory_order_relaxed);
    return true;
  }
  // The same for a registered reader that has noted the read, and is not counted.
  [[nodiscard]] bool lend(std::uint32_t file, os_handle& handle) noexcept {
    std::uint64_t seen = word_.load(std::memory_order_acquire);
    do {
      if ((seen & (open | closing | file_mask)) != (open | bits_of(file))) return false;
    } while ((seen & (lent | used)) != (lent | used) &&
             !word_.compare_exchange_weak(seen, seen | lent | used, std::memory_order_acq_rel,
                                          std::memory_order_acquire));
    handle.value = handle_.load(std::memory_order_relaxed);
    return true;
  }
  // By a thread that has pinned it; what the word was before.
  state unpin() noexcept { return state(word_.fetch_sub(1, std::memory_order_seq_cst)); }

  [[nodiscard]] state look() const noexcept { return state(word_.load(std::memory_order_seq_cst)); }

  [[nodiscard]] os_handle handle() const noexcept {
    return os_handle{handle_.load(std::memory_order_relaxed)};
  }

  // Changes, each with the lock of the cache held. False if the word has changed since.
  [[nodiscard]] bool forget_use(state seen, const sync_detail::mutex& held) noexcept
      REQUIRES(held) {
    return change(seen, seen.bits_ & ~used, held);
  }
  [[nodiscard]] bool close_later(state seen, const sync_detail::mutex& held) noexcept
      REQUIRES(held) {
    return change(seen, seen.bits_ | closing, held);
  }
  [[nodiscard]] bool stay_open(state seen, const sync_detail::mutex& held) noexcept REQUIRES(held) {
    return change(seen, seen.bits_ & ~closing, held);
  }
  [[nodiscard]] bool vacate(state seen, const sync_detail::mutex& held) noexcept REQUIRES(held) {
    return change(seen, 0, held);
  }
  [[nodiscard]] bool begin_to_open(state seen, std::uint32_t file,
                                   const sync_detail::mutex& held) noexcept REQUIRES(held) {
    return change(seen, opening | bits_of(file), held);
  }
  // By the thread that has begun to open it.
  void opened(std::uint32_t file, os_handle handle) noexcept {
    handle_.store(handle.value, std::memory_order_relaxed);
    word_.store(open | used | bits_of(file) | 1, std::memory_order_seq_cst);
  }
  void give_up() noexcept { word_.store(0, std::memory_order_seq_cst); }

 private:
  static constexpr std::uint64_t pins_mask = (1u << 12) - 1;
  static constexpr std::uint64_t open = 1u << 12;
  static constexpr std::uint64_t used = 1u << 13;  // since the hand was here last
  static constexpr std::uint64_t closing = 1u << 14;
  static constexpr std::uint64_t opening = 1u << 15;
  static constexpr unsigned file_shift = 16;
  static constexpr std::uint64_t file_mask = std::uint64_t{(1u << 20) - 1} << file_shift;
  static constexpr std::uint64_t lent = std::uint64_t{1} << 36;  // since it was opened
  static constexpr unsigned hits_shift = 37;
  static constexpr std::uint64_t hit = std::uint64_t{1} << hits_shift;
  static_assert(limits::sources_max <= 1u << 20, "files are numbered by 20 bits of the word");

  static constexpr std::uint64_t bits_of(std::uint32_t file) noexcept {
    return std::uint64_t{file} << file_shift;
  }
  [[nodiscard]] bool change(state seen, std::uint64_t to, const sync_detail::mutex& held) noexcept
      REQUIRES(held) {
    (void)held;
    std::uint64_t expected = seen.bits_;
    return word_.compare_exchange_strong(expected, to, std::memory_order_seq_cst);
  }

  atomic<std::uint64_t> word_{0};
  atomic<std::int64_t> handle_{0};
};

}  // namespace overture::io_detail

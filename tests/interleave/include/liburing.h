/* SPDX-License-Identifier: Zlib */
// Stands in for liburing: a ring whose kernel is one of the explorer's threads. It has the calls
// that reads_uring.cpp makes.
#pragma once

#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "interleave/explorer.hpp"
#include "overture/base/atomic.hpp"
#include "sync/mutex.hpp"

inline constexpr unsigned IORING_SETUP_SINGLE_ISSUER = 1;
inline constexpr unsigned IORING_SETUP_DEFER_TASKRUN = 2;
inline constexpr unsigned IORING_FEAT_RW_CUR_POS = 1;
inline constexpr std::uint8_t IOSQE_FIXED_FILE = 1;
inline constexpr std::uint8_t IOSQE_IO_LINK = 2;      // the next one runs if this one succeeds
inline constexpr std::uint8_t IOSQE_IO_HARDLINK = 4;  // the next one runs after this one

struct io_uring_sqe {
  enum class what : std::uint8_t { read_event, read, open, close } does = what::read;
  std::uint8_t flags = 0;
  int file = -1;
  std::array<iovec, 4> parts = {};
  unsigned count = 0;
  std::uint64_t offset = 0;
  std::uint64_t user_data = 0;
};
struct io_uring_cqe {
  std::uint64_t user_data = 0;
  int res = 0;
};

namespace interleave {

// Each byte of a file is its position. Tests say how operations end.
class fake_kernel {
 public:
  static constexpr int event = 1'000;
  enum class order : std::uint8_t { oldest_first, newest_first };

  order of = order::oldest_first;
  int first_read = 0;  // what the first read returns, if not 0: bytes or minus errno
  bool opens = true;   // whether files can be opened by path

  // The kernel's thread. Returns when the ring has ended.
  void work() {
    for (;;) {
      const std::uint32_t seen = changed_.load(std::memory_order_acquire);
      bool ended = false;
      {
        const overture::sync_detail::scoped_lock hold(lock_);
        if (!complete_one()) {
          if (ended_) return;
          ended = true;
        }
      }
      if (ended) {
        (void)overture::sync_detail::address_wait(changed_, seen, 0);
      } else {
        completed_.fetch_add(1, std::memory_order_acq_rel);
        overture::sync_detail::address_wake_all(&completed_);
      }
    }
  }
  void set_event() {
    {
      const overture::sync_detail::scoped_lock hold(lock_);
      ++event_;
    }
    tell();
  }

  // --- The ring's thread ---
  io_uring_sqe* entry() {
    if (prepared_count_ == prepared_.size()) return nullptr;
    prepared_[prepared_count_] = {};
    return &prepared_[prepared_count_++];
  }
  unsigned room() const { return static_cast<unsigned>(prepared_.size() - prepared_count_); }
  void submit() {
    {
      const overture::sync_detail::scoped_lock hold(lock_);
      for (std::size_t i = 0; i < prepared_count_; ++i) {
        check(asked_count_ < asked_.size(), "no more in flight than entries");
        asked_[asked_count_++] = prepared_[i];
      }
    }
    prepared_count_ = 0;
    tell();
  }
  void wait() {
    for (;;) {
      const std::uint32_t seen = completed_.load(std::memory_order_acquire);
      {
        const overture::sync_detail::scoped_lock hold(lock_);
        if (done_count_ != 0) return;
      }
      (void)overture::sync_detail::address_wait(completed_, seen, 0);
    }
  }
  bool take(io_uring_cqe& to) {
    const overture::sync_detail::scoped_lock hold(lock_);
    if (done_count_ == 0) return false;
    to = done_[0];
    --done_count_;
    for (std::size_t i = 0; i < done_count_; ++i) done_[i] = done_[i + 1];
    return true;
  }
  void end() {
    {
      const overture::sync_detail::scoped_lock hold(lock_);
      for (std::size_t i = 0; i < asked_count_; ++i) {
        check(asked_[i].does == io_uring_sqe::what::read_event, "no read is left in flight");
      }
      for (const bool is_open : table_) check(!is_open, "the files of the ring are closed");
      ended_ = true;
    }
    tell();
  }

 private:
  static constexpr std::size_t entries = 8;

  void tell() {
    changed_.fetch_add(1, std::memory_order_acq_rel);
    overture::sync_detail::address_wake_all(&changed_);
  }
  void note_end(const io_uring_sqe& ended, int outcome) {
    check(done_count_ < done_.size(), "no more ends than entries");
    done_[done_count_++] = {ended.user_data, outcome};
  }
  void remove(std::size_t at, std::size_t count) {
    asked_count_ -= count;
    for (std::size_t i = at; i < asked_count_; ++i) asked_[i] = asked_[i + count];
  }
  // Ends one operation, or one chain of them. False: there is none that can end.
  bool complete_one() {
    std::size_t begins[entries];
    std::size_t found = 0;
    for (std::size_t i = 0; i < asked_count_; i += length_of(i)) {
      const bool waits = asked_[i].does == io_uring_sqe::what::read_event && event_ == 0;
      if (!waits) begins[found++] = i;
    }
    if (found == 0) return false;
    const std::size_t at = of == order::oldest_first ? begins[0] : begins[found - 1];
    const std::size_t length = length_of(at);
    bool go_on = true;
    for (std::size_t i = at; i < at + length; ++i) {
      const int outcome = go_on ? perform(asked_[i]) : -ECANCELED;
      note_end(asked_[i], outcome);
      if (!is_whole(asked_[i], outcome) && (asked_[i].flags & IOSQE_IO_HARDLINK) == 0) {
        go_on = false;
      }
    }
    remove(at, length);
    return true;
  }
  [[nodiscard]] std::size_t length_of(std::size_t begin) const {
    std::size_t i = begin;
    while ((asked_[i].flags & (IOSQE_IO_LINK | IOSQE_IO_HARDLINK)) != 0) ++i;
    return i + 1 - begin;
  }
  // A read that ends early breaks a chain as one that fails does.
  [[nodiscard]] static bool is_whole(const io_uring_sqe& asked, int outcome) {
    return outcome >= 0 && (asked.does != io_uring_sqe::what::read || outcome == bytes_of(asked));
  }
  [[nodiscard]] static int bytes_of(const io_uring_sqe& asked) {
    int bytes = 0;
    for (unsigned i = 0; i < asked.count; ++i) bytes += static_cast<int>(asked.parts[i].iov_len);
    return bytes;
  }
  int perform(const io_uring_sqe& asked) {
    switch (asked.does) {
      case io_uring_sqe::what::read_event:
        event_ = 0;
        *static_cast<std::uint64_t*>(asked.parts[0].iov_base) = 1;
        return sizeof(std::uint64_t);
      case io_uring_sqe::what::open:
        check(!table_[slot_of(asked)], "the entry of the table is free");
        if (!opens) return -ENOENT;
        table_[slot_of(asked)] = true;
        return 0;
      case io_uring_sqe::what::close: {
        const bool was_open = table_[slot_of(asked)];
        table_[slot_of(asked)] = false;
        return was_open ? 0 : -EBADF;
      }
      case io_uring_sqe::what::read:
        break;
    }
    if ((asked.flags & IOSQE_FIXED_FILE) != 0) check(table_[slot_of(asked)], "it is open");
    int left = bytes_of(asked);
    if (const int planned = first_read; planned != 0) {
      first_read = 0;
      if (planned < 0) return planned;
      left = planned;
    }
    const int all = left;
    std::uint64_t position = asked.offset;
    for (unsigned i = 0; i < asked.count; ++i) {
      auto* const to = static_cast<std::byte*>(asked.parts[i].iov_base);
      for (std::size_t byte = 0; byte < asked.parts[i].iov_len && left > 0; ++byte, --left) {
        to[byte] = static_cast<std::byte>(position++);
      }
    }
    return all;
  }
  [[nodiscard]] static std::size_t slot_of(const io_uring_sqe& of_chain) {
    return static_cast<std::size_t>(of_chain.file) % 4;
  }

  // The ring's thread alone.
  std::array<io_uring_sqe, entries> prepared_;
  std::size_t prepared_count_ = 0;
  // Under the lock.
  overture::sync_detail::mutex lock_;
  std::array<io_uring_sqe, entries> asked_;
  std::size_t asked_count_ = 0;
  std::array<io_uring_cqe, entries + 1> done_;
  std::size_t done_count_ = 0;
  std::uint64_t event_ = 0;
  bool table_[4] = {};
  bool ended_ = false;
  overture::atomic<std::uint32_t> changed_{0};    // for the kernel
  overture::atomic<std::uint32_t> completed_{0};  // for the ring's thread
};

inline fake_kernel* kernel_of_ring = nullptr;

}  // namespace interleave

struct io_uring {
  unsigned features = IORING_FEAT_RW_CUR_POS;
  io_uring_cqe first;
  bool has_first = false;
};

inline int io_uring_queue_init(unsigned, io_uring* ring, unsigned) {
  ring->features = IORING_FEAT_RW_CUR_POS;
  return 0;
}
inline void io_uring_queue_exit(io_uring*) {
  interleave::kernel_of_ring->end();
}
inline int io_uring_register_files_sparse(io_uring*, unsigned) {
  return 0;
}
inline int io_uring_register_buffers(io_uring*, const iovec*, unsigned) {
  return 0;
}
inline io_uring_sqe* io_uring_get_sqe(io_uring*) {
  return interleave::kernel_of_ring->entry();
}
inline unsigned io_uring_sq_space_left(const io_uring*) {
  return interleave::kernel_of_ring->room();
}
inline int io_uring_submit(io_uring*) {
  interleave::kernel_of_ring->submit();
  return 0;
}
inline int io_uring_submit_and_wait(io_uring*, unsigned) {
  interleave::kernel_of_ring->submit();
  interleave::kernel_of_ring->wait();
  return 0;
}
inline int io_uring_peek_cqe(io_uring* ring, io_uring_cqe** to) {
  if (!ring->has_first && !interleave::kernel_of_ring->take(ring->first)) return -EAGAIN;
  ring->has_first = true;
  *to = &ring->first;
  return 0;
}
inline void io_uring_cqe_seen(io_uring* ring, io_uring_cqe*) {
  ring->has_first = false;
}
inline std::uint64_t io_uring_cqe_get_data64(const io_uring_cqe* done) {
  return done->user_data;
}
inline void io_uring_sqe_set_data64(io_uring_sqe* asked, std::uint64_t data) {
  asked->user_data = data;
}
inline void io_uring_sqe_set_data(io_uring_sqe* asked, void* data) {
  asked->user_data = reinterpret_cast<std::uintptr_t>(data);
}
inline void io_uring_prep_readv(io_uring_sqe* asked, int file, const iovec* parts, unsigned count,
                                std::uint64_t offset) {
  *asked = {};
  asked->file = file;
  asked->count = count;
  for (unsigned i = 0; i < count; ++i) asked->parts[i] = parts[i];
  asked->offset = offset;
}
inline void io_uring_prep_read(io_uring_sqe* asked, int file, void* to, unsigned bytes,
                               std::uint64_t offset) {
  const iovec part{to, bytes};
  io_uring_prep_readv(asked, file, &part, 1, offset);
  if (file == interleave::fake_kernel::event) asked->does = io_uring_sqe::what::read_event;
}
inline void io_uring_prep_read_fixed(io_uring_sqe* asked, int file, void* to, unsigned bytes,
                                     std::uint64_t offset, int) {
  io_uring_prep_read(asked, file, to, bytes, offset);
}
inline void io_uring_prep_openat_direct(io_uring_sqe* asked, int, const char*, int, unsigned,
                                        unsigned slot) {
  *asked = {};
  asked->does = io_uring_sqe::what::open;
  asked->file = static_cast<int>(slot);
}
inline void io_uring_prep_close_direct(io_uring_sqe* asked, unsigned slot) {
  *asked = {};
  asked->does = io_uring_sqe::what::close;
  asked->file = static_cast<int>(slot);
}

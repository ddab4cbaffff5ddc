// SPDX-License-Identifier: Zlib
//
// Packed bytes that wait to be unpacked, and the threads that unpack them.
//
// A unit is one part of one request. For each unit that waits, one task has been posted to an
// executor. A task unpacks one unit, or finds none because a thread that waits for requests of the
// queue was quicker. So no request depends on a task that never runs, and a task may run late: the
// unpack queue is reference-counted and outlives the read queue until the last of them.
//
// Any thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "io/schedule/packed_item.hpp"
#include "sync/mutex.hpp"

namespace overture::io_detail {

class unpack_queue {
 public:
  explicit unpack_queue(allocator& memory) noexcept : memory_(memory) {}
  ~unpack_queue();
  unpack_queue(const unpack_queue&) = delete;
  unpack_queue& operator=(const unpack_queue&) = delete;
  // Null if the memory was refused. retire() ends it.
  [[nodiscard]] static unpack_queue* make(allocator& memory) noexcept;
  // Call once no item is left: waits until every thread has left. Tasks that have not run are not
  // waited for.
  void retire() noexcept;

  // For tasks and gates that may outlive the read queue: a reference keeps this object. Between
  // enter(), if it returns true, and leave() the read queue is kept too.
  void add_reference() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void drop_reference() noexcept;
  [[nodiscard]] bool enter() noexcept EXCLUDES(lock_);
  void leave() noexcept EXCLUDES(lock_) { leave(unit{}); }
  [[nodiscard]] allocator& memory() const noexcept { return memory_; }

  // The item's bytes are read; this object owns the item from here on.
  void put(packed_item& item) noexcept EXCLUDES(lock_);
  [[nodiscard]] bool has_work() noexcept EXCLUDES(lock_);
  // Works on one unit, and adds to `completed` how many requests have completed with it. False:
  // there was none.
  bool work(std::size_t& completed) noexcept EXCLUDES(lock_);

 private:
  struct tables {
    unpacker unpack;
    tables* next = nullptr;
  };
  struct unit {
    packed_item* item = nullptr;
    std::uint32_t part = 0;
    tables* with = nullptr;
  };

  static void run_task(void* self) noexcept;
  void post(executor& on, std::uint32_t tasks) noexcept;
  [[nodiscard]] bool take(unit& taken) noexcept;
  void plan(packed_item& item) noexcept;
  [[nodiscard]] result<void> unpack(const unit& taken) noexcept;
  static void judge(packed_item& item, tables* with) noexcept;
  // Releases one hold on the item; true if it was the last.
  [[nodiscard]] bool let_go(packed_item& item) noexcept;
  void leave(const unit& done) noexcept;

  allocator& memory_;
  atomic<std::uint32_t> references_{1};
  sync_detail::mutex lock_;  // guards this object's part of items, too
  packed_item* first_ GUARDED_BY(lock_) = nullptr;
  packed_item* last_ GUARDED_BY(lock_) = nullptr;
  tables* spare_ GUARDED_BY(lock_) = nullptr;
  std::uint32_t working_ GUARDED_BY(lock_) = 0;
  bool retired_ GUARDED_BY(lock_) = false;
  atomic<std::uint32_t> left_word_{0};  // moves on when the last one leaves
};

}  // namespace overture::io_detail

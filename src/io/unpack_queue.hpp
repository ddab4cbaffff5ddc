// Where packed bytes wait to be unpacked, and threads come to unpack them.
//
// A unit is one part of one request. For each unit that waits, one task has been given to an
// executor, and a task works on one unit or finds none: whoever waits for requests of the queue may
// have been here before it. So nobody waits for a task that is not run, and tasks may be run long
// after; that is why the desk is counted, and outlives the queue until the last of them.
//
// Any thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "io/packed_item.hpp"
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
  // When no item is left: waits until every thread has left it, tasks that wait to be run aside.
  void retire() noexcept;

  // For whoever may come after the queue's end: a reference keeps the desk, and between enter(), if
  // it says yes, and leave() the queue too.
  void add_reference() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void drop_reference() noexcept;
  [[nodiscard]] bool enter() noexcept;
  void leave() noexcept { leave(unit{}); }
  [[nodiscard]] allocator& memory() const noexcept { return memory_; }

  // The item's bytes are there; from here on it is the desk's.
  void put(packed_item& item) noexcept;
  [[nodiscard]] bool has_work() noexcept;
  // Works on one unit, and adds to `completed` how many requests have completed with it. False:
  // there was none.
  bool work(std::size_t& completed) noexcept;

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

  static void run_task(void* desk) noexcept;
  void post(executor& on, std::uint32_t tasks) noexcept;
  [[nodiscard]] bool take(unit& taken) noexcept;
  void plan(packed_item& item) noexcept;
  [[nodiscard]] result<void> unpack(const unit& taken) noexcept;
  static void judge(packed_item& item, tables* with) noexcept;
  // Whoever holds the item lets it go; true if it was the last.
  [[nodiscard]] bool let_go(packed_item& item) noexcept;
  void leave(const unit& done) noexcept;

  allocator& memory_;
  atomic<std::uint32_t> references_{1};
  mutex lock_;  // guards the rest, and the desk's part of items
  packed_item* first_ = nullptr;
  packed_item* last_ = nullptr;
  tables* spare_ = nullptr;
  std::uint32_t working_ = 0;
  bool retired_ = false;
  atomic<std::uint32_t> left_word_{0};  // moves on when the last one leaves
};

}  // namespace overture::io_detail

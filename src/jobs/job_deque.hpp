// A worker's own queue of hints: the owner pushes and pops at the bottom, everybody else takes
// from the top (Chase and Lev, with sequentially consistent read-modify-writes where the published
// versions have fences). It grows; outgrown arrays stay readable until the pool ends.
#pragma once

#include <cstddef>
#include <cstdint>

#include "jobs/job_record.hpp"
#include "overture/allocator.hpp"

namespace overture {

class job_deque {
 public:
  static constexpr std::uint64_t first_capacity = 256;

  job_deque() = default;
  ~job_deque();
  job_deque(const job_deque&) = delete;
  job_deque& operator=(const job_deque&) = delete;

  // Before use. False if memory is refused.
  [[nodiscard]] bool initialise(allocator& memory) noexcept;

  // The owner: makes room for one more hint. False if memory is refused.
  [[nodiscard]] bool make_room() noexcept;
  // The owner, behind make_room(): adds a hint at the bottom.
  void push(job_record& record) noexcept;
  // The owner: takes the newest hint, null if there is none.
  [[nodiscard]] job_record* pop() noexcept;
  // The owner: the newest hint, left where it is.
  [[nodiscard]] job_record* peek() const noexcept;
  // Any thread: takes the oldest hint. Null if there is none or another thread was faster.
  [[nodiscard]] job_record* steal() noexcept;

  [[nodiscard]] bool empty() const noexcept {
    const std::uint64_t top = top_.load(std::memory_order_seq_cst);
    return bottom_.load(std::memory_order_seq_cst) <= top;
  }
  // The owner: the position behind the newest hint.
  [[nodiscard]] std::uint64_t bottom() const noexcept {
    return bottom_.load(std::memory_order_relaxed);
  }

  // Any thread: a claimed record of the group, or null. The hint stays behind. `newest_first` is
  // the owner's order, the other one everybody else's.
  [[nodiscard]] job_record* claim_of(const job_group* group, bool newest_first) noexcept;

 private:
  struct array {
    std::uint64_t capacity;
    array* outgrown;
    [[nodiscard]] atomic<job_record*>* slots() noexcept {
      return reinterpret_cast<atomic<job_record*>*>(this + 1);
    }
    [[nodiscard]] atomic<job_record*>& slot(std::uint64_t position) noexcept {
      return slots()[position & (capacity - 1)];
    }
  };

  [[nodiscard]] array* make_array(std::uint64_t capacity) noexcept;

  alignas(64) atomic<std::uint64_t> top_{0};
  alignas(64) atomic<std::uint64_t> bottom_{0};
  atomic<array*> array_{nullptr};
  allocator* memory_ = nullptr;
};

}  // namespace overture

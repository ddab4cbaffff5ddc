// Records linked by their index: chains of one thread, and stacks that threads share.
#pragma once

#include <cstdint>

#include "jobs/queues/job_slab.hpp"

namespace overture::jobs_detail {

// Records linked one to the next; not shared.
struct record_chain {
  job_record* first = nullptr;
  job_record* last = nullptr;

  void append(job_record& record) noexcept;
  void prepend(job_record& record) noexcept;
};

// A stack that any thread may push whole chains to and pop from (Treiber's). The head counts the
// removals: a head that looks the same has not changed in between, and a thread that walks down the
// stack can tell whether something was removed meanwhile.
class alignas(64) record_stack {
 public:
  struct head {
    std::uint64_t bits;
    [[nodiscard]] std::uint32_t index() const noexcept { return static_cast<std::uint32_t>(bits); }
    [[nodiscard]] std::uint64_t removals() const noexcept { return bits >> 32; }
    [[nodiscard]] bool empty() const noexcept { return index() == no_record; }
  };

  [[nodiscard]] head top() const noexcept { return {head_.load(std::memory_order_seq_cst)}; }
  [[nodiscard]] bool empty() const noexcept { return top().empty(); }

  // Puts the chain, first record first, on top.
  void push(const record_chain& chain) noexcept;
  // Takes the top record; null if there is none.
  [[nodiscard]] job_record* pop(const job_slab& slab) noexcept;
  // Takes all, linked from the first one on; null if there is none.
  [[nodiscard]] job_record* take_all(const job_slab& slab) noexcept;
  // Takes the record on top if nothing has changed since `seen`.
  [[nodiscard]] bool pop_exactly(const job_slab& slab, head seen) noexcept;

 private:
  [[nodiscard]] static std::uint64_t make_head(std::uint64_t removals,
                                               std::uint32_t index) noexcept {
    return removals << 32 | index;
  }

  atomic<std::uint64_t> head_{no_record};
};

}  // namespace overture::jobs_detail

#include "jobs/queues/record_stack.hpp"

namespace overture::jobs_detail {

void record_chain::append(job_record& record) noexcept {
  record.next.store(no_record, std::memory_order_relaxed);
  if (last != nullptr) {
    last->next.store(record.index, std::memory_order_release);
  } else {
    first = &record;
  }
  last = &record;
}

void record_chain::prepend(job_record& record) noexcept {
  record.next.store(first != nullptr ? first->index : no_record, std::memory_order_release);
  first = &record;
  if (last == nullptr) last = &record;
}

void record_stack::push(const record_chain& chain) noexcept {
  head seen{head_.load(std::memory_order_relaxed)};
  do {
    chain.last->next.store(seen.index(), std::memory_order_release);
    // seq_cst: the pusher then looks for sleepers, which look at this stack before they sleep.
  } while (!head_.compare_exchange_weak(seen.bits, make_head(seen.removals(), chain.first->index),
                                        std::memory_order_seq_cst, std::memory_order_relaxed));
}

job_record* record_stack::pop(const job_slab& slab) noexcept {
  for (;;) {
    const head seen = top();
    if (seen.empty()) return nullptr;
    if (pop_exactly(slab, seen)) return &slab.at(seen.index());
  }
}

job_record* record_stack::take_all(const job_slab& slab) noexcept {
  head seen = top();
  while (!seen.empty()) {
    if (head_.compare_exchange_weak(seen.bits, make_head(seen.removals() + 1, no_record),
                                    std::memory_order_seq_cst, std::memory_order_seq_cst)) {
      return &slab.at(seen.index());
    }
  }
  return nullptr;
}

bool record_stack::pop_exactly(const job_slab& slab, head seen) noexcept {
  const std::uint32_t next = slab.at(seen.index()).next.load(std::memory_order_acquire);
  return head_.compare_exchange_strong(seen.bits, make_head(seen.removals() + 1, next),
                                       std::memory_order_seq_cst, std::memory_order_seq_cst);
}

}  // namespace overture::jobs_detail

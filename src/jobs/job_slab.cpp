#include "jobs/job_slab.hpp"

#include <new>

namespace overture {

void record_chain::append(job_record& record) noexcept {
  record.next.store(no_record, std::memory_order_relaxed);
  if (last != nullptr) {
    last->next.store(record.index, std::memory_order_release);
  } else {
    first = &record;
  }
  last = &record;
  ++count;
}

void record_stack::push(const record_chain& chain) noexcept {
  head seen{head_.load(std::memory_order_relaxed)};
  do {
    chain.last->next.store(seen.index(), std::memory_order_release);
    // seq_cst: behind it the pusher looks for sleepers, who look at this stack before they sleep.
  } while (!head_.compare_exchange_weak(seen.bits, make_head(seen.removals(), chain.first->index),
                                        std::memory_order_seq_cst, std::memory_order_relaxed));
}

record_chain record_stack::pop(const job_slab& slab, std::uint32_t count) noexcept {
  head seen = top();
  for (;;) {
    if (seen.empty()) return {};
    // Links may change while this walks over them; then the head has changed as well.
    record_chain chain{&slab.at(seen.index()), nullptr, 0};
    job_record* rest = chain.first;
    while (rest != nullptr && chain.count < count) {
      chain.last = rest;
      ++chain.count;
      rest = slab.next_of(*rest);
    }
    const std::uint32_t next = rest != nullptr ? rest->index : no_record;
    if (head_.compare_exchange_weak(seen.bits, make_head(seen.removals() + 1, next),
                                    std::memory_order_seq_cst, std::memory_order_seq_cst)) {
      chain.last->next.store(no_record, std::memory_order_release);
      return chain;
    }
  }
}

record_chain record_stack::take_all(const job_slab& slab) noexcept {
  head seen = top();
  do {
    if (seen.empty()) return {};
  } while (!head_.compare_exchange_weak(seen.bits, make_head(seen.removals() + 1, no_record),
                                        std::memory_order_seq_cst, std::memory_order_seq_cst));
  record_chain chain{&slab.at(seen.index()), &slab.at(seen.index()), 1};
  while (job_record* const next = slab.next_of(*chain.last)) {
    chain.last = next;
    ++chain.count;
  }
  return chain;
}

bool record_stack::pop_exactly(const job_slab& slab, head seen) noexcept {
  const std::uint32_t next = slab.at(seen.index()).next.load(std::memory_order_acquire);
  return head_.compare_exchange_strong(seen.bits, make_head(seen.removals() + 1, next),
                                       std::memory_order_seq_cst, std::memory_order_seq_cst);
}

job_slab::~job_slab() {
  for (auto& entry : chunks_) {
    job_record* const chunk = entry.load(std::memory_order_relaxed);
    if (chunk == nullptr) continue;
    for (std::uint32_t i = 0; i < chunk_records; ++i) chunk[i].~job_record();
    memory_.deallocate(chunk, sizeof(job_record) * chunk_records, alignof(job_record),
                       memory_tag::jobs);
  }
}

bool job_slab::grow() noexcept {
  if (chunk_count_.load(std::memory_order_relaxed) >= chunks_max) return false;
  void* const memory =
      memory_.allocate(sizeof(job_record) * chunk_records, alignof(job_record), memory_tag::jobs);
  if (memory == nullptr) return false;
  // The number is taken behind the memory, so that numbers have no gaps.
  std::uint32_t number = chunk_count_.load(std::memory_order_relaxed);
  do {
    if (number >= chunks_max) {
      memory_.deallocate(memory, sizeof(job_record) * chunk_records, alignof(job_record),
                         memory_tag::jobs);
      return false;
    }
  } while (!chunk_count_.compare_exchange_weak(number, number + 1, std::memory_order_relaxed));

  auto* const chunk = static_cast<job_record*>(memory);
  record_chain fresh;
  for (std::uint32_t i = 0; i < chunk_records; ++i) {
    job_record* const record = ::new (static_cast<void*>(chunk + i)) job_record;
    record->index = number * chunk_records + i;
    fresh.append(*record);
  }
  chunks_[number].store(chunk, std::memory_order_release);
  free_.push(fresh);
  return true;
}

record_chain job_slab::take(std::uint32_t count) noexcept {
  for (;;) {
    const record_chain chain = free_.pop(*this, count);
    if (chain.count != 0 || !grow()) return chain;
  }
}

}  // namespace overture

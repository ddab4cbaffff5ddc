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

void bundle_stack::push(const record_chain& chain) noexcept {
  chain.last->next.store(no_record, std::memory_order_relaxed);
  chain.first->bundle_last = chain.last->index;
  chain.first->bundle_count = chain.count;
  std::uint64_t seen = head_.load(std::memory_order_relaxed);
  do {
    chain.first->bundle_next.store(static_cast<std::uint32_t>(seen), std::memory_order_relaxed);
  } while (!head_.compare_exchange_weak(seen, seen >> 32 << 32 | chain.first->index,
                                        std::memory_order_acq_rel, std::memory_order_relaxed));
}

record_chain bundle_stack::pop(const job_slab& slab) noexcept {
  std::uint64_t seen = head_.load(std::memory_order_acquire);
  for (;;) {
    const auto index = static_cast<std::uint32_t>(seen);
    if (index == no_record) return {};
    job_record& first = slab.at(index);
    // Another thread may take it and write this meanwhile; then the head has moved on as well.
    const std::uint64_t next = first.bundle_next.load(std::memory_order_relaxed);
    if (head_.compare_exchange_weak(seen, ((seen >> 32) + 1) << 32 | next,
                                    std::memory_order_acq_rel, std::memory_order_acquire)) {
      return {&first, &slab.at(first.bundle_last), first.bundle_count};
    }
  }
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
  for (std::uint32_t i = 0; i < chunk_records; ++i) {
    job_record* const record = ::new (static_cast<void*>(chunk + i)) job_record;
    record->index = number * chunk_records + i;
  }
  chunks_[number].store(chunk, std::memory_order_release);
  static_assert(chunk_records % bundle_records == 0);
  for (std::uint32_t end = chunk_records; end != 0; end -= bundle_records) {
    record_chain fresh;
    for (std::uint32_t i = end - bundle_records; i < end; ++i) fresh.append(chunk[i]);
    free_.push(fresh);
  }
  return true;
}

record_chain job_slab::take(std::uint32_t count) noexcept {
  record_chain taken;
  while (taken.count < count) {
    record_chain bundle = free_.pop(*this);
    if (bundle.count == 0) {
      if (taken.count != 0 || !grow()) break;
      continue;
    }
    if (bundle.count > count - taken.count) give_back(cut(bundle, count - taken.count));
    if (taken.last != nullptr) {
      taken.last->next.store(bundle.first->index, std::memory_order_release);
    } else {
      taken.first = bundle.first;
    }
    taken.last = bundle.last;
    taken.count += bundle.count;
  }
  return taken;
}

record_chain job_slab::cut(record_chain& chain, std::uint32_t count) const noexcept {
  job_record* last = chain.first;
  for (std::uint32_t i = 1; i < count; ++i) last = next_of(*last);
  const record_chain rest{next_of(*last), chain.last, chain.count - count};
  last->next.store(no_record, std::memory_order_release);
  chain.last = last;
  chain.count = count;
  return rest;
}

}  // namespace overture

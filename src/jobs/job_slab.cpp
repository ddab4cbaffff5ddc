#include "jobs/job_slab.hpp"

#include <iterator>
#include <new>
#include <utility>

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

void record_chain::prepend(job_record& record) noexcept {
  record.next.store(first != nullptr ? first->index : no_record, std::memory_order_release);
  first = &record;
  if (last == nullptr) last = &record;
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

job_slab::job_slab(allocator& memory, std::size_t records_max) noexcept
    : memory_(memory),
      chunks_allowed_(static_cast<std::uint32_t>(
          records_max >= std::size_t{chunks_max} * chunk_records
              ? chunks_max
              : records_max / chunk_records + (records_max % chunk_records != 0 ? 1 : 0))) {}

job_slab::~job_slab() {
  end_spares(chunks_[chunks_max].load(std::memory_order_relaxed));
  for (std::uint32_t number = 0; number < chunks_max; ++number) {
    job_record* const chunk = chunks_[number].load(std::memory_order_relaxed);
    if (chunk == nullptr) continue;
    auto* const words = reinterpret_cast<word_state*>(chunk + chunk_records);
    for (std::uint32_t i = 0; i < chunk_words; ++i) words[i].~word_state();
    for (std::uint32_t i = 0; i < chunk_records; ++i) chunk[i].~job_record();
    memory_.deallocate(chunk, chunk_bytes, alignof(job_record), memory_tag::jobs);
  }
}

bool job_slab::grow() noexcept {
  if (chunk_count_.load(std::memory_order_relaxed) >= chunks_allowed_) return false;
  void* const memory = memory_.allocate(chunk_bytes, alignof(job_record), memory_tag::jobs);
  if (memory == nullptr) return false;
  // The number is taken behind the memory, so that numbers have no gaps.
  std::uint32_t number = chunk_count_.load(std::memory_order_relaxed);
  do {
    if (number >= chunks_allowed_) {
      memory_.deallocate(memory, chunk_bytes, alignof(job_record), memory_tag::jobs);
      return false;
    }
  } while (!chunk_count_.compare_exchange_weak(number, number + 1, std::memory_order_relaxed));

  auto* const chunk = static_cast<job_record*>(memory);
  for (std::uint32_t i = 0; i < chunk_records; ++i) {
    job_record* const record = ::new (static_cast<void*>(chunk + i)) job_record;
    record->index = number * chunk_records + i;
  }
  void* const behind = chunk + chunk_records;
  for (std::uint32_t i = 0; i < chunk_words; ++i) {
    ::new (static_cast<void*>(static_cast<word_state*>(behind) + i)) word_state;
  }
  chunks_[number].store(chunk, std::memory_order_release);
  for (std::size_t i = chunk_words; i-- != 0;) give_back({chunk + i * word_records, whole_word});
  return true;
}

void job_slab::push_word(std::uint32_t number) noexcept {
  word_state& word = word_at(number);
  std::uint64_t seen = words_.load(std::memory_order_relaxed);
  do {
    word.next.store(static_cast<std::uint32_t>(seen), std::memory_order_relaxed);
  } while (!words_.compare_exchange_weak(seen, seen >> 32 << 32 | number, std::memory_order_acq_rel,
                                         std::memory_order_relaxed));
}

job_record* job_slab::make_spares() noexcept {
  void* const memory =
      memory_.allocate(sizeof(job_record) * word_records, alignof(job_record), memory_tag::jobs);
  if (memory == nullptr) return nullptr;
  auto* const made = static_cast<job_record*>(memory);
  for (std::uint32_t i = 0; i < word_records; ++i) {
    job_record* const record = ::new (static_cast<void*>(made + i)) job_record;
    record->index = spare_begin + i;
  }
  job_record* there = nullptr;
  if (chunks_[chunks_max].compare_exchange_strong(there, made, std::memory_order_acq_rel,
                                                  std::memory_order_acquire)) {
    return made;
  }
  end_spares(made);  // another thread was faster
  return there;
}

void job_slab::end_spares(job_record* first) noexcept {
  if (first == nullptr) return;
  for (std::uint32_t i = 0; i < word_records; ++i) first[i].~job_record();
  memory_.deallocate(first, sizeof(job_record) * word_records, alignof(job_record),
                     memory_tag::jobs);
}

job_record* job_slab::take_spare() noexcept {
  job_record* first = chunks_[chunks_max].load(std::memory_order_acquire);
  if (first == nullptr) first = make_spares();
  if (first == nullptr) return nullptr;
  std::uint64_t free = spares_free_.load(std::memory_order_relaxed);
  while (free != 0) {
    if (spares_free_.compare_exchange_weak(free, free & (free - 1), std::memory_order_acquire,
                                           std::memory_order_relaxed)) {
      return first + std::countr_zero(free);
    }
  }
  return nullptr;
}

void job_slab::give_back(const free_word& word) noexcept {
  if (is_spare(*word.first)) {
    spares_free_.fetch_or(word.bits, std::memory_order_release);
    return;
  }
  const std::uint32_t number = word.first->index / word_records;
  // Release: whoever takes a record sees what was done to it. Acquire: whoever puts the word on the
  // stack comes behind the one who took it off.
  if (word_at(number).free.fetch_or(word.bits, std::memory_order_acq_rel) == 0) push_word(number);
}

free_word job_slab::take() noexcept {
  std::uint64_t seen = words_.load(std::memory_order_acquire);
  for (;;) {
    const auto number = static_cast<std::uint32_t>(seen);
    if (number == no_record) {
      if (!grow()) return {};
      seen = words_.load(std::memory_order_acquire);
      continue;
    }
    word_state& word = word_at(number);
    // Another thread may take it and write this meanwhile; then the head has moved on as well.
    const std::uint64_t next = word.next.load(std::memory_order_relaxed);
    if (words_.compare_exchange_weak(seen, ((seen >> 32) + 1) << 32 | next,
                                     std::memory_order_acq_rel, std::memory_order_acquire)) {
      return {&at(number * word_records), word.free.exchange(0, std::memory_order_acq_rel)};
    }
  }
}

void free_records::give_back(job_slab& slab, job_record& record) noexcept {
  const free_word one = job_slab::word_of(record);
  if (one.first == now_.first) {
    now_.bits |= one.bits;
    return;
  }
  if (job_slab::is_spare(record)) return slab.give_back(one);
  free_word& slot = returned_[record.index / job_slab::word_records % std::size(returned_)];
  if (slot.first != one.first) {
    if (slot.bits != 0) slab.give_back(slot);
    slot = {one.first, 0};
  }
  slot.bits |= one.bits;
}

void free_records::give_all_back(job_slab& slab) noexcept {
  if (now_.bits != 0) slab.give_back(std::exchange(now_, {}));
  for (free_word& each : returned_) {
    if (each.bits != 0) slab.give_back(std::exchange(each, {}));
  }
}

bool free_records::refill(job_slab& slab) noexcept {
  for (free_word& each : returned_) {
    if (each.bits == 0) continue;
    now_ = std::exchange(each, {});
    return true;
  }
  now_ = slab.take();
  return now_.bits != 0;
}

}  // namespace overture

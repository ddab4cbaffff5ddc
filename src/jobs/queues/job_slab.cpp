// SPDX-License-Identifier: Zlib
#include "jobs/queues/job_slab.hpp"

#include <new>
#include <utility>

namespace overture::jobs_detail {

job_slab::job_slab(allocator& memory, std::size_t records_max) noexcept
    : memory_(memory),
      chunks_allowed_(static_cast<std::uint32_t>(
          records_max >= std::size_t{chunks_max} * chunk_records
              ? chunks_max
              : records_max / chunk_records + (records_max % chunk_records != 0 ? 1 : 0))) {
  void* const spares = memory.allocate(spare_bytes, alignof(job_record), memory_tag::jobs);
  if (spares == nullptr) return;
  chunks_[chunks_max].store(make_records(spares, word_records, spare_begin),
                            std::memory_order_relaxed);
  spares_free_.store(whole_word, std::memory_order_relaxed);
}

job_slab::~job_slab() {
  for (std::uint32_t number = 0; number <= chunks_max; ++number) {
    job_record* const chunk = chunks_[number].load(std::memory_order_relaxed);
    if (chunk == nullptr) continue;
    const bool is_spare = number == chunks_max;
    const std::uint32_t records = is_spare ? word_records : chunk_records;
    for (std::uint32_t i = 0; !is_spare && i < chunk_words; ++i) {
      word_at(number * chunk_words + i).~word_state();
    }
    for (std::uint32_t i = 0; i < records; ++i) chunk[i].~job_record();
    memory_.deallocate(chunk, is_spare ? spare_bytes : chunk_bytes, alignof(job_record),
                       memory_tag::jobs);
  }
}

job_record* job_slab::make_records(void* memory, std::uint32_t count,
                                   std::uint32_t first_index) noexcept {
  auto* const first = static_cast<job_record*>(memory);
  for (std::uint32_t i = 0; i < count; ++i) {
    ::new (static_cast<void*>(first + i)) job_record;
    first[i].index = first_index + i;
  }
  return first;
}

bool job_slab::grow() noexcept {
  if (chunk_count_.load(std::memory_order_relaxed) >= chunks_allowed_) return false;
  void* const memory = memory_.allocate(chunk_bytes, alignof(job_record), memory_tag::jobs);
  if (memory == nullptr) return false;
  // The number is taken after the memory, so that numbers have no gaps.
  std::uint32_t number = chunk_count_.load(std::memory_order_relaxed);
  do {
    if (number >= chunks_allowed_) {
      memory_.deallocate(memory, chunk_bytes, alignof(job_record), memory_tag::jobs);
      return false;
    }
  } while (!chunk_count_.compare_exchange_weak(number, number + 1, std::memory_order_relaxed));

  job_record* const chunk = make_records(memory, chunk_records, number * chunk_records);
  void* const words = chunk + chunk_records;
  for (std::uint32_t i = 0; i < chunk_words; ++i) {
    ::new (static_cast<void*>(static_cast<word_state*>(words) + i)) word_state;
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

job_record* job_slab::take_spare() noexcept {
  std::uint64_t free = spares_free_.load(std::memory_order_relaxed);
  while (free != 0 &&
         !spares_free_.compare_exchange_weak(free, free & (free - 1), std::memory_order_acquire,
                                             std::memory_order_relaxed)) {
  }
  return free != 0 ? &at(spare_begin + static_cast<std::uint32_t>(std::countr_zero(free)))
                   : nullptr;
}

void job_slab::give_back(const free_word& word) noexcept {
  if (is_spare(*word.first)) {
    spares_free_.fetch_or(word.bits, std::memory_order_release);
    return;
  }
  const std::uint32_t number = word.first->index / word_records;
  // Release: whoever takes a record sees what was done to it. Acquire: the push of the word comes
  // after its removal.
  if (word_at(number).free.fetch_or(word.bits, std::memory_order_acq_rel) == 0) push_word(number);
}

free_word job_slab::take() noexcept {
  std::uint64_t seen = words_.load(std::memory_order_acquire);
  for (;;) {
    const auto number = static_cast<std::uint32_t>(seen);
    if (number == no_word) {
      if (!grow()) return {};
      seen = words_.load(std::memory_order_acquire);
      continue;
    }
    word_state& word = word_at(number);
    // Another thread may take the word and write its link; then the head has changed as well.
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
  if (returned_.first != one.first) {
    if (returned_.bits != 0) slab.give_back(returned_);
    returned_ = {one.first, 0};
  }
  returned_.bits |= one.bits;
}

void free_records::give_all_back(job_slab& slab) noexcept {
  if (now_.bits != 0) slab.give_back(std::exchange(now_, {}));
  if (returned_.bits != 0) slab.give_back(std::exchange(returned_, {}));
}

bool free_records::refill(job_slab& slab) noexcept {
  now_ = returned_.bits != 0 ? std::exchange(returned_, {}) : slab.take();
  return now_.bits != 0;
}

}  // namespace overture::jobs_detail

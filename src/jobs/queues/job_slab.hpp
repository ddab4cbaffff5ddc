// SPDX-License-Identifier: Zlib
//
// The memory of job records: chunks that are taken once and kept until the pool ends, and the free
// records in them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "jobs/queues/job_record.hpp"
#include "jobs/queues/sizes.hpp"
#include "overture/base/allocator.hpp"
#include "overture/base/detail/compiler.hpp"
#include "overture/base/limits.hpp"

namespace overture::jobs_detail {

// Free records that lie side by side. A word is a run of records with one bit each.
struct free_word {
  job_record* first = nullptr;  // of the word; null if no record is free
  std::uint64_t bits = 0;
};

class job_slab {
 public:
  static constexpr std::uint32_t chunk_records = sizes::chunk_records;
  static constexpr std::uint32_t chunks_max = sizes::chunks_max;
  // A thread takes a word at a time. Free records are bits rather than a list, so those taken
  // together lie side by side however long the pool has run, and what is submitted in a row is
  // written and read in a row.
  static constexpr std::uint32_t word_records = chunk_records < 64 ? chunk_records : 64;
  static_assert(chunk_records % word_records == 0);

  // `records_max` is rounded up to whole chunks.
  explicit job_slab(allocator& memory, std::size_t records_max = limits::jobs_queued_max) noexcept;
  ~job_slab();
  job_slab(const job_slab&) = delete;
  job_slab& operator=(const job_slab&) = delete;

  // Takes memory for more records. False if it is refused or the limit is reached. Any thread.
  [[nodiscard]] bool grow() noexcept;
  // The free records of some word; none if memory is refused. Any thread.
  [[nodiscard]] free_word take() noexcept;
  void give_back(const free_word& word) noexcept;
  void give_back(job_record& record) noexcept { give_back(word_of(record)); }
  // The record's word with only its own bit.
  [[nodiscard]] static free_word word_of(job_record& record) noexcept {
    const std::uint32_t number = record.index % word_records;
    return {&record - number, std::uint64_t{1} << number};
  }

  [[nodiscard]] job_record& at(std::uint32_t index) const noexcept {
    job_record* const chunk = chunks_[index / chunk_records].load(std::memory_order_acquire);
    return chunk[index % chunk_records];
  }
  // One of a few records beyond the limit, for jobs that must be queued all the same. Null if all
  // are in use or memory was refused. Any thread.
  [[nodiscard]] job_record* take_spare() noexcept;
  [[nodiscard]] static bool is_spare(const job_record& record) noexcept {
    return record.index >= spare_begin;
  }
  // True if it has all the memory it may take. Any thread.
  [[nodiscard]] bool is_at_limit() const noexcept {
    return chunk_count_.load(std::memory_order_relaxed) >= chunks_allowed_;
  }
  // The number of records, spare ones not included.
  [[nodiscard]] std::uint32_t size() const noexcept {
    return chunk_count_.load(std::memory_order_relaxed) * chunk_records;
  }

 private:
  // A word is on the stack of words from the moment its first record comes back until it is taken:
  // the thread that sets its first bit pushes it, and no other thread does.
  struct word_state {
    atomic<std::uint64_t> free{0};
    atomic<std::uint32_t> next{no_word};  // the word below it on the stack
  };
  static constexpr std::uint32_t no_word = UINT32_MAX;
  static constexpr std::uint32_t chunk_words = chunk_records / word_records;
  static constexpr std::uint32_t spare_begin = chunks_max * chunk_records;
  static constexpr std::uint64_t whole_word = ~std::uint64_t{0} >> (64 - word_records);
  static constexpr std::size_t spare_bytes = sizeof(job_record) * word_records;
  static constexpr std::size_t chunk_bytes =
      sizeof(job_record) * chunk_records + sizeof(word_state) * chunk_words;

  // The words of a chunk lie after its records.
  [[nodiscard]] word_state& word_at(std::uint32_t number) const noexcept {
    job_record* const chunk = chunks_[number / chunk_words].load(std::memory_order_acquire);
    return reinterpret_cast<word_state*>(chunk + chunk_records)[number % chunk_words];
  }
  static job_record* make_records(void* memory, std::uint32_t count,
                                  std::uint32_t first_index) noexcept;
  void push_word(std::uint32_t number) noexcept;

  allocator& memory_;
  const std::uint32_t chunks_allowed_;
  alignas(detail::line_bytes) atomic<std::uint64_t> words_{
      no_word};  // removals << 32 | number of the top word
  alignas(detail::line_bytes) atomic<std::uint32_t> chunk_count_{0};
  atomic<job_record*> chunks_[chunks_max + 1]{};  // the last is one word of spare records
  atomic<std::uint64_t> spares_free_{0};
};

// Free records that belong to one thread at a time.
class free_records {
 public:
  // Null if there is none to be had.
  [[nodiscard]] job_record* take(job_slab& slab) noexcept {
    job_record* taken = nullptr;
    return take_several(slab, {&taken, 1}) != 0 ? taken : nullptr;
  }
  // Fills `into` as far as there are records. Returns how many it has taken.
  [[nodiscard]] std::size_t take_several(job_slab& slab, std::span<job_record*> into) noexcept {
    std::size_t count = 0;
    while (count != into.size() && (now_.bits != 0 || refill(slab))) {
      job_record* const first = now_.first;
      std::uint64_t bits = now_.bits;
      for (; count != into.size() && bits != 0; bits &= bits - 1) {
        job_record* const taken = first + std::countr_zero(bits);
        fetch_line(taken);
        into[count++] = taken;
      }
      now_.bits = bits;
    }
    // Another core may have used the next one last: its line is on the way when its turn comes.
    if (now_.bits != 0) fetch_line(now_.first + std::countr_zero(now_.bits));
    return count;
  }
  void give_back(job_slab& slab, job_record& record) noexcept;
  void give_all_back(job_slab& slab) noexcept;

 private:
  [[nodiscard]] bool refill(job_slab& slab) noexcept;

  free_word now_;       // records are taken from here
  free_word returned_;  // what has come back since, of one word
};

}  // namespace overture::jobs_detail

// Where records live: chunks that are taken once and kept until the pool ends, and stacks of
// records linked by their index.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "jobs/job_record.hpp"
#include "jobs/sizes.hpp"
#include "overture/allocator.hpp"
#include "overture/limits.hpp"

namespace overture {

class job_slab;

// Records linked one to the next; not shared.
struct record_chain {
  job_record* first = nullptr;
  job_record* last = nullptr;
  std::uint32_t count = 0;

  // Appends behind the last.
  void append(job_record& record) noexcept;
  void prepend(job_record& record) noexcept;
};

// A stack that any thread may push to and pop from (Treiber's), in whole chains, which base's
// index_stack cannot. The head counts the removals: a head that looks the same has not been away,
// and whoever walks down the stack can tell whether something was taken out under him.
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
  void push(job_record& record) noexcept { push({&record, &record, 1}); }
  // Takes up to `count` records from the top.
  [[nodiscard]] record_chain pop(const job_slab& slab, std::uint32_t count) noexcept;
  [[nodiscard]] record_chain take_all(const job_slab& slab) noexcept;
  // Takes the record on top if nothing has changed since `seen`.
  [[nodiscard]] bool pop_exactly(const job_slab& slab, head seen) noexcept;

 private:
  [[nodiscard]] static std::uint64_t make_head(std::uint64_t removals,
                                               std::uint32_t index) noexcept {
    return removals << 32 | index;
  }

  atomic<std::uint64_t> head_{no_record};
};

// Free records that lie side by side: those of the word's records whose bit is set.
struct free_word {
  job_record* first = nullptr;  // the word's; null without any
  std::uint64_t bits = 0;
};

class job_slab {
 public:
  static constexpr std::uint32_t chunk_records = sizes::chunk_records;
  static constexpr std::uint32_t chunks_max = sizes::chunks_max;
  // What a thread takes at once. Free records are kept as bits and not in a list, so that those
  // taken together lie side by side, however long the pool has run: what is submitted in a row is
  // written and read in a row.
  static constexpr std::uint32_t word_records = chunk_records < 64 ? chunk_records : 64;
  static_assert(chunk_records % word_records == 0);

  // So many records at most, rounded up to whole chunks.
  explicit job_slab(allocator& memory, std::size_t records_max = limits::jobs_queued_max) noexcept;
  ~job_slab();
  job_slab(const job_slab&) = delete;
  job_slab& operator=(const job_slab&) = delete;

  // Takes memory for more records. False if it is refused or the limit is reached. Any thread.
  [[nodiscard]] bool grow() noexcept;
  // All free records of one word; none if memory is refused. Any thread.
  [[nodiscard]] free_word take() noexcept;
  void give_back(const free_word& word) noexcept;
  void give_back(job_record& record) noexcept { give_back(word_of(record)); }
  // The record's word with its bit alone.
  [[nodiscard]] static free_word word_of(job_record& record) noexcept {
    const std::uint32_t number = record.index % word_records;
    return {&record - number, std::uint64_t{1} << number};
  }

  [[nodiscard]] job_record& at(std::uint32_t index) const noexcept {
    job_record* const chunk = chunks_[index / chunk_records].load(std::memory_order_acquire);
    return chunk[index % chunk_records];
  }
  [[nodiscard]] job_record* next_of(const job_record& record) const noexcept {
    const std::uint32_t next = record.next.load(std::memory_order_acquire);
    return next == no_record ? nullptr : &at(next);
  }
  // One of a few records beyond the limit, which come back to where it was taken from: for who has
  // no room for a job and cannot run it. Null if all are in use, or memory is refused. Any thread.
  [[nodiscard]] job_record* take_spare() noexcept;
  [[nodiscard]] static bool is_spare(const job_record& record) noexcept {
    return record.index >= spare_begin;
  }
  // It has all the memory that it may take. Any thread.
  [[nodiscard]] bool is_at_limit() const noexcept {
    return chunk_count_.load(std::memory_order_relaxed) >= chunks_allowed_;
  }
  // All records but the spare ones.
  [[nodiscard]] std::uint32_t size() const noexcept {
    return chunk_count_.load(std::memory_order_relaxed) * chunk_records;
  }

 private:
  // A word lies on the stack from when its first record comes back until it is taken: whoever
  // makes its bits something puts it there, and nobody else does.
  struct word_state {
    atomic<std::uint64_t> free{0};
    atomic<std::uint32_t> next{no_record};  // below it on the stack
  };
  static constexpr std::uint32_t chunk_words = chunk_records / word_records;
  static constexpr std::uint32_t spare_begin = chunks_max * chunk_records;
  static constexpr std::uint64_t whole_word = ~std::uint64_t{0} >> (64 - word_records);
  static constexpr std::size_t chunk_bytes =
      sizeof(job_record) * chunk_records + sizeof(word_state) * chunk_words;

  // The words of a chunk lie behind its records.
  [[nodiscard]] word_state& word_at(std::uint32_t number) const noexcept {
    job_record* const chunk = chunks_[number / chunk_words].load(std::memory_order_acquire);
    return reinterpret_cast<word_state*>(chunk + chunk_records)[number % chunk_words];
  }
  void push_word(std::uint32_t number) noexcept;
  // Both of the word of spare records.
  [[nodiscard]] job_record* make_spares() noexcept;
  void end_spares(job_record* first) noexcept;

  allocator& memory_;
  const std::uint32_t chunks_allowed_;
  alignas(64) atomic<std::uint64_t> words_{no_record};  // removals above the number of the top one
  alignas(64) atomic<std::uint32_t> chunk_count_{0};
  atomic<job_record*> chunks_[chunks_max + 1]{};  // the last one is the word of spare records
  atomic<std::uint64_t> spares_free_{whole_word};
};

// The free records of one thread at a time.
class free_records {
 public:
  // Null if memory is refused.
  [[nodiscard]] job_record* take(job_slab& slab) noexcept {
    if (now_.bits == 0 && !refill(slab)) return nullptr;
    job_record* const taken = now_.first + std::countr_zero(now_.bits);
    now_.bits &= now_.bits - 1;
    fetch_next();
    return taken;
  }
  // As many as are to be had, of those that `into` has room for. Returns how many.
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
    fetch_next();
    return count;
  }
  void give_back(job_slab& slab, job_record& record) noexcept;
  void give_all_back(job_slab& slab) noexcept;

 private:
  [[nodiscard]] bool refill(job_slab& slab) noexcept;
  // Another core may have used the next one last: its line is on the way when its turn comes.
  void fetch_next() const noexcept {
    if (now_.bits != 0) fetch_line(now_.first + std::countr_zero(now_.bits));
  }

  free_word now_;          // taken from here
  free_word returned_[4];  // by number: what a thread runs comes from several words in turn
};

}  // namespace overture

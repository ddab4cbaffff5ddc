// Where records live: chunks that are taken once and kept until the pool ends, and stacks of
// records linked by their index.
#pragma once

#include <cstddef>
#include <cstdint>

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

// Free records, in the bundles in which they came: taking one looks at its first record only, and
// not at every one in turn, which after a while lie anywhere in memory.
class alignas(64) bundle_stack {
 public:
  // All of the chain becomes one bundle.
  void push(const record_chain& chain) noexcept;
  // The whole of the newest bundle, or none.
  [[nodiscard]] record_chain pop(const job_slab& slab) noexcept;

 private:
  atomic<std::uint64_t> head_{no_record};  // the removals above the index, as in record_stack
};

class job_slab {
 public:
  static constexpr std::uint32_t chunk_records = sizes::chunk_records;
  // So many in a bundle of fresh ones: what a thread takes at once.
  static constexpr std::uint32_t bundle_records = chunk_records < 64 ? chunk_records : 64;
  static constexpr std::uint32_t chunks_max = sizes::chunks_max;

  explicit job_slab(allocator& memory) noexcept : memory_(memory) {}
  ~job_slab();
  job_slab(const job_slab&) = delete;
  job_slab& operator=(const job_slab&) = delete;

  // Takes memory for more records. False if it is refused or the limit is reached. Any thread.
  [[nodiscard]] bool grow() noexcept;
  // Up to `count` free records, fewer or none if memory is refused. Any thread.
  [[nodiscard]] record_chain take(std::uint32_t count) noexcept;
  void give_back(const record_chain& chain) noexcept { free_.push(chain); }
  void give_back(job_record& record) noexcept { free_.push({&record, &record, 1}); }

  [[nodiscard]] job_record& at(std::uint32_t index) const noexcept {
    job_record* const chunk = chunks_[index / chunk_records].load(std::memory_order_acquire);
    return chunk[index % chunk_records];
  }
  [[nodiscard]] job_record* next_of(const job_record& record) const noexcept {
    const std::uint32_t next = record.next.load(std::memory_order_acquire);
    return next == no_record ? nullptr : &at(next);
  }
  // More than there can be records: a walk that takes longer runs in circles.
  [[nodiscard]] std::uint32_t size() const noexcept {
    return chunk_count_.load(std::memory_order_relaxed) * chunk_records;
  }

 private:
  // Leaves so many in the chain and returns the rest.
  record_chain cut(record_chain& chain, std::uint32_t count) const noexcept;

  allocator& memory_;
  bundle_stack free_;
  atomic<std::uint32_t> chunk_count_{0};
  atomic<job_record*> chunks_[chunks_max]{};
};

}  // namespace overture

// Where Overture's memory comes from: the host decides.
//
//   tracking_allocator memory;                       // counts, by module, over the default one
//   file_system files{{.memory = &memory}};
//   ... memory.usage(memory_tag::vfs).peak_bytes
//
// allocate() may return null. Overture answers with errc::out_of_memory for the file or call at
// hand and goes on. Memory that third-party libraries take inside a decoder does not pass here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "overture/base/atomic.hpp"

namespace overture {

// The module that an allocation belongs to.
enum class memory_tag : std::uint8_t { base, trace, jobs, io, vfs, load, decode, host };
inline constexpr std::size_t memory_tag_count = 8;
[[nodiscard]] const char* to_string(memory_tag tag) noexcept;

class allocator {
 public:
  virtual ~allocator() = default;

  // Returns `bytes` (> 0) aligned to `alignment` (a power of two), or null. Any thread.
  [[nodiscard]] virtual void* allocate(std::size_t bytes, std::size_t alignment,
                                       memory_tag tag) noexcept = 0;
  // Takes back what allocate() gave, with the same sizes and tag. `memory` may be null. Any thread.
  virtual void deallocate(void* memory, std::size_t bytes, std::size_t alignment,
                          memory_tag tag) noexcept = 0;
};

// malloc. Blocks above 4 MiB that are tagged vfs, the tables of mounts, ask the system for large
// pages (Linux: MADV_HUGEPAGE). Lives for the whole process. Any thread.
[[nodiscard]] allocator& default_allocator() noexcept;

struct memory_usage {
  std::uint64_t bytes = 0;        // allocated now
  std::uint64_t peak_bytes = 0;   // the most at any time
  std::uint64_t allocations = 0;  // calls so far
};

// Counts what passes to another allocator, by tag. Costs two atomic additions a call.
class tracking_allocator final : public allocator {
 public:
  explicit tracking_allocator(allocator& upstream = default_allocator()) noexcept
      : upstream_(upstream) {}

  void* allocate(std::size_t bytes, std::size_t alignment, memory_tag tag) noexcept override;
  void deallocate(void* memory, std::size_t bytes, std::size_t alignment,
                  memory_tag tag) noexcept override;

  [[nodiscard]] memory_usage usage(memory_tag tag) const noexcept;
  [[nodiscard]] memory_usage total() const noexcept;

 private:
  struct alignas(64) counters {
    atomic<std::uint64_t> bytes{0};
    atomic<std::uint64_t> peak_bytes{0};
    atomic<std::uint64_t> allocations{0};

    void add(std::uint64_t amount) noexcept;
    [[nodiscard]] memory_usage read() const noexcept;
  };

  allocator& upstream_;
  counters by_tag_[memory_tag_count];
  counters total_;
};

}  // namespace overture

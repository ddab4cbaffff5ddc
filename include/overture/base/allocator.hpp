// SPDX-License-Identifier: Zlib
//
// Where Overture's memory comes from: an interface that the host can implement.
//
//   tracking_allocator memory;                       // counts by module, on top of malloc
//   file_system files{{.memory = &memory}};
//   ... memory.usage(memory_tag::vfs).peak_bytes
//
// allocate() may return null: the current file or call then fails with errc::out_of_memory, and
// everything else carries on. Memory that third-party libraries allocate inside a decoder does not
// go through this interface.
#pragma once

#include <cstddef>
#include <cstdint>

#include "overture/base/api.hpp"
#include "overture/base/atomic.hpp"

namespace overture {

// The module that an allocation belongs to.
enum class memory_tag : std::uint8_t { base, trace, jobs, io, vfs, load, decode, host };
inline constexpr std::size_t memory_tag_count = 8;
[[nodiscard]] OVERTURE_API const char* to_string(memory_tag tag) noexcept;

class allocator {
 public:
  virtual ~allocator() = default;

  // Allocates `bytes` (> 0) bytes aligned to `alignment` (a power of two); null on failure. Any
  // thread.
  [[nodiscard]] virtual void* allocate(std::size_t bytes, std::size_t alignment,
                                       memory_tag tag) noexcept = 0;
  // Frees memory from allocate(); sizes and tag must be the same. `memory` may be null. Any thread.
  virtual void deallocate(void* memory, std::size_t bytes, std::size_t alignment,
                          memory_tag tag) noexcept = 0;
};

// malloc. Blocks of 2 MiB and more with the tag vfs (the tables of mounts) request large pages
// (Linux: MADV_HUGEPAGE). Never destroyed. Any thread.
[[nodiscard]] OVERTURE_API allocator& default_allocator() noexcept;

struct memory_usage {
  std::uint64_t bytes = 0;        // allocated now
  std::uint64_t peak_bytes = 0;   // the highest value of `bytes` so far
  std::uint64_t allocations = 0;  // number of allocations so far
};

// Forwards to another allocator and counts by tag. Costs a few relaxed atomic additions a call. Any
// thread.
class OVERTURE_API tracking_allocator final : public allocator {
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

// SPDX-License-Identifier: Zlib
//
// How the explorer's atomics and wait layer report to it. Each call is one step, before which other
// threads may run.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace interleave {

// False where there is but one thread: atomics are plain values there.
bool exploring() noexcept;

void begin_life(const void* object) noexcept;
void end_life(const void* object) noexcept;

// Comes before the operation; other threads may run. `value` is the value of an unknown object.
void step(const void* object, std::uint64_t value, const char* what) noexcept;
// The operation itself. A load returns what it sees.
std::uint64_t load(const void* object, std::memory_order order) noexcept;
void store(const void* object, std::uint64_t value, std::memory_order order) noexcept;
void read_modify_write(const void* object, std::uint64_t value, std::memory_order order) noexcept;
// A compare-exchange. It fails if it sees another value than the expected one, which may be an old
// one; a weak one may also fail though it sees that.
struct exchanged {
  bool done;
  std::uint64_t seen;
};
exchanged compare_exchange(const void* object, std::uint64_t expected, std::uint64_t fresh,
                           std::memory_order success, std::memory_order failure,
                           bool weak) noexcept;
// The heavy side of an asymmetric fence.
void fence_all_threads() noexcept;

// Memory that is freed during an execution is not used again before it ends.
void* take_memory(std::size_t bytes, std::size_t alignment) noexcept;
void free_memory(void* memory) noexcept;

// Before each execution: nothing is left of what threads knew in the last one.
void begin_threads_anew() noexcept;

enum class slept : std::uint8_t { not_at_all, until_woken, too_long };

// The wait layer, after step(). `same`: whether the word has the value that the waiter expects.
slept sleep(const void* object, bool same, bool has_deadline) noexcept;
void wake(const void* key, bool all) noexcept;
// Moves the sleepers to the queue from which wakes are relayed. Returns how many.
unsigned move_sleepers(const void* key) noexcept;
void wake_moved(unsigned threads) noexcept;
void yield() noexcept;

}  // namespace interleave

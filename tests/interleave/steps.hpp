// How the explorer's atomics and wait layer report to it. Each call is one step, before which other
// threads may run.
#pragma once

#include <atomic>
#include <cstdint>

namespace interleave {

// False outside of executions, where atomics are plain values.
bool exploring() noexcept;

void begin_life(const void* object) noexcept;
void end_life(const void* object) noexcept;

// Comes before the operation; other threads may run. `value` is the value of an unknown object.
void step(const void* object, std::uint64_t value, const char* what) noexcept;
// The operation itself. A load returns what it sees.
std::uint64_t load(const void* object, std::memory_order order) noexcept;
void store(const void* object, std::uint64_t value, std::memory_order order) noexcept;
void read_modify_write(const void* object, std::uint64_t value, std::memory_order order) noexcept;
// A compare-exchange that fails: it reads the latest value.
void failed_exchange(const void* object, std::memory_order order) noexcept;
// The heavy side of an asymmetric fence.
void fence_all_threads() noexcept;

enum class slept : std::uint8_t { not_at_all, until_woken, too_long };

// The wait layer, after step(). `same`: whether the word has the value that the waiter expects.
slept sleep(const void* object, bool same, bool has_deadline) noexcept;
void wake(const void* key, bool all) noexcept;
// Moves the sleepers to the queue from which wakes are relayed. Returns how many.
unsigned move_sleepers(const void* key) noexcept;
void wake_moved(unsigned threads) noexcept;
void yield() noexcept;

}  // namespace interleave

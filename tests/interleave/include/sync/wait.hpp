// The wait layer of the explorer; stands in for src/sync/wait.hpp.
#pragma once

#include <cstdint>

#include "overture/atomic.hpp"

namespace overture {

enum class wait_status : std::uint8_t { woken, timed_out };

inline wait_status address_wait(const atomic<std::uint32_t>& word, std::uint32_t expected,
                                std::uint64_t deadline_ns) noexcept {
  interleave::step(&word, word.latest(), "wait");
  return interleave::sleep(&word, word.latest() == expected, deadline_ns != 0)
             ? wait_status::woken
             : wait_status::timed_out;
}
inline void address_wake_one(const void* key) noexcept {
  interleave::wake(key, false);
}
inline void address_wake_all(const void* key) noexcept {
  interleave::wake(key, true);
}
inline void address_wake_relayed(const void* key) noexcept {
  interleave::wake_relayed(key);
}
}  // namespace overture

// Counts the calls that wake somebody, for tests of paths that must not. The library keeps no such
// count: it would be one cache line more for every wake. So the linker puts functions in front of
// the library's, in the executables that ask for it (overture_count_wakes in wake_calls.cmake).
#pragma once

#include <cstdint>

namespace overture::test {

// Since the program began, of all threads and over either wait layer. Any thread.
[[nodiscard]] std::uint64_t wake_calls() noexcept;

}  // namespace overture::test

// SPDX-License-Identifier: Zlib
//
// The parts of bench_vfs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness.hpp"

namespace bench {

// Keeps the compiler from removing unused results.
inline void keep(std::uint64_t value) {
  asm volatile("" : : "r"(value) : "memory");
}

// A ZIP archive of stored files, all with this content.
std::string archive_of(const std::vector<std::string>& names, std::string_view content = {});

// Measures trees with each of these numbers of entries.
void measure_lookups(results& out, int rounds, const std::vector<std::size_t>& entries);
// This and measure_mounts() fork, so no other thread may be running.
void measure_opens(results& out, int rounds);
void measure_mounts(results& out, int rounds);
void measure_freeze(results& out, int rounds);
void measure_writes(results& out, int rounds);
// `games` is the folder that `./dev games` fills. Reports a missing game and skips it.
void measure_games(results& out, int rounds, const std::string& games);

}  // namespace bench

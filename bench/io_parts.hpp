// SPDX-License-Identifier: Zlib
//
// The parts of bench_io.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "harness.hpp"

namespace bench {

struct settings {
  int rounds = 9;
  std::size_t files = 5'000;
  std::string folder = "build/bench_io";
  std::string json;
};

[[noreturn]] inline void stop(const char* why) {
  std::fprintf(stderr, "bench_io: %s\n", why);
  std::exit(1);
}

// Loose files, warm and cold, and one pack; in io_files.cpp.
void measure_files(const settings& with, bool warm, bool cold, results& out);

}  // namespace bench

// SPDX-License-Identifier: Zlib
//
// What the parts of bench_sync share.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "harness.hpp"
#include "options.hpp"

namespace bench {

struct settings {
  std::vector<unsigned> threads = {1, 2, 4, 8, 16};
  std::uint64_t polls = 100'000'000;  // of each thread
  std::uint64_t kernel_polls = 100'000;
  std::uint64_t hurdles = 1'000'000;  // in all rounds together
  std::vector<unsigned> sleepers = {0, 1, 4, 16, 31};
  int lowerings = 1000;  // for each number of sleepers
  int rounds = 5;
  std::string plots;
  std::vector<std::string> only;

  [[nodiscard]] bool wants(const std::string& part) const { return is_wanted(only, part); }
};

// Keeps a value from being optimised away.
inline void keep(std::uint64_t value) {
  asm volatile("" : : "r"(value) : "memory");
}

// Runs body(i) on each of `count` threads including the caller, all starting together.
template <class Body>
void on_threads(unsigned count, Body body) {
  std::atomic<unsigned> waiting{count};
  const auto run = [&](unsigned i) {
    waiting.fetch_sub(1);
    while (waiting.load() != 0) std::this_thread::yield();
    body(i);
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < count; ++i) others.emplace_back(run, i);
  run(0);
  for (std::thread& other : others) other.join();
}

// One row of a table: the time that a primitive takes for one operation, by number of threads.
struct row {
  std::string name;
  std::vector<std::pair<unsigned, double>> cells;  // threads, time

  [[nodiscard]] double at(unsigned threads) const {
    for (const auto& [key, value] : cells) {
      if (key == threads) return value;
    }
    return 0;
  }
};

void print_table(const std::string& title, const std::vector<row>& rows,
                 const std::vector<unsigned>& columns, const char* column_name);
void write_plot(const settings& set, const std::string& file, const std::string& title,
                const std::string& x, const std::string& y, const std::vector<row>& rows,
                bool log_x);
// The ratio for one operation, of two variants that ran different numbers of them.
spread ratio_each(const variant& measured, double measured_count, const variant& reference,
                  double reference_count);
double median_ms(const variant& measured);

}  // namespace bench

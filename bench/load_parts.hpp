// SPDX-License-Identifier: Zlib
//
// The parts of bench_load, each with its own references.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness.hpp"

namespace bench {

struct data_set {
  std::string name;
  std::vector<std::filesystem::path> mounts;
  bool deflated = false;
  bool decoded = true;  // false: only if it is named on the command line
};

// Without decoding, compared with the hardware floor and with PhysFS.
void measure_plain(const data_set& data, unsigned threads, int rounds, results& into);
// Decodes and keeps everything, compared with the plain loop on as many threads and in as many
// processes, and with a game that reads with PhysFS on one thread.
void measure_decode(const data_set& data, unsigned threads, int rounds, results& into);
// The cost of recording a timeline, and the main thread's share of the work.
void measure_timeline(const data_set& data, unsigned threads, int rounds, results& into);
// The peak memory of a load that keeps nothing.
void measure_memory(const data_set& data, unsigned threads, int rounds, results& into);
// Assets through handles: beside a load_scope, and beside the frames of a game.
void measure_assets(const data_set& data, unsigned threads, int rounds, results& into);
// The command of preset dev, compared with that of preset release.
void measure_debug(const data_set& data, unsigned threads, int rounds, results& into);
// The game packed into one ZIP, compared with the archives as delivered.
void measure_pack(const data_set& data, unsigned threads, int rounds, results& into);
// How long a simulated disk takes for what a player needs first, by the order of a record.
void measure_layout(const data_set& data, unsigned threads, int rounds, results& into);

}  // namespace bench

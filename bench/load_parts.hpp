// The parts of the benchmark of whole loads, each with its own references.
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
  bool decoded = true;  // false: only if it is asked for by name
};

// Without decoding, beside the floor of the hardware and beside PhysFS.
void measure_plain(const data_set& data, unsigned threads, int rounds, results& into);
// With all decoders and everything kept, beside the plain loop on as many threads, in as many
// processes, and beside a game that reads with PhysFS on one thread.
void measure_decode(const data_set& data, unsigned threads, int rounds, results& into);
// What recording costs, and what the timeline says of the main thread.
void measure_timeline(const data_set& data, unsigned threads, int rounds, results& into);
// The most memory that a load has which keeps nothing.
void measure_memory(const data_set& data, unsigned threads, int rounds, results& into);
// The command of the preset dev beside that of the preset release.
void measure_debug(const data_set& data, unsigned threads, int rounds, results& into);

}  // namespace bench

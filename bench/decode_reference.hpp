// SPDX-License-Identifier: Zlib
//
// The references for loads with decoding. Both keep every output until clear(), in slots that exist
// beforehand.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <vector>

#include "game_files.hpp"
#include "plain_decode.hpp"
#include "references.hpp"

namespace bench {

// Seconds of work.
struct stage_seconds {
  double read = 0;
  double unpack = 0;
  double decode = 0;
  [[nodiscard]] double sum() const { return read + unpack + decode; }
};

struct kept_outputs {
  std::size_t made = 0;
  std::size_t bytes = 0;
};
kept_outputs count(const std::vector<plain_output>& outputs);

// The plain loop over all files: pread, libdeflate and its CRC into reused buffers, then the
// decoding library, then the next file. With several threads, a counter hands out the files.
class plain_loop {
 public:
  explicit plain_loop(const std::vector<std::filesystem::path>& mounts);

  void run(unsigned threads) { run(threads, everything_); }
  void run(unsigned threads, const std::vector<std::size_t>& which);
  void clear();
  [[nodiscard]] kept_outputs outputs() const { return count(outputs_); }
  // Of the files of the latest run.
  [[nodiscard]] stage_seconds seconds() const;
  // All files in `parts` shares of equal work, as measured by the latest run of all files.
  [[nodiscard]] std::vector<std::vector<std::size_t>> split(unsigned parts) const;

 private:
  game_files files_;
  std::vector<std::size_t> everything_;
  std::vector<plain_output> outputs_;
  std::vector<stage_seconds> seconds_;  // of each file
  std::vector<std::unique_ptr<file_loader>> rooms_;
};

// What most games do: on one thread, PhysFS reads a whole file, a library decodes it, next file.
class game_loop {
 public:
  explicit game_loop(const std::vector<std::filesystem::path>& mounts)
      : source_(mounts), outputs_(source_.file_count()) {}

  void run();
  void clear();
  [[nodiscard]] kept_outputs outputs() const { return count(outputs_); }
  // Of the latest run; `read` includes unpacking.
  [[nodiscard]] const stage_seconds& seconds() const { return seconds_; }

 private:
  physfs_reference source_;
  std::vector<plain_output> outputs_;
  stage_seconds seconds_;
};

// Gives free memory back to the system, so that what runs next pays for fresh pages.
void return_free_memory();

}  // namespace bench

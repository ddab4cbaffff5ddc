// SPDX-License-Identifier: Zlib
//
// One call of the interface as words, such as "open_read 2 maps/one.map": what a random sequence is
// made of, and what it is printed and replayed as.
#pragma once

#include <array>
#include <iosfwd>
#include <random>
#include <string>
#include <vector>

#include "physfs/library.hpp"

using operation = std::vector<std::string>;

// Stands for a null pointer in an operation.
inline constexpr const char* null_word = "(null)";

std::ostream& operator<<(std::ostream& out, const operation& done);
// False at the end of the input.
bool read_operation(std::istream& in, operation& next);

operation random_operation(std::mt19937_64& random);

// One library and what a sequence has opened with it.
class player {
 public:
  // The folder has the archives in `zoo`; files are written to its folder `w`.
  player(const library& functions, std::string folder);

  // An empty folder `w`, and a library just initialised.
  void begin();
  void end();

  // What the library answers: values, bytes and the code of the error.
  std::string play(const operation& next);
  // Where only one library opened the file or moved it.
  void close_file_of(const operation& last);

 private:
  struct outcome {
    std::string text;
    bool failed = false;
  };
  outcome ask(const operation& next);
  outcome change(const operation& next);
  outcome use_file(const operation& next);
  outcome open(PHYSFS_File* opened, std::size_t slot);
  outcome list(const char* folder);
  outcome stat(const char* name);
  bool is_written(const char* name);

  const library& functions_;
  std::string folder_;
  std::array<PHYSFS_File*, 4> files_{};
};

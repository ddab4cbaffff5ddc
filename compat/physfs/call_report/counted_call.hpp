// SPDX-License-Identifier: Zlib
//
// One call of the game to the library, measured. Nothing here allocates or takes a lock.
#pragma once

#include <cstdint>

#include "call_report/layout.hpp"

struct PHYSFS_File;

namespace overture::call_report {

// The library calls its own exported functions too: those are not the game's, and not counted.
class counted_call {
 public:
  explicit counted_call(work kind) noexcept;
  ~counted_call();
  counted_call(const counted_call&) = delete;
  counted_call& operator=(const counted_call&) = delete;

  // The library has answered; what follows is not measured.
  void answered(bool well) noexcept;
  // After answered(), whichever applies.
  void opened(const char* name, PHYSFS_File* file) noexcept;
  void looked_for(const char* name, bool found) noexcept;
  void has_read(PHYSFS_File* file, std::uint64_t asked_bytes, std::int64_t got_bytes) noexcept;
  // A whole file in one call.
  void read_whole(const char* name, bool well, std::uint64_t bytes) noexcept;
  void found_length(PHYSFS_File* file, std::int64_t bytes) noexcept;

 private:
  void count_read(std::uint64_t asked_bytes, std::uint64_t got_bytes, bool well,
                  name_counts* name) noexcept;
  // Null if it has no room.
  name_counts* count_opening(const char* name, bool well) noexcept;

  work kind_;
  bool counts_;
  std::uint64_t before_callbacks_;
  std::uint64_t begin_ns_;
  std::uint64_t ns_ = 0;
};

// Before the handle is closed.
void forget(const PHYSFS_File* file) noexcept;
// The game shows a picture.
void note_frame() noexcept;
// Where the library is that the calls go on to.
void note_library(const char* path) noexcept;

// The game's own code, called by the library: its time is not the library's, its calls count.
class in_callback {
 public:
  in_callback() noexcept;
  ~in_callback();
  in_callback(const in_callback&) = delete;
  in_callback& operator=(const in_callback&) = delete;

 private:
  int depth_;
  std::uint64_t begin_ns_;
};

}  // namespace overture::call_report

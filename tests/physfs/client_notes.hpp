// SPDX-License-Identifier: Zlib
//
// What the probe in a game (client_probe.cpp) notes, and when it reports.
//
// The menu is reached when no file has been opened for the first time for OVERTURE_PROBE_QUIET_MS.
// The report goes to the file OVERTURE_PROBE_REPORT; the game then stops at that frame, so that the
// picture stays, and waits to be killed. A game that ends by itself writes its report at exit.
// With OVERTURE_PROBE_FACTS it has one line for each different question and answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

struct PHYSFS_File;

// A hash of results and bytes in the order of the calls.
class digest {
 public:
  void add(std::int64_t value);
  void add(const void* bytes, std::size_t count);
  [[nodiscard]] std::string text() const;

 private:
  std::uint64_t state_ = 0xCBF29CE484222325u;
};

// One call of the game. The library calls its own exported functions too: those are not the game's.
class call {
 public:
  call();
  ~call();
  call(const call&) = delete;
  call& operator=(const call&) = delete;
  // The library has answered; what follows is the probe's own work.
  void answered() const;
  [[nodiscard]] bool is_outermost() const { return is_outermost_; }
  [[nodiscard]] bool wants_facts() const;

 private:
  bool is_outermost_;
  std::uint64_t begin_ns_;
};

// What the game calls while one of these lives, in a callback, are calls of the game again.
class in_callback {
 public:
  in_callback();
  ~in_callback();
  in_callback(const in_callback&) = delete;
  in_callback& operator=(const in_callback&) = delete;

 private:
  int outer_;
};

std::string text_of(const char* text);
// A list that ends with a null.
std::string text_of(char** list);

void note(std::string fact);
// Also remembers which question failed, for note_error().
void note_answer(const std::string& question, std::int64_t answer, bool failed);
void note_error(const call& made, const std::string& error);
// Begins to watch for the menu.
void note_library(const char* path);
void note_open(const call& made, PHYSFS_File* file, const char* name, const char* how);
void note_close(const call& made, PHYSFS_File* file);
// Adds the result of a call, and bytes read or written, to the digest of the file.
void note_result(const call& made, PHYSFS_File* file, std::int64_t result);
void note_bytes(const call& made, PHYSFS_File* file, std::int64_t result, const void* bytes,
                std::size_t count);

// After each frame that the game shows.
void note_frame();

// SPDX-License-Identifier: Zlib
//
// What threads without work wait for: one pure function of the state of a load.
#pragma once

#include <cstdint>

#include "overture/load/load_scope.hpp"

namespace overture::load_detail {

struct idle_facts {
  std::uint32_t reads = 0;                 // outstanding
  std::uint32_t reads_of_blocks = 0;       // how many of these are of files in solid blocks
  std::uint32_t reads_at_once = 1;         // how many the queue does at a time
  std::uint32_t awaiting_room = 0;         // files that the ledger refused room
  std::uint32_t awaiting_main_thread = 0;  // decoded files, for a one-thread sink
  std::uint32_t arrived = 0;               // reads that no thread has come for
  std::uint32_t for_workers = 0;           // files that the main thread has no time for
  bool has_files_left = false;             // that may begin
};

// More memory helps only where the disk has something to spare and the main thread keeps up.
[[nodiscard]] constexpr const char* idle_reason(const idle_facts& now) noexcept {
  const char* const read =
      now.reads_of_blocks < now.reads ? idle_reasons::read : idle_reasons::solid_block;
  if (now.arrived > 0) return idle_reasons::to_run;
  if (now.reads >= now.reads_at_once) return read;
  if (now.awaiting_room > 0) {
    return now.awaiting_main_thread > 0 ? idle_reasons::main_thread : idle_reasons::budget;
  }
  if (now.reads > 0) return read;
  if (now.awaiting_main_thread > 0) return idle_reasons::main_thread;
  if (now.has_files_left) return idle_reasons::to_run;
  return now.for_workers > 0 ? idle_reasons::for_workers : idle_reasons::nothing_left;
}

}  // namespace overture::load_detail

// SPDX-License-Identifier: Zlib
//
// What reads of files are for a store in the explorer: see file_read in asset_store_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "overture/base/executor.hpp"
#include "overture/io/read_queue.hpp"
#include "overture/vfs/file_system.hpp"

namespace interleave {

// Of the program that runs.
extern bool all_cached;
extern overture::executor* first_read;
extern std::uint64_t file_bytes;  // that are said before one is read

// Neither is used.
inline overture::file_system& no_files() {
  alignas(overture::file_system) static std::byte place[sizeof(overture::file_system)];
  return reinterpret_cast<overture::file_system&>(place);
}
inline overture::read_queue& no_reads() {
  alignas(overture::read_queue) static std::byte place[sizeof(overture::read_queue)];
  return reinterpret_cast<overture::read_queue&>(place);
}

}  // namespace interleave

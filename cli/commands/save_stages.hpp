// SPDX-License-Identifier: Zlib
//
// The stages of `overture save-bench`: create objects, save them, load them again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "overture/base/atomic.hpp"
#include "overture/base/error.hpp"
#include "overture/base/replace_file.hpp"
#include "overture/jobs/job_system.hpp"
#include "writing/known_output.hpp"

namespace overture::cli {

enum class save_stage : unsigned char { make, write, store, fetch, verify, parse, compare };
inline constexpr std::size_t save_stage_count = 7;
inline constexpr std::array<const char*, save_stage_count> save_stage_names = {
    "make", "write", "store", "fetch", "verify", "parse", "compare"};
inline constexpr std::array<const char*, save_stage_count> save_stage_texts = {
    "create the objects",         "convert to text, with checksums",
    "write, sync, rename",        "read the file into memory",
    "verify the checksums",       "convert to objects",
    "compare with the saved ones"};

// The position, for a progress bar on another thread.
struct save_position {
  atomic<unsigned> stage{0};
  atomic<std::uint64_t> pages_done{0};  // over all stages that count pages
  atomic<std::uint64_t> pages_total{1};
};

struct save_times {
  std::array<std::uint64_t, save_stage_count> ns = {};
  std::uint64_t objects = 0;
  std::uint64_t pages = 0;
  std::uint64_t bytes = 0;  // of the file
};

struct save_target {
  std::string path;
  replacing how = replacing::allowed;
  known_output* old = nullptr;  // what it may replace; over all rounds
};

// Runs one round and leaves the file. Errors: those of the library; cancelled (after an interrupt,
// until the file is stored); corrupt if the loaded objects differ from the saved ones.
[[nodiscard]] result<save_times> run_save_stages(job_system& jobs, std::size_t objects,
                                                 const save_target& to, save_position& position);

}  // namespace overture::cli

// What `overture save-bench` does: makes objects, saves them, and loads them again, stage by stage.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "overture/base/atomic.hpp"
#include "overture/base/error.hpp"
#include "overture/jobs/job_system.hpp"

namespace overture::cli {

enum class save_stage : unsigned char { make, write, store, fetch, verify, parse, compare };
inline constexpr std::size_t save_stage_count = 7;
inline constexpr std::array<const char*, save_stage_count> save_stage_names = {
    "make", "write", "store", "fetch", "verify", "parse", "compare"};
inline constexpr std::array<const char*, save_stage_count> save_stage_texts = {
    "objects into pages",
    "objects as text, with checksums",
    "to the side, synced, renamed",
    "the file into memory",
    "its checksums",
    "text into objects",
    "with those that were saved"};

// The current position, for a progress bar on another thread.
struct save_position {
  atomic<unsigned> stage{0};
  atomic<std::uint64_t> pages_done{0};  // of all stages that count them
  atomic<std::uint64_t> pages_total{1};
};

struct save_times {
  std::array<std::uint64_t, save_stage_count> ns = {};
  std::uint64_t objects = 0;
  std::uint64_t pages = 0;
  std::uint64_t bytes = 0;  // of the file
};

// One round. The file stays. Errors: those of the library; corrupt if what was loaded is not what
// was saved.
[[nodiscard]] result<save_times> run_save_stages(job_system& jobs, std::size_t objects,
                                                 const std::string& path, save_position& position);

}  // namespace overture::cli

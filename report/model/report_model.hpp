// SPDX-License-Identifier: Zlib
//
// The content of a report, as plain values: see collect.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "overture/base/allocator.hpp"
#include "overture/load/load_scope.hpp"

namespace overture::report_detail {

using stage_times = std::array<std::uint64_t, load_stage_count>;  // nanoseconds

struct report_share {
  std::string name;  // a stage, a reason to wait, or "other"
  bool waiting = false;
  std::uint64_t ns = 0;
};

struct report_verdict {
  std::string name;
  std::uint64_t worker_ns = 0;
  std::vector<report_share> shares;  // largest first
};

struct report_mount {
  std::string path = {};
  std::string format = {};
  std::uint64_t entries = 0;  // files in it
  std::uint64_t files = 0;    // loaded from it
  std::uint64_t failed = 0;
  std::uint64_t bytes = 0;    // unpacked, of the loaded files
  std::uint64_t hidden = 0;   // files overridden by another mount
  std::uint64_t skipped = 0;  // names left out of the tree
  std::uint64_t mount_ns = 0;
  // Solid blocks that were read, and what they took to be read and unpacked, one after another.
  std::uint64_t blocks = 0;
  std::uint64_t block_ns = 0;
};

struct report_type {
  std::string extension;  // lower case; empty for files without one
  std::uint64_t files = 0;
  std::uint64_t failed = 0;
  std::uint64_t bytes = 0;
  std::uint64_t decoded_bytes = 0;
  std::uint64_t ns = 0;                // time in all stages
  std::string what = {};               // a type that is not decoded: "video"; empty if unknown
  std::uint32_t example = UINT32_MAX;  // the entry_index of a file
};

// Files of one kind together.
struct report_group {
  std::uint64_t files = 0;
  std::uint64_t decode_ns = 0;
  std::uint64_t decoded_bytes = 0;
  std::string slowest = {};  // the path of the one that took longest to decode
  std::uint64_t slowest_ns = 0;
};

// Files that are packed one by one with deflate, in whatever format.
struct report_deflated {
  std::uint64_t files = 0;
  std::uint64_t unpack_ns = 0;
};

// A sound that is longer is usually played once, and not again soon.
inline constexpr std::uint64_t long_sound_seconds = 30;

struct report_thread {
  std::string name;
  bool is_worker = true;  // false: a thread of the read queue, which only waits for the disk
  stage_times stage_ns{};
  stage_times stage_cpu_ns{};  // with repeated loads only
  std::uint64_t waiting_ns = 0;
  std::uint64_t cpu_ns = 0;
  std::uint64_t events_lost = 0;

  [[nodiscard]] std::uint64_t busy_ns() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t ns : stage_ns) sum += ns;
    return sum;
  }
};

struct report_file {
  std::string path = {};
  std::string mount = {};
  std::uint64_t bytes = 0;
  stage_times stage_ns{};
  std::uint64_t queued_ns = 0;
  std::uint64_t device_ns = 0;  // that its reads took after the queue
  // Not in the total: its reads waited for another file's to unpack their solid block.
  std::uint64_t block_wait_ns = 0;
  std::uint32_t width = 0;  // of images and textures
  std::uint32_t height = 0;
  std::uint32_t sample_rate = 0;  // of sounds
  std::uint64_t sound_frames = 0;

  // Without the time in the queue, or for a block that another file has unpacked.
  [[nodiscard]] std::uint64_t total_ns() const {
    std::uint64_t sum = device_ns;
    for (const std::uint64_t ns : stage_ns) sum += ns;
    return sum;
  }
};

// One of all files, in tree order.
struct report_row {
  static constexpr std::uint32_t unknown_mount = UINT32_MAX;
  std::string path;
  std::uint32_t mount = 0;  // in report::mounts, or unknown
  file_state state = file_state::none;
  std::uint64_t bytes = 0;
  std::uint64_t began_ns = 0;  // since the load began; 0 if it has not
  stage_times stage_ns{};
  std::uint64_t device_ns = 0;
  std::uint32_t width = 0;  // as in report_file
  std::uint32_t height = 0;
  std::uint32_t sample_rate = 0;
  std::uint64_t sound_frames = 0;
};

// What one file takes of the memory budget.
struct report_need {
  std::string path;
  std::uint64_t packed_bytes = 0;  // 0 if it is stored
  std::uint64_t bytes = 0;
  std::uint64_t decoded_bytes = 0;

  [[nodiscard]] std::uint64_t total() const { return packed_bytes + bytes + decoded_bytes; }
};

struct report_override {
  std::string path;
  std::string winner;
  std::string loser;
};

struct report_failure {
  std::string path;
  std::string mount;
  std::string stage;
  std::string code;
  std::string reason;
};

// A file with a flaw that costs no content, or that some systems cannot have.
struct report_warning {
  std::string path;
  std::string mount;
  std::string reason;
  std::uint64_t offset = 0;  // of the flaw in the file; 0 if it has no place
};

struct report_skipped {
  std::string mount;
  std::string name;
  std::string reason;

  friend bool operator==(const report_skipped&, const report_skipped&) = default;
};

struct report_memory {
  std::string module;
  std::uint64_t peak_bytes = 0;
};

struct load_report {
  bool interrupted = false;
  bool first_wins = false;
  bool is_load = true;  // false: of a program's own zones alone
  unsigned threads = 0;
  unsigned io_threads = 0;
  std::uint64_t mount_ns = 0;    // mounting and freezing
  bool tells_page_cache = true;  // else all that was read counts as from the disk
  load_summary summary;
  report_verdict verdict;
  std::vector<report_mount> mounts;         // in mount order
  std::vector<report_type> types;           // most bytes first
  std::vector<report_thread> threads_used;  // main, workers, read threads
  std::vector<report_file> slowest;         // slowest first
  std::vector<report_row> files;            // in tree order, for a page only
  std::vector<report_override> overrides;   // sorted by path
  std::vector<report_failure> failures;     // sorted by path
  std::vector<report_warning> warnings;     // sorted by path
  // Folders and links that could not be read while mounting: files are missing. In mount order.
  std::vector<report_failure> mount_failures;
  std::vector<report_skipped> skipped;
  std::vector<std::string> hints;  // what the user may have meant otherwise
  // What this report lacks, a sentence each: it was made of files that do not have it.
  std::vector<std::string> missing;
  std::vector<report_memory> memory;  // by module
  std::uint64_t memory_peak_bytes = 0;
  std::uint64_t budget_bytes = 0;  // 0: not known
  report_need largest;             // the file that takes most of it
  report_group long_sounds;        // longer than long_sound_seconds
  report_group images;             // that were unpacked to pixels
  report_deflated deflated;
};

// "8.66 s", or "8.66 s, and 1.14 s to mount" where mounting is more than a twentieth of both.
[[nodiscard]] std::string load_time_text(const load_report& what);

// 16 hexadecimal digits of all files.
[[nodiscard]] std::string hash_text(const load_report& what);

// Says if other programs used the processors, so that times vary; empty if not.
[[nodiscard]] std::string noise_sentence(const load_report& what);

// "decode-bound: 61 % of the 2 threads' time went to decode, 20 % to unpack, ..."
[[nodiscard]] std::string verdict_sentence(const load_report& what);

}  // namespace overture::report_detail

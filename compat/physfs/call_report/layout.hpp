// SPDX-License-Identifier: Zlib
//
// What a game calls of PhysicsFS, counted. The library in report.cpp maps a file of this layout for
// each process, so that the counts outlive a game that is killed; the command reads it afterwards.
// Both are from one build.
#pragma once

#include <cstddef>
#include <cstdint>

#include "overture/base/atomic.hpp"

namespace overture::call_report {

using counter = atomic<std::uint64_t>;

enum class work : std::uint8_t { open, close, read, write, place, look_up, list, mount, other };
inline constexpr std::size_t works = 9;
inline constexpr const char* work_names[works] = {"open",    "close", "read",  "write", "position",
                                                  "look up", "list",  "mount", "other"};

// Reads by the bytes that were asked for.
inline constexpr std::uint64_t read_sizes[] = {1, 4, 16, 256, 4096, 65536, UINT64_MAX};
inline constexpr std::size_t read_size_count = sizeof read_sizes / sizeof *read_sizes;
inline constexpr std::uint64_t tiny_read_bytes_max = 16;

struct work_counts {
  counter calls{0};
  counter ns{0};
  counter failures{0};  // or the answer is no
};

struct thread_counts {
  char name[16] = {};
  counter is_main{0};
  counter ns{0};
  work_counts by_work[works];
  work_counts reads[read_size_count];
  counter read_bytes{0};
};

// Of one name that was opened or looked for.
struct name_counts {
  counter hash{0};  // 0: free
  char name[216] = {};
  counter opens{0};   // to read
  counter misses{0};  // answers of no
  counter reads{0};
  counter tiny_reads{0};
  counter read_bytes{0};
  counter length{0};
};

inline constexpr std::size_t threads_max = 64;  // those after share the last place
inline constexpr std::size_t names_max = 8192;  // those after are not counted by name
inline constexpr char magic[8] = {'O', 'V', 'C', 'A', 'L', 'L', '2', '\n'};

// A game has started when it has opened nothing new for so long, as in tools/clients.py.
inline constexpr std::uint64_t quiet_ns = 2'000'000'000;

// Whether a file that is opened for the first time now still belongs to the start, of which the one
// before was opened at `last_ns`; 0 if there was none.
constexpr bool belongs_to_start(std::uint64_t last_ns, std::uint64_t now_ns) noexcept {
  return last_ns == 0 || now_ns < last_ns + quiet_ns;
}

struct process_report {
  char format[8] = {};
  char program[512] = {};
  char library[512] = {};
  counter begin_ns{0};  // on the monotonic clock
  counter last_ns{0};   // of the last call
  // When the start saw the last file that had not been opened before, see belongs_to_start().
  counter start_ns{0};
  counter start_main_ns{0};   // of it in the library, on the main thread
  counter first_frame_ns{0};  // 0: none was seen
  counter thread_count{0};
  counter lost_names{0};
  thread_counts threads[threads_max];
  name_counts names[names_max];
};

}  // namespace overture::call_report

// SPDX-License-Identifier: Zlib
//
// What a program did while it was watched, as plain values. Times are nanoseconds since the command
// started the program, or since the recorder began where that is not known.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "watch/recorder/layout.hpp"
#include "watch/recorder/zone_table.hpp"

namespace overture::watch {

struct watched_event {
  event_kind kind = event_kind::none;
  std::uint8_t flags = 0;
  std::uint16_t detail = 0;
  // Of a zone and a spin its number; of a release how many threads were known to wait; else a name,
  // 0 for none.
  std::uint32_t id = 0;
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;   // events of one thread nest
  std::uint64_t took_ns = 0;  // as it was measured
  std::uint64_t caller = 0;
  std::uint64_t value = 0;
  // Where the program's own code called what led to it; 0 if that is not known.
  std::uint64_t from = 0;

  [[nodiscard]] bool has(std::uint8_t flag) const { return (flags & flag) != 0; }
  [[nodiscard]] bool failed() const { return has(plain_event::failed); }
  // Where to look for it in the program.
  [[nodiscard]] std::uint64_t place() const { return from != 0 ? from : caller; }
  // How many calls it stands for.
  [[nodiscard]] std::uint64_t calls() const {
    if (kind == event_kind::spin) return value;
    if (kind == event_kind::allocate) return detail;
    return may_repeat(kind) && !failed() ? std::uint64_t{detail} + 1 : 1;
  }
  // A release that was a call of its own.
  [[nodiscard]] bool wakes() const { return kind == event_kind::release && took_ns > 0; }
  // A read, or several that follow each other, of few bytes each.
  [[nodiscard]] bool reads_tiny() const {
    return kind == event_kind::read && bytes_in(value) <= tiny_bytes_max * calls();
  }
};

// What the kernel counted for a thread from its beginning until `at_ns`.
struct kernel_truth {
  std::uint64_t core_ns = 0;
  std::uint64_t queued_ns = 0;
  std::uint64_t major_faults = 0;
  std::uint64_t minor_faults = 0;
  std::uint64_t read_bytes = 0;  // from a device
  std::uint64_t at_ns = 0;
};

// Where a thread was when it was on a core, and looked at.
struct thread_sample {
  std::uint64_t at_ns = 0;
  std::uint64_t address = 0;
  // Where the program's own code called what led to it, as far as the stack tells; else 0.
  std::uint64_t caller = 0;
};
// The same on the monotonic clock, of any process.
struct program_sample {
  std::uint64_t process = 0;
  std::uint64_t thread = 0;
  std::uint64_t at_ns = 0;
  std::uint64_t address = 0;
  std::uint64_t caller = 0;
};
struct sampling {
  std::uint64_t period_ns = 0;  // that each stands for; 0: it was refused
  std::uint64_t fault_ns = 0;   // what a page fault takes on this machine
  std::vector<program_sample> samples = {};
};

struct watched_thread {
  std::string name = {};
  std::uint64_t number = 0;
  bool is_main = false;
  std::uint64_t handle = 0;
  std::uint64_t start = 0;  // the function that it runs
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  bool has_ended = false;
  std::uint64_t lost_events = 0;
  std::optional<kernel_truth> kernel = {};
  std::vector<watched_event> events = {};   // by begin, parents before their children
  std::vector<thread_sample> samples = {};  // by time
};

// What ended a wait.
struct watched_wake {
  std::uint32_t to_thread = 0;
  std::uint32_t to_event = 0;
  std::uint32_t from_thread = 0;
  std::uint64_t from_ns = 0;
};

// The library that records: what is seen of it is no part of the program.
inline constexpr std::string_view recorder_file = "liboverture-watch.so";

struct watched_module {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string path = {};
};

struct watched_process {
  std::string program = {};
  std::uint64_t pid = 0;
  bool is_first = false;        // what the command started
  std::uint64_t zero_ns = 0;    // the zero of all times, on the monotonic clock
  std::uint64_t sample_ns = 0;  // that a sample stands for; 0: there are none
  std::uint64_t fault_ns = 0;   // what a page fault takes; 0: not known
  std::uint64_t recorder_ns = 0;
  std::optional<std::uint64_t> main_ns = {};
  std::uint64_t end_ns = 0;
  bool has_ended = false;               // by itself
  std::vector<std::string> names = {};  // that of number 1 comes first
  std::vector<watched_module> modules = {};
  std::map<std::uint64_t, std::string> functions = {};  // that places of calls are in
  std::map<std::uint64_t, std::string> lines = {};      // of them: "loader.cpp:120"
  std::vector<watched_thread> threads = {};             // by begin
  std::vector<watched_wake> wakes = {};                 // by to_thread and to_event
  std::uint64_t lost_events = 0;
  std::uint64_t lost_names = 0;
  std::uint64_t lost_threads = 0;
  std::uint64_t unknown = 0;  // bits of process_head::unknown

  [[nodiscard]] std::string_view name(std::uint32_t number) const {
    return number == 0 || number > names.size() ? std::string_view() : names[number - 1];
  }
  // Whether an address is in the program or in a library that it brings along.
  [[nodiscard]] bool is_own(std::uint64_t address) const;
  // The code that an address is in; null if that is not known.
  [[nodiscard]] const watched_module* module_of(std::uint64_t address) const;
  // "Loader::open (loader.cpp:120) in game", without debug information "Loader::open in game",
  // "libpng16.so.16+0x1a2b" without symbols, or the address.
  [[nodiscard]] std::string place_of(std::uint64_t address) const;
  // The function of a sample, or its file where that has no symbols.
  [[nodiscard]] std::string code_at(std::uint64_t address) const;
  // The name of the file alone.
  [[nodiscard]] std::string file_at(std::uint64_t address) const;
};

// A row of the table of zones.
struct zone_row {
  const char* function = "";
  const char* library = "";
  zone_work work = zone_work::images;
};
[[nodiscard]] const zone_row& zone_of(std::uint32_t number);
[[nodiscard]] const char* words_of(zone_work work);   // "decoding images"
[[nodiscard]] const char* words_of(spin_call call);   // "sched_yield()"
[[nodiscard]] const char* words_of(event_kind kind);  // "read", "a lock"

}  // namespace overture::watch

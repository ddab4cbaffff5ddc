// SPDX-License-Identifier: Zlib
//
// What the recorder writes: one file for each process, mapped while the process runs, so that a
// crash or a kill loses nothing. The model reads it afterwards; both are from one build.
//
//   head · threads · name slots · names (texts, grows) · chunks of events (grows)
//
// Every event has 32 bytes, four words. The first is written last, and an event whose kind is 0 was
// not written. All times are since process_head::begin_ns, on the monotonic clock.
#pragma once

#include <fcntl.h>

#include <cstddef>
#include <cstdint>

#include "overture/base/atomic.hpp"

namespace overture::watch {

using counter = atomic<std::uint64_t>;

enum class event_kind : std::uint8_t {
  none,
  open,        // of a file; failed, if it was not there
  read,        // id: the file; value: place and bytes
  write,       // the same
  look_up,     // stat, access and the like
  list,        // a folder from its opening to its closing; value: entries
  map,         // a file into memory; value: place and bytes
  sync,        // fsync and the like
  load_code,   // dlopen; value: its flags; takes no time here
  wait_mutex,  // the first kind of wait; value: the address
  wait_lock,   // for reading or writing
  wait_condition,
  wait_semaphore,
  wait_futex,
  wait_join,   // value: the handle of the thread
  wait_sleep,  // value: how long it asked for, in nanoseconds
  wait_poll,   // id: what the first descriptor is; value: the time-out in milliseconds
  wait_reply,  // a read or a connection of a socket; id: what it is connected with
  release,     // of what others waited for; value: the address, id: how many were known to wait;
               // it took time if it was a call that wakes
  zone,        // a function of a library; id: its number in the table
  frame,       // shown
  spin,        // a call over and over, with nothing else between; id: which; value: how often
  allocate,    // calls of malloc() and the like until now; detail: how many; value: what they took
  seek,        // in a FILE, that read a block; value: place and bytes of that
  close,       // of a file
};
inline constexpr std::uint8_t event_kinds = 25;

// What is called by threads that wait on a core.
enum class spin_call : std::uint8_t {
  none,
  yield,
  trylock,  // in vain
  clock,
  poll,  // in vain, and without a time-out
  lock,  // which spins itself
};
inline constexpr std::uint8_t spin_calls = 6;

constexpr bool is_wait(event_kind kind) noexcept {
  return kind >= event_kind::wait_mutex && kind <= event_kind::wait_reply;
}

// Of these, calls that follow each other at once are one event.
constexpr bool may_repeat(event_kind kind) noexcept {
  return kind == event_kind::read || kind == event_kind::wait_poll || kind == event_kind::zone ||
         kind == event_kind::release;
}
// Reads of so few bytes are tiny; only those are put together.
inline constexpr std::uint64_t tiny_bytes_max = 64;

// An event before it is packed. Numbers that have no room are cut to the largest.
struct plain_event {
  static constexpr std::uint8_t failed = 1;    // detail: the errno
  static constexpr std::uint8_t stdio = 2;     // through a FILE
  static constexpr std::uint8_t unseen = 4;    // read by functions that are not watched
  static constexpr std::uint8_t timeout = 8;   // a wait that ended by itself
  static constexpr std::uint8_t already = 16;  // opened while a descriptor of it was open

  event_kind kind = event_kind::none;
  std::uint8_t flags = 0;
  std::uint64_t begin_ns = 0;  // 48 bits
  std::uint64_t took_ns = 0;   // 40 bits
  std::uint32_t id = 0;        // 24 bits
  std::uint64_t caller = 0;    // 48 bits: where the call returns to
  std::uint16_t detail = 0;    // the errno, or how many more calls it stands for
  std::uint64_t value = 0;
};

// Places and bytes of a read.
inline constexpr unsigned place_bits = 40;
inline constexpr std::uint64_t place_max = (std::uint64_t{1} << place_bits) - 1;
inline constexpr std::uint64_t piece_bytes_max = (std::uint64_t{1} << 24) - 1;
constexpr std::uint64_t at_place(std::uint64_t place, std::uint64_t bytes) noexcept {
  const std::uint64_t known = place < place_max ? place : place_max;
  return known | (bytes < piece_bytes_max ? bytes : piece_bytes_max) << place_bits;
}
constexpr std::uint64_t place_in(std::uint64_t value) noexcept {
  return value & place_max;
}
constexpr std::uint64_t bytes_in(std::uint64_t value) noexcept {
  return value >> place_bits;
}

struct packed_event {
  counter words[4];
};
static_assert(sizeof(packed_event) == 32);

constexpr std::uint64_t at_most(std::uint64_t number, unsigned bits) noexcept {
  const std::uint64_t most = (std::uint64_t{1} << bits) - 1;
  return number < most ? number : most;
}

inline void pack(const plain_event& from, packed_event& to) noexcept {
  constexpr auto relaxed = std::memory_order_relaxed;
  to.words[1].store(at_most(from.took_ns, 40) | std::uint64_t{from.id} << 40, relaxed);
  to.words[2].store(at_most(from.caller, 48) | std::uint64_t{from.detail} << 48, relaxed);
  to.words[3].store(from.value, relaxed);
  to.words[0].store(at_most(from.begin_ns, 48) |
                        static_cast<std::uint64_t>(static_cast<std::uint8_t>(from.kind)) << 48 |
                        std::uint64_t{from.flags} << 56,
                    std::memory_order_release);
}

constexpr plain_event unpacked(const std::uint64_t (&words)[4]) noexcept {
  constexpr auto low = [](std::uint64_t word, unsigned bits) {
    return word & ((std::uint64_t{1} << bits) - 1);
  };
  const auto kind = static_cast<std::uint8_t>(words[0] >> 48);
  return {.kind = kind < event_kinds ? static_cast<event_kind>(kind) : event_kind::none,
          .flags = static_cast<std::uint8_t>(words[0] >> 56),
          .begin_ns = low(words[0], 48),
          .took_ns = low(words[1], 40),
          .id = static_cast<std::uint32_t>(words[1] >> 40),
          .caller = low(words[2], 48),
          .detail = static_cast<std::uint16_t>(words[2] >> 48),
          .value = words[3]};
}

// Whether a file that is opened with these flags is one to read from: what is made then is not.
constexpr bool reads_content(std::uint64_t flags) noexcept {
  return (flags & O_ACCMODE) != O_WRONLY && (flags & O_CREAT) == 0;
}

inline constexpr char magic[8] = {'O', 'V', 'W', 'A', 'T', 'C', 'H', '1'};

// Code in memory: a program or a library.
struct code_module {
  counter begin{0};
  counter end{0};
  counter name{0};  // written last; 0: none
};
inline constexpr std::size_t modules_max = 1024;

// What hides other things.
inline constexpr std::uint64_t has_own_allocator = 1;
inline constexpr std::uint64_t has_raw_threads = 2;  // by clone()
inline constexpr std::uint64_t has_other_root = 4;   // by chroot()

struct process_head {
  char format[8] = {};
  counter pid{0};
  counter begin_ns{0};        // when the recorder began, on the monotonic clock
  counter started_ns{0};      // when the command started the program, if this is what it started
  counter main_ns{0};         // main() was called; 0: not yet
  counter end_ns{0};          // the process ended by itself; 0: it was killed, or still runs
  counter program{0};         // a name
  counter first_frame_ns{0};  // 0: none was shown
  counter last_new_ns{0};     // when a file was opened that had not been opened before
  counter thread_count{0};
  counter chunk_count{0};
  counter chunks_ready{0};  // that the disk has the room for
  counter names_end{0};     // in bytes
  counter names_ready{0};
  counter name_count{0};
  counter lost_events{0};
  counter lost_names{0};
  counter lost_threads{0};
  counter unknown{0};  // bits: what the program did that hides other things
  counter module_count{0};
  code_module modules[modules_max];
};

// What the kernel counted for a thread.
struct kernel_counts {
  counter core_ns{0};    // on a core
  counter queued_ns{0};  // ready, without a core
  counter major_faults{0};
  counter minor_faults{0};
  counter read_bytes{0};  // from a device
  counter at_ns{0};       // when they were read; 0: never
};

struct thread_entry {
  counter number{0};  // of the system; 0: the thread has not begun
  counter handle{0};  // pthread_t
  counter made_ns{0};
  counter maker{0};  // the thread that made it, plus 1
  counter begin_ns{0};
  counter end_ns{0};
  counter start{0};  // the function that it runs
  counter lost_events{0};
  atomic<char> name[16] = {};
  kernel_counts kernel;
  // A wait that goes on: its kind, address and place; began_ns is 0 if there is none.
  counter waits_since_ns{0};
  counter waits_kind{0};
  counter waits_for{0};
  counter waits_at{0};
  // Until it has begun: what it is to do.
  void* (*routine)(void*) = nullptr;
  void* argument = nullptr;
  char reserved[80] = {};
};
static_assert(sizeof(thread_entry) == 256);
inline constexpr std::size_t threads_max = 2048;

// A text has its length in front, in 4 bytes, and begins at a multiple of 4. A slot has the place
// of the length, plus 1, in its upper half, and half of the text's hash below. The number of a name
// is that of its slot, plus 1.
inline constexpr std::size_t name_slots = std::size_t{1} << 17;
inline constexpr std::size_t names_bytes_max = std::size_t{16} << 20;
inline constexpr std::size_t name_bytes_max = 4096;

// The first 32 bytes of a chunk are its head.
struct chunk_head {
  counter thread{0};  // its place, plus 1; 0: not taken
  char reserved[24] = {};
};
static_assert(sizeof(chunk_head) == sizeof(packed_event));
inline constexpr std::size_t chunk_bytes = 4096;
inline constexpr std::size_t chunk_events = chunk_bytes / sizeof(packed_event) - 1;
inline constexpr std::size_t chunks_max_default = std::size_t{1} << 14;  // 64 MiB, 2 million events

// Places in the file.
constexpr std::size_t to_page(std::size_t bytes) noexcept {
  return (bytes + 4095) / 4096 * 4096;
}
inline constexpr std::size_t threads_at = to_page(sizeof(process_head));
inline constexpr std::size_t slots_at = threads_at + threads_max * sizeof(thread_entry);
inline constexpr std::size_t names_at = slots_at + name_slots * sizeof(counter);
inline constexpr std::size_t chunks_at = names_at + names_bytes_max;

// What the first descriptors are called.
inline constexpr const char* output_name = "(standard output)";
inline constexpr const char* error_name = "(standard error)";

// Variables that the command sets for the recorder.
// A file in the folder: a program that is not watched has been started.
inline constexpr const char* others_file = "others";
inline constexpr const char* folder_variable = "OVERTURE_WATCH";           // where files go
inline constexpr const char* parent_variable = "OVERTURE_WATCH_PARENT";    // the command's process
inline constexpr const char* started_variable = "OVERTURE_WATCH_STARTED";  // nanoseconds
inline constexpr const char* follow_variable = "OVERTURE_WATCH_FOLLOW";    // all descendants
inline constexpr const char* chunks_variable = "OVERTURE_WATCH_CHUNKS";    // at most

}  // namespace overture::watch

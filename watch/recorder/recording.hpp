// SPDX-License-Identifier: Zlib
//
// How the functions of the recorder write down what they see. Nothing here allocates, takes a lock
// or changes errno. Before the recorder has a file, and where it has none, nothing is written.
#pragma once

#include <cerrno>
#include <cstdint>
#include <ctime>

#include "watch/recorder/layout.hpp"
#include "watch/recorder/next_function.hpp"

namespace overture::watch {

class process_file;

// What this thread wrote last, if the same call may follow at once.
struct repeated_call {
  packed_event* written = nullptr;  // null: nothing may follow
  plain_event event;                // its begin on the monotonic clock
  std::uint64_t end_ns = 0;         // of the last call
};

// A call that is made over and over, with nothing else recorded between.
struct spin_run {
  spin_call call = spin_call::none;
  std::uintptr_t caller = 0;
  std::uint64_t calls = 0;
  std::uint64_t begin_ns = 0;
  std::uint64_t core_ns = 0;  // that the thread had had when a clock was looked at
  packed_event* written = nullptr;
  const packed_event* next = nullptr;  // what the thread writes next, if nothing else is recorded
};

// Where this thread writes.
struct thread_log {
  std::uint64_t of = 0;  // the process; another one after a fork
  packed_event* next = nullptr;
  packed_event* end = nullptr;
  thread_entry* entry = nullptr;  // null: it has no place
  bool code_changed = false;
  repeated_call last;
  packed_event* last_written = nullptr;
  spin_run spin;
};
extern __attribute__((tls_model("initial-exec"))) thread_local constinit thread_log this_log;

// The file of this process. Null: nothing is recorded.
[[nodiscard]] process_file* recorded_process() noexcept;
// The same, where the thread has its place in it: null if it has none.
[[nodiscard]] thread_log* recorded_thread() noexcept;
// The same, but nothing begins: null if the process or the thread has not.
[[nodiscard]] thread_log* recorded_thread_if_begun() noexcept;

// Not through what the recorder takes the place of.
extern constinit next_function<int(clockid_t, timespec*)> next_clock_gettime;

[[nodiscard]] inline std::uint64_t clock_ns() noexcept {
  timespec now{};
  (void)next_clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

// What a measured call seems to take if it takes nothing.
extern std::uint64_t clock_cost_ns;

// Its begin is on the monotonic clock.
void record(plain_event event) noexcept;
// In the place of what was written there.
void write_again(plain_event event, packed_event& to) noexcept;
// Adds a call to the last one, if it is the same again; its begin does not matter. False if it is
// another one.
[[nodiscard]] bool repeats(plain_event event) noexcept;

// A call of those that spinning threads make.
void note_spin(spin_call call, std::uintptr_t caller) noexcept;

// The number of a name, 0 if there is no room. A path that is not absolute is meant from the
// current folder, or from `folder`, a name.
[[nodiscard]] std::uint32_t name_number(const char* text, std::size_t bytes) noexcept;
[[nodiscard]] std::uint32_t path_number(const char* path, std::uint32_t folder = 0) noexcept;
void note_current_folder() noexcept;

// Keeps errno.
class kept_errno {
 public:
  kept_errno() noexcept : kept_(errno) {}
  ~kept_errno() { errno = kept_; }
  kept_errno(const kept_errno&) = delete;
  kept_errno& operator=(const kept_errno&) = delete;

 private:
  int kept_;
};

// --- Waits ---------------------------------------------------------------------------------------

// How many threads wait for something at an address, or at others of the same place. What no thread
// waits for is released without a clock.
inline constexpr std::size_t waiter_places = 4096;
extern atomic<std::uint32_t> waiters[waiter_places];
[[nodiscard]] inline atomic<std::uint32_t>& waiters_of(const volatile void* address) noexcept {
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  return waiters[(number >> 3 ^ number >> 15) % waiter_places];
}

// A wait that begins now and ends with end().
class wait_note {
 public:
  wait_note(event_kind kind, const volatile void* address, std::uintptr_t caller) noexcept;
  void end(std::uint8_t flags = 0) noexcept;

 private:
  event_kind kind_;
  const volatile void* address_;
  std::uintptr_t caller_;
  std::uint64_t begin_ns_;
};

// Before the release.
void note_release(const volatile void* address, std::uintptr_t caller) noexcept;
inline void releases(const volatile void* address, std::uintptr_t caller) noexcept {
  if (waiters_of(address).load(std::memory_order_relaxed) != 0) [[unlikely]] {
    note_release(address, caller);
  }
}

// Whether the program's calls of malloc() are those that are counted.
[[nodiscard]] bool allocates_here() noexcept;

// --- The process ---------------------------------------------------------------------------------

// A place for a thread that will be made; null if there is none.
[[nodiscard]] thread_entry* claim_thread() noexcept;
// This thread has that place.
void adopt(thread_entry& entry) noexcept;
void note_main() noexcept;
// One of the bits of process_head::unknown.
void note_unknown(std::uint64_t bit) noexcept;
// This thread is not recorded any longer: another one has its memory of a thread, too.
void give_up_thread() noexcept;
// A file was opened to be read: for those who wait until nothing new is opened any more.
void note_content(std::uint32_t name, std::uint64_t clock) noexcept;
void note_frame(std::uint64_t clock) noexcept;
// Reads what the kernel counted for all threads.
void note_end() noexcept;
// What is mapped as code is looked at again soon.
void code_has_changed() noexcept;

}  // namespace overture::watch

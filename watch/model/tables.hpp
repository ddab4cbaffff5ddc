// SPDX-License-Identifier: Zlib
//
// Tables of a load, for people who look closer. All end with the load.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "watch/model/load_view.hpp"

namespace overture::watch {

// What calls from one place took.
struct site_row {
  std::uint64_t caller = 0;
  std::string what = {};  // "read", "a lock", "png_read_image"
  bool is_wait = false;
  std::uint64_t calls = 0;
  std::uint64_t ns = 0;
};
// Longest first.
[[nodiscard]] std::vector<site_row> call_sites(const load_view& view);

// What was on a core, by samples, with what watched functions did.
struct code_row {
  std::string place = {};  // "Loader::open in game"
  std::uint64_t main_ns = 0;
  std::uint64_t others_ns = 0;  // other threads
};
[[nodiscard]] std::vector<code_row> code_rows(const load_view& view);

struct lock_row {
  std::uint64_t address = 0;
  event_kind kind = event_kind::wait_mutex;
  std::uint64_t waits = 0;
  std::uint64_t ns = 0;       // of all threads together
  std::uint64_t caller = 0;   // where most of it was waited
  std::uint64_t threads = 0;  // that waited
};
[[nodiscard]] std::vector<lock_row> lock_rows(const load_view& view);

// A thread's life, until the kernel counted: core + queued + waits + unknown.
struct thread_row {
  std::uint32_t thread = 0;  // in process.threads
  std::string name = {};     // no other one has it
  std::uint64_t life_ns = 0;
  std::uint64_t core_ns = 0;
  std::uint64_t queued_ns = 0;
  std::uint64_t wait_ns = 0;
  std::uint64_t unknown_ns = 0;
  bool is_known = false;  // what the kernel counted
};
[[nodiscard]] std::vector<thread_row> thread_rows(const watched_process& process);
// Of one of its threads, without the name and the number.
[[nodiscard]] thread_row row_of(const watched_thread& thread);
// "main", "loader", "loader 4711" where several have the name.
[[nodiscard]] std::vector<std::string> thread_names(const watched_process& process);

}  // namespace overture::watch

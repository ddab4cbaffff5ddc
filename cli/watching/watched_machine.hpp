// SPDX-License-Identifier: Zlib
//
// Where and when a program was watched: times of two machines, or of a cold and a warm start, are
// not to be compared.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>

#include "watch/model/load_view.hpp"

namespace overture::cli {

struct watched_machine {
  unsigned processors = 0;
  std::string processor = {};  // its name; empty: the system does not tell
  std::string system = {};     // "Linux 6.1.0"
  std::string date = {};       // "2026-11-30 15:57 UTC"
};
[[nodiscard]] watched_machine this_machine(std::time_t now);

// What the kernel takes for a page of memory that is touched for the first time; 0: not known.
[[nodiscard]] std::uint64_t page_fault_ns();

// "2 processors (AMD EPYC), Linux 6.1.0, 2026-11-30 15:57 UTC."
[[nodiscard]] std::string machine_sentence(const watched_machine& of);
// What a device gave in the whole run, code that was mapped included; nothing if the kernel did not
// count.
[[nodiscard]] std::optional<std::uint64_t> device_bytes(const watch::watched_process& process);
// Whether what was read came from the page cache: "Warm: ..."; empty if the kernel did not count.
[[nodiscard]] std::string cache_sentence(const watch::load_view& view);

}  // namespace overture::cli

// SPDX-License-Identifier: Zlib
//
// What made a load long: each finding is a function of what was seen, and says in plain words what
// it is, how long it took, what shows that, and what to do.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "watch/model/load_view.hpp"

namespace overture::watch {

enum class finding_kind : std::uint8_t {
  lock_over_files,
  contended_lock,
  sleeping,
  polling,
  waking,
  spinning,
  allocating,
  decodes_alone,
  decodes_on_main,
  tiny_reads,
  read_again,
  seeking,
  opens_again,
  many_files,
  misses,
  look_ups,
  listing,
  cold_reads,
  writing,
  printing,
  servers,
  programs,
  window,
  graphics,
  fonts,
  frames,
  exceptions,
  computing,
  unseen,
  new_memory,
  before_main,
};
// "lock-over-files"
[[nodiscard]] const char* to_string(finding_kind kind);

struct finding {
  finding_kind kind = finding_kind::contended_lock;
  // What the load would be shorter by, at most: of what several threads did, the longest.
  std::uint64_t ns = 0;
  std::string what = {};                   // a sentence
  std::vector<std::string> evidence = {};  // likewise
  std::string advice = {};
};

// The longest first; none that took less than a hundredth of the load, or ten milliseconds.
[[nodiscard]] std::vector<finding> findings_of(const load_view& view);

// What the main thread did until the load was over, the longest first: adds up to the load.
struct main_part {
  std::string what = {};  // "decoding and unpacking", "a lock"
  std::uint64_t ns = 0;
  bool is_wait = false;
};
[[nodiscard]] std::vector<main_part> main_parts(const load_view& view);

// "Menu after 1.23 s, and the main thread spent 61 % of it decoding images."
[[nodiscard]] std::string verdict_of(const load_view& view);

// A read that the page cache cannot have served.
[[nodiscard]] bool waits_for_disk(const watched_event& event);
// What a thread did in the driver of graphics, by samples and outside of calls that are watched.
[[nodiscard]] std::map<std::string, std::uint64_t> driver_code(const thread_use& of);
// What was not seen in this run, in sentences.
[[nodiscard]] std::vector<std::string> limits_of(const load_view& view);

// The parts.
void find_locks(const load_view& view, std::vector<finding>& to);
void find_sleeps(const load_view& view, std::vector<finding>& to);
void find_waking(const load_view& view, std::vector<finding>& to);
void find_spins(const load_view& view, std::vector<finding>& to);
void find_allocations(const load_view& view, std::vector<finding>& to);
void find_decoding(const load_view& view, std::vector<finding>& to);
void find_reads(const load_view& view, std::vector<finding>& to);
void find_names(const load_view& view, std::vector<finding>& to);
void find_computing(const load_view& view, std::vector<finding>& to);
void find_unwatched(const load_view& view, std::vector<finding>& to);
void find_frames(const load_view& view, std::vector<finding>& to);
void find_writing(const load_view& view, std::vector<finding>& to);
void find_other_work(const load_view& view, std::vector<finding>& to);

}  // namespace overture::watch

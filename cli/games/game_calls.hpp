// SPDX-License-Identifier: Zlib
//
// What a game called of PhysicsFS while `overture physfs-env --report` ran it, and what follows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/style.hpp"

namespace overture::cli {

struct calls_of_kind {
  std::string kind;
  std::uint64_t calls = 0;
  std::uint64_t ns = 0;
  std::uint64_t failures = 0;  // or the answer is no
};

struct calls_of_thread {
  std::string name;
  bool is_main = false;
  std::uint64_t calls = 0;
  std::uint64_t ns = 0;
};

struct calls_for_name {
  std::string name;
  std::uint64_t opens = 0;   // to read
  std::uint64_t misses = 0;  // answers of no
  std::uint64_t reads = 0;
  std::uint64_t tiny_reads = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t length = 0;  // 0: the game did not ask

  // That often, and so many bytes, were read beyond the first time.
  [[nodiscard]] std::uint64_t repeats() const { return opens > 1 ? opens - 1 : 0; }
  [[nodiscard]] std::uint64_t repeated_bytes() const;
};

struct reads_of_size {
  std::uint64_t up_to = 0;  // bytes that were asked for; UINT64_MAX for more
  std::uint64_t reads = 0;
  std::uint64_t ns = 0;
};

struct game_calls {
  std::string program;
  std::string library;
  std::uint64_t run_ns = 0;    // from the first call to the last
  std::uint64_t start_ns = 0;  // until no file was opened for the first time for 2 s
  std::optional<std::uint64_t> first_frame_ns;
  std::uint64_t start_main_ns = 0;  // of it inside the library, on the main thread
  std::uint64_t read_bytes = 0;
  std::uint64_t tiny_reads = 0;
  std::uint64_t lost_names = 0;  // that had no room
  std::vector<calls_of_kind> kinds;
  std::vector<reads_of_size> reads;
  std::vector<calls_of_thread> threads;
  std::vector<calls_for_name> names;

  [[nodiscard]] const calls_of_kind& kind(std::string_view name) const;
  [[nodiscard]] std::uint64_t read_calls() const { return kind("read").calls; }
};

// Those of every process that called it, in a folder that the counting library was given.
[[nodiscard]] std::vector<game_calls> read_game_calls(const std::string& folder);

// What to change in the game: sentences, only where the numbers say so.
[[nodiscard]] std::vector<std::string> advice_for(const game_calls& calls);

[[nodiscard]] std::string game_calls_text(const game_calls& calls, const text_style& style);
// What a report as JSON begins with.
inline constexpr std::string_view game_calls_json_beginning =
    "{\n  \"schema\": 1,\n  \"processes\": [";
[[nodiscard]] std::string game_calls_json(const std::vector<game_calls>& all);

}  // namespace overture::cli

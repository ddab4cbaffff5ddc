// SPDX-License-Identifier: Zlib
//
// The alternatives: other ways to write and read numbers and objects.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text_objects.hpp"

namespace bench {

// "y 12.34\n" for each unit.
struct formatter {
  std::string name;
  std::size_t (*write)(const army& units, char* out);
};

const std::vector<formatter>& formatters();
inline std::size_t write_with(const formatter& with, const army& units, char* out) {
  return with.write(units, out);
}

// The obvious loop: std::execution::par over the pages, snprintf into preassigned slots, then one
// pass that closes the gaps. Returns the size in bytes.
std::size_t classic_loop(const army& units, char* out);

// Read this many lines of "y 12.34" into a `paged` with the C library. `text` ends with NUL.
void read_with_sscanf(const char* text, std::size_t count, army& units);
void read_with_strtof(const char* text, std::size_t count, army& units);

// Writes the same as text::script<"unit">.
char* write_script_with_fmt(char* out, const soldier& each);
// Writes the same as text::json.
char* write_json_with_fmt(char* out, const hero& each);
// The same. Only with BENCH_GLAZE.
char* write_json_with_glaze(char* out, const json_soldier& each);
char* write_json_with_glaze(char* out, const hero& each);
// Reads lines of JSON. Only with BENCH_GLAZE.
void read_json_with_glaze(std::string_view text, overture::paged<hero>& heroes);

}  // namespace bench

// The other ways to write a number.
#pragma once

#include <cstddef>
#include <string>
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

// The loop that one writes first: std::execution::par over the pages, snprintf into slots laid out
// beforehand, then one pass that closes the gaps. Returns the bytes.
std::size_t classic_loop(const army& units, char* out);

// Reads so many lines of "y 12.34" back into a paged, as one would with the C library. `text` ends
// with NUL.
void read_with_sscanf(const char* text, std::size_t count, army& units);
void read_with_strtof(const char* text, std::size_t count, army& units);

// What text::script<"unit"> writes.
char* write_script_with_fmt(char* out, const soldier& each);
// What text::json writes. Only there with BENCH_GLAZE.
char* write_json_with_glaze(char* out, const json_soldier& each);

}  // namespace bench

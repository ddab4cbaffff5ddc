// SPDX-License-Identifier: Zlib
//
// Runs the test of each place; the program of usual flags checks that no place is missing.
#include <cstdlib>

#include "host.hpp"

namespace host {
namespace {

int failures = 0;

int run_all() {
  std::size_t count = 0;
  for (const auto* places : {&places_of_jobs, &places_of_files, &places_of_assets}) {
    count += places->size();
    for (const place& each : *places) {
      const int before = failures;
      each.test();
      if (failures != before) std::fprintf(stderr, "failed: %s\n", each.name);
    }
  }
  std::printf("%zu places, %d failures\n", count, failures);
  return failures == 0 ? 0 : 1;
}

}  // namespace

void check(bool condition, const char* what, int line) {
  if (condition) return;
  ++failures;
  std::fprintf(stderr, "line %d: %s\n", line, what);
}

}  // namespace host

int main() {
  int status = host::run_all();
#ifdef CHECK_PLACES
  std::string check = CHECK_PLACES;
  for (const auto* places :
       {&host::places_of_jobs, &host::places_of_files, &host::places_of_assets}) {
    for (const host::place& each : *places) check += std::string(" '") + each.name + "'";
  }
  if (std::system(check.c_str()) != 0) status = 1;
#endif
  return status;
}

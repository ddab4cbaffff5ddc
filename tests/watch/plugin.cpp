// SPDX-License-Identifier: Zlib
//
// A plug-in that is found by the path that its program has for libraries, linked with another
// version of a library than the program.
#include <cstdint>

extern "C" {
struct four_words {
  long a, b, c, d;
};
int ov_open_callbacks(void* source, void* file, const char* first, long bytes, four_words calls);

__attribute__((visibility("default"))) int version_in_plugin() {
  int here = 0;
  return ov_open_callbacks(&here, &here, "", 5, {6, 7, 8, 9});
}
}

// SPDX-License-Identifier: Zlib
//
// A plug-in that is found by the path that its program has for libraries, linked with another
// version of a library than the program.
#include <cstdio>
#include <cstring>

extern "C" {
struct four_words {
  long a, b, c, d;
};
int ov_open_callbacks(void* source, void* file, const char* first, long bytes, four_words calls);

// As a driver of graphics, that is asked for functions by name.
__attribute__((visibility("default"))) void glXSwapBuffers(long* display, long drawable) {
  *display += drawable;
}
__attribute__((visibility("default"))) void* glXGetProcAddressARB(const char* name) {
  return std::strcmp(name, "glXSwapBuffers") == 0 ? reinterpret_cast<void*>(glXSwapBuffers)
                                                  : nullptr;
}

// Bytes of a file.
__attribute__((visibility("default"))) long bytes_by_plugin(const char* path) {
  char room[100];
  std::FILE* const file = std::fopen(path, "r");
  if (!file) return -1;
  const std::size_t bytes = std::fread(room, 1, sizeof room, file);
  std::fclose(file);
  return static_cast<long>(bytes);
}

__attribute__((visibility("default"))) int version_in_plugin() {
  int here = 0;
  return ov_open_callbacks(&here, &here, "", 5, {6, 7, 8, 9});
}
}

// SPDX-License-Identifier: Zlib
//
// Functions with the names and the arguments of some that are watched, which look whether all
// arguments have come. Two versions of this library are in one process.
#include <cstdint>

extern "C" {

struct four_words {
  long a, b, c, d;
};

__attribute__((visibility("default"))) long ov_read(void* file, char* to, int bytes, int big,
                                                    int word, int is_signed, int* stream) {
  *stream = bytes + big + word + is_signed;
  return file == to ? VERSION : -1;
}

__attribute__((visibility("default"))) int ov_open_callbacks(void* source, void* file,
                                                             const char* first, long bytes,
                                                             four_words calls) {
  const bool all = source && file && first && bytes == 5 && calls.a == 6 && calls.d == 9;
  return all ? VERSION : -1;
}

__attribute__((visibility("default"))) int tjDecompress2(void* handle, const unsigned char* from,
                                                         unsigned long bytes, unsigned char* to,
                                                         int width, int pitch, int height,
                                                         int format, int flags) {
  const bool all = handle && from && to && bytes == 3 && width == 5 && pitch == -6 && height == 7 &&
                   format == 8 && flags == 9;
  return all ? VERSION : -1;
}

}  // extern "C"

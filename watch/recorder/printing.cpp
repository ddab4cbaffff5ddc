// SPDX-License-Identifier: Zlib
//
// Text that is written to FILEs: printf() and its like.
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "watch/recorder/calls.hpp"

namespace overture::watch {
namespace {

template <class Call>
int printed(std::uintptr_t caller, FILE* file, Call call) {
  return measured(caller, call, [&](int bytes, plain_event event) {
    note_bytes(event_kind::write, event, file, bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0);
  });
}

constinit next_function<int(FILE*, const char*, va_list)> next_vfprintf("vfprintf");
constinit next_function<int(FILE*, int, const char*, va_list)> next_vfprintf_chk("__vfprintf_chk");
constinit next_function<int(const char*, FILE*)> next_fputs("fputs");
constinit next_function<int(const char*)> next_puts("puts");

int print(std::uintptr_t caller, FILE* to, const char* format, va_list values) {
  return printed(caller, to, [&] { return next_vfprintf(to, format, values); });
}
int print_checked(std::uintptr_t caller, FILE* to, int flag, const char* format, va_list values) {
  return printed(caller, to, [&] { return next_vfprintf_chk(to, flag, format, values); });
}

// How many bytes, for what says only whether it has failed.
template <class Call>
int put(std::uintptr_t caller, FILE* to, const char* text, Call call) {
  return measured(caller, call, [&](int failed, plain_event event) {
    note_bytes(event_kind::write, event, to, failed < 0 ? 0 : std::strlen(text));
  });
}

}  // namespace

OVERTURE_WATCH_TAKES(int, vprintf, (const char* format, va_list values)) {
  return print(OVERTURE_WATCH_CALLER, stdout, format, values);
}
OVERTURE_WATCH_TAKES(int, vfprintf, (FILE * to, const char* format, va_list values)) {
  return print(OVERTURE_WATCH_CALLER, to, format, values);
}
OVERTURE_WATCH_TAKES(int, printf, (const char* format, ...)) {
  va_list values;
  va_start(values, format);
  const int bytes = print(OVERTURE_WATCH_CALLER, stdout, format, values);
  va_end(values);
  return bytes;
}
OVERTURE_WATCH_TAKES(int, fprintf, (FILE * to, const char* format, ...)) {
  va_list values;
  va_start(values, format);
  const int bytes = print(OVERTURE_WATCH_CALLER, to, format, values);
  va_end(values);
  return bytes;
}
OVERTURE_WATCH_TAKES(int, __vprintf_chk, (int flag, const char* format, va_list values)) {
  return print_checked(OVERTURE_WATCH_CALLER, stdout, flag, format, values);
}
OVERTURE_WATCH_TAKES(int, __vfprintf_chk,
                     (FILE * to, int flag, const char* format, va_list values)) {
  return print_checked(OVERTURE_WATCH_CALLER, to, flag, format, values);
}
OVERTURE_WATCH_TAKES(int, __printf_chk, (int flag, const char* format, ...)) {
  va_list values;
  va_start(values, format);
  const int bytes = print_checked(OVERTURE_WATCH_CALLER, stdout, flag, format, values);
  va_end(values);
  return bytes;
}
OVERTURE_WATCH_TAKES(int, __fprintf_chk, (FILE * to, int flag, const char* format, ...)) {
  va_list values;
  va_start(values, format);
  const int bytes = print_checked(OVERTURE_WATCH_CALLER, to, flag, format, values);
  va_end(values);
  return bytes;
}
OVERTURE_WATCH_TAKES(int, puts, (const char* text)) {
  return put(OVERTURE_WATCH_CALLER, stdout, text, [&] { return next_puts(text); });
}
OVERTURE_WATCH_TAKES(int, fputs, (const char* text, FILE* to)) {
  return put(OVERTURE_WATCH_CALLER, to, text, [&] { return next_fputs(text, to); });
}

}  // namespace overture::watch

// SPDX-License-Identifier: Zlib
//
// Has a function by the name of a sanitizer's.

extern "C" __attribute__((visibility("default"))) void begins() __asm__("__asan_init");
void begins() {}

int main() {}

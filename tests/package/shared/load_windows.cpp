// SPDX-License-Identifier: Zlib
#include <windows.h>

#include <cstdio>

#include "plug_in.hpp"

const plug_in_calls* load_plug_in() {
  HMODULE const opened = LoadLibraryA(PLUG_IN);
  FARPROC const found = opened ? GetProcAddress(opened, "overture_test_plug_in") : nullptr;
  if (!found) std::printf("%s: error %lu\n", PLUG_IN, GetLastError());
  return reinterpret_cast<const plug_in_calls*>(found);
}

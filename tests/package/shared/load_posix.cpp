// SPDX-License-Identifier: Zlib
#include <dlfcn.h>

#include <cstdio>

#include "plug_in.hpp"

const plug_in_calls* load_plug_in() {
  void* const opened = dlopen(PLUG_IN, RTLD_NOW | RTLD_LOCAL);
  void* const found = opened ? dlsym(opened, "overture_test_plug_in") : nullptr;
  if (!found) std::printf("%s\n", dlerror());
  return static_cast<const plug_in_calls*>(found);
}

// SPDX-License-Identifier: Zlib
#include "physfs/library.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace {

template <class F>
void find(void* handle, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(handle, name));
  if (function) return;
  std::fprintf(stderr, "%s\n", dlerror());
  std::exit(2);
}

}  // namespace

library::library(const std::string& path) {
  // In a namespace of its own, because libraries of the same name would share their functions.
  void* const handle = dlmopen(LM_ID_NEWLM, path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(2);
  }
#define OVERTURE_FIND(name) find(handle, "PHYSFS_" #name, this->name);
  OVERTURE_EACH_FUNCTION(OVERTURE_FIND)
#undef OVERTURE_FIND
  find(handle, "PHYSFS_delete", remove);
}

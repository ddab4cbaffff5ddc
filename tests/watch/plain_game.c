/* SPDX-License-Identifier: Zlib */
/* A program of C, which has neither the library of C++ nor one that shows frames: only its plug-in
   has those, as a driver of graphics or a module of Python does. */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char** words) {
  void* const plugin = dlopen("libwatched_cpp_plugin.so", RTLD_NOW | RTLD_LOCAL);
  if (count < 3 || plugin == NULL) {
    printf("cannot open the plug-in: %s\n", dlerror());
    return 1;
  }
  long (*run)(const char*) = NULL;
  *(void**)&run = dlsym(plugin, "run_plugin");
  const long done = run(words[2]);
  printf("%ld\n", done);
  return done == 1042 ? 0 : 2;
}

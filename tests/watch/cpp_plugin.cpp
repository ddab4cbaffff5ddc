// SPDX-License-Identifier: Zlib
//
// A plug-in of C++ for a program of C.
#include <fstream>
#include <memory>
#include <string>

extern "C" {
long SDL_GL_SwapWindow(long* shown);  // of a library that comes with the plug-in alone

// What was read, and how many frames were shown.
__attribute__((visibility("default"))) long run_plugin(const char* folder) {
  const auto path = std::make_unique<std::string>(std::string(folder) + "/of-the-plug-in");
  std::ofstream(*path) << "42";
  long number = 0;
  std::ifstream(*path) >> number;
  long shown = 0;
  SDL_GL_SwapWindow(&shown);
  return shown * 1000 + number;
}
}

// SPDX-License-Identifier: Zlib
//
// A program with PhysicsFS inside, as far as the command can see: with its error texts.
#include <cstdio>

#include "error_texts.hpp"

int main(int count, char**) {
  return std::puts(physfs::error_texts[count]) < 0 ? 1 : 0;
}

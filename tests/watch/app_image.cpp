// SPDX-License-Identifier: Zlib
//
// What an AppImage does when its files are mounted: it becomes the program that is named. The test
// makes its head that of one.
#include <unistd.h>

int main(int count, char** words) {
  if (count < 2) return 0;
  execv(words[1], words + 1);
  return 2;
}

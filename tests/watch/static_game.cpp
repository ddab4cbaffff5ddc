// SPDX-License-Identifier: Zlib
//
// Linked statically.
int main() {
  return 0;
}

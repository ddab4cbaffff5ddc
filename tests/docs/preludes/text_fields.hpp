// SPDX-License-Identifier: Zlib
struct sword {
  int damage;
};
struct bow {
  float range;
};

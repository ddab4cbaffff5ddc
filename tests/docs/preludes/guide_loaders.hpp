// SPDX-License-Identifier: Zlib
struct weapon {
  std::string name;
  float damage = 1;
  std::vector<int> upgrades;
};

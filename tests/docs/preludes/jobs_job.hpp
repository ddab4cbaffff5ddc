// SPDX-License-Identifier: Zlib
extern work chunk;
extern std::array<int, 100> big;

// SPDX-License-Identifier: Zlib
// parameters: work& chunk, std::array<int, 100> big
